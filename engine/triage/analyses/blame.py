"""Which keyword of a query is to blame for what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.messages import pluralise
from engine.base.ranking import NO_ITEM
from engine.triage.analysis import Analysis
from engine.triage.effect import Effect
from engine.triage.finding import Exhibit, Finding, Topic, make_finding_id, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points, format_signed_points
from engine.triage.workings.blame_excess import (
    FEWEST_QUERIES,
    BlameExcess,
    compute_excess_p,
    list_excesses,
)
from engine.triage.workings.blame_shares import BlameShares, measure_blame

_NAME = "blame"

_MOST = 20
"""Findings of each kind and mode."""

_SHOWN = 10
"""Queries and clips of each finding."""


@dataclass(frozen=True, slots=True, eq=False)
class BlameEffects:
    """What is known of one keyword or group.

    name     as it is written in a topic
    p        that its excess is none, corrected
    blame, excess, reached  means over the queries that ask for it
    own      (q,) φ of each query, NaN where it is not asked for
    compared  (q,) how many of its keywords a query asks for beside others; 0: none, or no others
    """

    name: str
    p: float
    blame: Effect
    excess: Effect
    reached: Effect
    own: Floats
    compared: Floats

    def rank(self, alpha: float) -> tuple[bool, float, float]:
        """What is found first, the most harmful before; then what comes nearest to it."""
        found = self.p <= alpha
        lost = float(self.excess.value * self.compared.sum())
        return not found, -lost if found else self.p, -self.excess.value


def find_blame(study: Study) -> Iterator[Finding]:
    """Keywords and groups that cost more than the others of the same queries, mode by mode."""
    found = [
        [one for one in list_excesses(study, study.once(measure_blame, mode)) if one.is_testable]
        for mode in range(len(study.asked))
    ]
    families = sum(map(len, found))
    for mode, asked in enumerate(study.asked):
        for one in found[mode]:
            yield from _find(study, mode, one, families)
        if not found[mode]:
            yield make_unknown(
                _NAME,
                f"The blame cannot be shared out: no two keywords are asked for by "
                f"{FEWEST_QUERIES} {asked.mode} queries that count and ask for another one too.",
                "ask more queries with two keywords or more",
                mode=asked.mode,
            )


def _find(study: Study, mode: int, found: BlameExcess, families: int) -> Iterator[Finding]:
    study.beat()
    asked, shares = study.asked[mode], study.once(measure_blame, mode)
    p, permutations = compute_excess_p(study, asked, found, families)
    few = study.note_permutations(families, permutations)
    tables = [found.spread(one, len(asked)) for one in (found.blame, found.excess, found.reached)]
    counts = found.spread(found.own, len(asked))
    means = [study.resamples(asked).means(table) for table in tables]
    every = [
        BlameEffects(
            name=found.names[topic],
            p=float(p[at]),
            blame=means[0][at],
            excess=means[1][at],
            reached=means[2][at],
            own=tables[0][:, at],
            compared=np.where(np.isnan(tables[1][:, at]), 0, np.nan_to_num(counts[:, at])),
        )
        for at, topic in enumerate(found.topics.tolist())
    ]
    every.sort(key=lambda one: one.rank(study.settings.alpha))
    wanted = [
        one
        for one in every[_MOST:]
        if make_finding_id(_NAME, asked.mode, (one.name,)) in study.wanted
    ]
    for one in every[:_MOST] + wanted:
        finding = _describe(study, asked, shares, found, one, few)
        yield replace(finding, chosen_from=len(every))
    if found.kind == "keyword":
        yield _summarise(study, asked, shares, every, few)


def _describe(
    study: Study,
    asked: ModeQueries,
    shares: BlameShares,
    found: BlameExcess,
    one: BlameEffects,
    few: tuple[str, ...],
) -> Finding:
    topic = Topic(found.kind, (one.name,))
    asking, compared = ~np.isnan(one.own), one.compared > 0
    count, unit = int(compared.sum()), f"points of chance-corrected {study.settings.measure}"
    lacking = np.ones(len(asked))
    lacking[shares.queries] = shares.lacking
    each = f"other {found.kind}s of the same queries"
    where = f"in the {pluralise(int(asking.sum()), 'query')} that ask for it"
    blame = f"{format_points(one.blame.value)} {where} ({format_confidence(one.blame.interval)})"
    interval = format_confidence(one.excess.interval)
    per = " per keyword" if found.kind == "group" else ""
    return Finding(
        analysis=_NAME,
        subject=topic,
        claim=f"“{topic.label}” costs {format_points(one.excess.value)} {unit}{per} more than the "
        f"{each} ({interval}): {blame}.",
        otherwise=f"“{topic.label}” is not found to cost more than the {each} "
        f"({format_signed_points(one.excess.value)} {unit}{per}, {interval}): it costs {blame}.",
        effect=one.excess.value,
        unit=f"{unit}{per}",
        interval=one.excess.interval,
        p=one.p,
        cost=float((lacking * one.compared)[compared].mean()),
        support=count,
        share=count / len(shares.queries),
        mode=asked.mode,
        evidence=_collect_evidence(study, asked, found, one),
        remedy=f"look at the results of these queries that lack “{topic.label}”: what they show "
        "instead is under substitutions, and whether the vectors tell it at all under selectivity",
        numbers=(
            ("blame", one.blame.value),
            ("blame, low", one.blame.interval.low),
            ("blame, high", one.blame.interval.high),
            ("excess of what could be reached", one.reached.value),
        ),
        notes=_write_notes(asked, shares) + few,
        draws=one.excess.draws,
        clusters=one.excess.clusters,
    )


def _summarise(
    study: Study,
    asked: ModeQueries,
    shares: BlameShares,
    every: list[BlameEffects],
    few: tuple[str, ...],
) -> Finding:
    """Of all keywords together; it costs nothing by itself, its keywords do."""
    most = min(every, key=lambda one: (one.p, -one.excess.value))
    label = Topic("keyword", (most.name,)).label
    apart = f"{format_signed_points(most.excess.value)}, {format_confidence(most.excess.interval)}"
    unit = f"points of chance-corrected {study.settings.measure}"
    return Finding(
        analysis=_NAME,
        subject=Topic("model"),
        summary=True,
        claim=f"Of {pluralise(len(every), 'keyword')}, “{label}” most clearly costs more than the "
        f"others of the same {asked.mode} queries ({apart} {unit}).",
        otherwise=f"Of {pluralise(len(every), 'keyword')}, none is found to cost more than the "
        f"others of the same {asked.mode} queries; “{label}” comes nearest ({apart} {unit}).",
        effect=most.excess.value,
        unit=unit,
        interval=most.excess.interval,
        p=most.p,
        support=len(shares.queries),
        share=1.0,
        mode=asked.mode,
        numbers=(("keywords", float(len(every))),),
        notes=_write_notes(asked, shares) + few,
        draws=most.excess.draws,
    )


def _write_notes(asked: ModeQueries, shares: BlameShares) -> tuple[str, ...]:
    notes, counted = [], int(asked.counted.sum())
    if len(shares.queries) < counted:
        notes.append(f"A sample of {len(shares.queries):,} of {counted:,} queries that count.")
    if shares.drawn:
        notes.append(
            f"{pluralise(shares.drawn, 'query')} of many keywords: orders drawn at random."
        )
    return tuple(notes)


def _collect_evidence(
    study: Study, asked: ModeQueries, found: BlameExcess, one: BlameEffects
) -> Exhibit:
    """The queries that lose most to it, and their best results that lack it."""
    asking = np.flatnonzero(~np.isnan(one.own))
    worst = asking[np.argsort(-one.own[asking], kind="stable")][:_SHOWN]
    clips, _ = asked.top(study.settings.k)
    lacking = (clips[worst] != NO_ITEM) & ~_has_topic(study, asked, found, one, worst)
    rows = list(dict.fromkeys(clips[worst][lacking].tolist()))[:_SHOWN]
    return Exhibit(
        tuple(asked.queries.names[row] for row in worst.tolist()),
        tuple(study.truth.ids[row] for row in rows),
    )


def _has_topic(
    study: Study, asked: ModeQueries, found: BlameExcess, one: BlameEffects, rows: Ints
) -> Bools:
    """(rows, k) whether a result has all keywords of its query that are of the topic."""
    words = study.truth.words
    wanted = asked.judged.query_bits[rows]
    if found.kind == "group":
        wanted = wanted & words.select([one.name]).mask
    else:
        wanted = wanted & words.mask(np.array([found.names.index(one.name)]))
    return study.truth.has_all(asked.top(study.settings.k)[0][rows], wanted)


BLAME = Analysis(
    _NAME,
    "Which keyword of a query is to blame?",
    "The Shapley value of every keyword over the sets S of keywords that are dropped, of "
    "v(S) = (P@k − R/N) / (1 − R/N) without them; tested is its excess over the other keywords of "
    "the same queries, by a clustered, studentised max-T over permutations.",
    "Queries with two keywords or more.",
    find_blame,
)
