"""Which keyword comes in place of one that was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Floats
from engine.base.messages import pluralise
from engine.stats import Interval, benjamini_hochberg, holm
from engine.triage.analysis import Analysis
from engine.triage.effect import Effect
from engine.triage.finding import Exhibit, Finding, Topic, make_finding_id, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study, unpack_columns
from engine.triage.wording import format_confidence
from engine.triage.workings.plain_tail import compute_plain_tail
from engine.triage.workings.substitution_counts import (
    MOST_BASE_CLIPS,
    WrongResults,
    collect_wrong_results,
)
from engine.triage.workings.substitution_matrix import (
    FEWEST_CLUSTERS,
    FEWEST_RESULTS,
    SubstitutionMatrix,
    measure_substitutions,
)

_NAME = "substitutions"

_MOST = 20
"""Findings of each mode."""

_SHOWN = 10
"""Queries and clips of each finding."""


@dataclass(frozen=True, slots=True, eq=False)
class Substitution:
    """One keyword that was asked for, and one that came instead, by their places in a matrix.

    alone  its p
    p, q   corrected by Holm, and by Benjamini and Hochberg, over all pairs of the study
    """

    matrix: SubstitutionMatrix
    asked: int
    instead: int
    alone: float
    p: float
    q: float

    def get(self, table: Floats) -> float:
        return float(table[self.asked, self.instead])

    @property
    def excess(self) -> float:
        return self.get(self.matrix.observed) - self.get(self.matrix.expected)

    @property
    def names(self) -> tuple[str, str]:
        return self.matrix.names[self.asked], self.matrix.names[self.instead]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(Topic("swap", (name,)).label for name in self.names)


def find_substitutions(study: Study) -> Iterator[Finding]:
    """Pairs of keywords of one group, mode by mode: those that are found, then the nearest."""
    every = collect_substitutions(study)
    for mode, asked in enumerate(study.asked):
        own = [one for one in every if one.matrix.mode == asked.mode]
        if not own:
            yield make_unknown(
                _NAME,
                f"What comes instead cannot be told: no keyword has {FEWEST_RESULTS} wrong "
                f"results of {FEWEST_CLUSTERS} clusters of {asked.mode} queries that lack it.",
                "ask more queries, or none is needed: there are hardly any wrong results",
                mode=asked.mode,
            )
            continue
        wrong = study.once(collect_wrong_results, mode)
        alpha = study.settings.alpha
        own.sort(key=lambda one: (one.p > alpha, -one.excess if one.p <= alpha else one.alone))
        wanted = [
            one
            for one in own[_MOST:]
            if make_finding_id(_NAME, asked.mode, one.names) in study.wanted
        ]
        yield from _describe_pairs(study, asked, wrong, own[:_MOST] + wanted, len(own))
        yield _summarise(study, asked, wrong, own)


def collect_substitutions(study: Study) -> list[Substitution]:
    """All pairs with enough results, corrected together."""
    matrices = study.once(measure_substitutions)
    pairs = [(m, a, i) for m in matrices for a, i in np.argwhere(m.tested).tolist()]
    p = np.array([of for m in matrices for of in m.p[m.tested].tolist()])
    corrected, q = holm(p).tolist(), benjamini_hochberg(p).tolist()
    every = zip(pairs, p.tolist(), corrected, q, strict=True)
    return [Substitution(*pair, *numbers) for pair, *numbers in every]


def _describe_pairs(
    study: Study,
    asked: ModeQueries,
    wrong: WrongResults,
    pairs: Sequence[Substitution],
    chosen_from: int,
) -> Iterator[Finding]:
    masks = [_find_rows(wrong, pair) for pair in pairs]
    losses = [_count_excess(study, asked, wrong, *one) for one in zip(pairs, masks, strict=True)]
    effects = study.resamples(asked).means(np.stack(losses, axis=1))
    for pair, mask, lost, effect in zip(pairs, masks, losses, effects, strict=True):
        study.beat()
        found = _describe(study, asked, wrong, pair, mask, lost, effect)
        yield replace(found, chosen_from=chosen_from)


def _find_rows(wrong: WrongResults, pair: Substitution) -> Bools:
    """(r,) the wrong results that the pair is about."""
    asked, instead = pair.matrix.places[[pair.asked, pair.instead]]
    mask: Bools = wrong.asks[:, asked] & ~wrong.has[:, asked] & ~wrong.asks[:, instead]
    return mask


def _count_excess(
    study: Study, asked: ModeQueries, wrong: WrongResults, pair: Substitution, mask: Bools
) -> Floats:
    """(q,) places of the top k that the other keyword takes beyond its share, of every query that
    asks for the one and not for the other."""
    column = pair.matrix.places[pair.instead]
    beyond = wrong.has[mask, column] - wrong.base[mask, column]
    lost = np.bincount(wrong.query[mask], weights=beyond, minlength=len(asked))
    bits = asked.judged.query_bits[wrong.queries]
    one, other = wrong.columns[pair.matrix.places[[pair.asked, pair.instead]]]
    asks = unpack_columns(bits, np.array([one, other]))
    found = np.full(len(asked), np.nan)
    rows = wrong.queries[asks[:, 0] & ~asks[:, 1]]
    found[rows] = lost[rows] / study.settings.k
    return found


def _describe(
    study: Study,
    asked: ModeQueries,
    wrong: WrongResults,
    pair: Substitution,
    mask: Bools,
    lost: Floats,
    effect: Effect,
) -> Finding:
    settings, matrix = study.settings, pair.matrix
    one, other = pair.labels
    low, high = (pair.get(end) for end in matrix.bound_lift(1 - settings.level))
    lift, count = pair.get(matrix.lift), int(pair.get(matrix.observed))
    queries = int(matrix.queries[pair.asked, pair.instead])
    counted = f"{count} of {pluralise(int(mask.sum()), 'wrong result')} of "
    counted += f"{pluralise(queries, f'{asked.mode} query')}"
    times = f"{lift:.1f} times as often as the clips explain"
    level = f"{100 * settings.level:g} % CI {low:.1f} to {high:.1f}"
    asking = int(np.isfinite(lost).sum())
    return Finding(
        analysis=_NAME,
        subject=Topic("swap", pair.names),
        claim=f"For “{one}”, “{other}” comes instead {times} ({counted}, {level}).",
        otherwise=f"For “{one}”, “{other}” is not found to come instead more often than the clips "
        f"explain: {lift:.1f} times as often ({counted}, {level}).",
        effect=effect.value,
        unit=settings.measure,
        interval=effect.interval,
        p=pair.p,
        cost=1.0,
        support=asking,
        share=asking / len(wrong.queries),
        mode=asked.mode,
        evidence=_collect_evidence(study, asked, wrong, pair, mask, lost),
        remedy=f"compare clips of “{one}” with clips of “{other}”: add pairs that differ in "
        "nothing else to the training data, or ask for one and show both to a person",
        numbers=(
            ("lift", lift),
            ("lift, low", low),
            ("lift, high", high),
            ("came instead", float(count)),
            ("expected", pair.get(matrix.expected)),
            ("wrong results", float(mask.sum())),
            ("worth independent results", pair.get(matrix.worth)),
            ("q (Benjamini and Hochberg)", pair.q),
            ("plain hypergeometric p", _compute_plain(study, wrong, pair, mask)),
        ),
        notes=_write_notes(study, asked, wrong),
        draws=effect.draws,
        clusters=effect.clusters,
    )


def _compute_plain(study: Study, wrong: WrongResults, pair: Substitution, mask: Bools) -> float:
    """As if every result were an independent draw from its stratum."""
    times = len(study.collection) / min(len(study.collection), MOST_BASE_CLIPS)
    sizes, having = wrong.sizes, wrong.having[:, pair.matrix.places[pair.instead]]
    both = zip(wrong.query[mask].tolist(), wrong.stratum[mask].tolist(), strict=True)
    draws = [
        (max(drawn, round(times * sizes[stratum])), round(times * having[stratum]), drawn)
        for (_, stratum), drawn in Counter(both).items()
    ]
    return compute_plain_tail(int(pair.get(pair.matrix.observed)), draws)


def _collect_evidence(
    study: Study,
    asked: ModeQueries,
    wrong: WrongResults,
    pair: Substitution,
    mask: Bools,
    lost: Floats,
) -> Exhibit:
    """The queries in whose results it happens most, and the results that happen most often."""
    instead = mask & wrong.has[:, pair.matrix.places[pair.instead]]
    queries = np.unique(wrong.query[instead])
    worst = queries[np.argsort(-lost[queries], kind="stable")][:_SHOWN]
    clips = [row for row, _ in Counter(wrong.clip[instead].tolist()).most_common(_SHOWN)]
    return Exhibit(
        tuple(asked.queries.names[row] for row in worst.tolist()),
        tuple(study.truth.ids[row] for row in clips),
    )


def _summarise(
    study: Study, asked: ModeQueries, wrong: WrongResults, own: Sequence[Substitution]
) -> Finding:
    """Of all pairs together; it costs nothing by itself, its pairs do."""
    nearest = min(own, key=lambda one: one.alone)
    lift = nearest.get(nearest.matrix.lift)
    ends = nearest.matrix.bound_lift(1 - study.settings.level)
    low, high = (nearest.get(end) for end in ends)
    interval = Interval(low, high, study.settings.level)
    one, other = nearest.labels
    pairs = pluralise(len(own), "pair")
    return Finding(
        analysis=_NAME,
        subject=Topic("model"),
        summary=True,
        claim=f"Of {pairs} of keywords, “{other}” comes instead of “{one}” most clearly: "
        f"{lift:.1f} times as often as the clips explain ({format_confidence(interval, 1)}) in "
        f"{asked.mode} queries.",
        otherwise=f"No keyword of {pairs} is found to come instead of the other more often than "
        f"the clips explain; “{other}” for “{one}” comes nearest, {lift:.1f} times "
        f"({format_confidence(interval, 1)}) in {asked.mode} queries.",
        effect=lift - 1,
        unit="times beyond what the clips explain",
        interval=Interval(interval.low - 1, interval.high - 1, interval.level),
        p=nearest.p,
        support=len(wrong.queries),
        share=1.0,
        mode=asked.mode,
        numbers=(("pairs", float(len(own))),),
        notes=_write_notes(study, asked, wrong),
    )


def _write_notes(study: Study, asked: ModeQueries, wrong: WrongResults) -> tuple[str, ...]:
    notes, counted = [], int(asked.counted.sum())
    if len(wrong.queries) < counted:
        notes.append(f"A sample of {len(wrong.queries):,} of {counted:,} queries that count.")
    if len(study.collection) > MOST_BASE_CLIPS:
        notes.append(f"What the clips explain: from a sample of {MOST_BASE_CLIPS:,} clips.")
    return tuple(notes)


SUBSTITUTIONS = Analysis(
    _NAME,
    "What comes instead of what was asked for?",
    "Among wrong results that lack w: lift of w′ = O / E, of the results that have w′ and of the "
    "share of it among clips that have the same of the query's keywords; tested as so many "
    "independent results as the clusters of queries and sources leave, Holm over all pairs.",
    f"{FEWEST_RESULTS} wrong results of {FEWEST_CLUSTERS} clusters of queries that ask for a "
    "keyword of a group with two or more.",
    find_substitutions,
)
