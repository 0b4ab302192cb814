"""Leakage: answers that are copies of the question or of each other, and how much they flatter m.

It costs nobody anything; it makes m too high. The effect is therefore m as it is minus m without.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Ints
from engine.base.messages import format_percentage, pluralise
from engine.base.ranking import NO_ITEM
from engine.stats import holm
from engine.triage.analysis import Analysis
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.wording import format_points
from engine.triage.workings.clip_kin import (
    DEEPEST,
    ClipKin,
    WithoutKin,
    find_kin,
    measure_one_each,
    measure_without_own,
)
from engine.triage.workings.exact_search import measure_precision
from engine.triage.workings.paired_loss import PairedLoss, format_loss, measure_paired_loss

_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, eq=False)
class Flattery:
    """m as it is, and without what leaks.

    gained   m as it is minus m without
    without  m without
    leaked   (q, k) which of the first k results are left out
    looked_at  queries
    """

    gained: PairedLoss
    without: WithoutKin
    leaked: Bools
    looked_at: int


def measure_own_kin(study: Study, mode: int) -> Flattery:
    """What query clips get from their own source, and from near-duplicates of themselves."""
    asked, kin, rows = _begin(study, mode)
    without = measure_without_own(study, mode)
    top = asked.top(study.settings.k)[0]
    own = asked.own_rows
    leaked = np.zeros(top.shape, np.bool_)
    if own is not None:
        leaked = (kin.numbers[top] == kin.numbers[own][:, None]) & (top != NO_ITEM)
    return _compare(study, asked, rows, without, leaked, "own")


def measure_repeats(study: Study, mode: int) -> Flattery:
    """What queries get from several clips of one source, and from near-duplicates."""
    asked, kin, rows = _begin(study, mode)
    without = measure_one_each(study, mode)
    top = asked.top(study.settings.k)[0]
    leaked = find_repeats(np.append(kin.numbers, -1)[top]) & (top != NO_ITEM)
    if asked.own_rows is not None:
        leaked |= (kin.numbers[top] == kin.numbers[asked.own_rows][:, None]) & (top != NO_ITEM)
    return _compare(study, asked, rows, without, leaked, "repeats")


def find_repeats(labels: Ints) -> Bools:
    """(q, k) whether the same label stands further to the left.

    >>> find_repeats(np.array([[3, 5, 3, 3]])).tolist()
    [[False, False, True, True]]
    """
    equal = labels[:, :, None] == labels[:, None, :]
    found: Bools = np.tril(equal, -1).any(axis=2)
    return found


def _begin(study: Study, mode: int) -> tuple[ModeQueries, ClipKin, Ints]:
    asked = study.asked[mode]
    return asked, study.once(find_kin), study.sample_queries(asked)


def _compare(
    study: Study, asked: ModeQueries, rows: Ints, without: WithoutKin, leaked: Bools, name: str
) -> Flattery:
    kept = asked.judged.top(study.settings.k).take(rows).ranking
    now = measure_precision(study, asked, rows, kept)
    name = f"leakage {name} {asked.mode}"
    gained = measure_paired_loss(study, asked, without.values, now, name, _count_tests(study))
    return Flattery(gained, without, leaked, len(rows))


def _count_tests(study: Study) -> int:
    return sum(1 if asked.own_rows is None else 2 for asked in study.asked)


def find_leakage(study: Study) -> Iterator[Finding]:
    found: list[Finding] = []
    for mode, asked in enumerate(study.asked):
        if asked.own_rows is not None:
            found.append(_describe_own(study, asked, study.once(measure_own_kin, mode)))
        found.append(_describe_repeats(study, asked, study.once(measure_repeats, mode)))
    tested = [at for at, finding in enumerate(found) if finding.tests]
    corrected = list[float](holm([found[at].p for at in tested])) if tested else []
    for at, p in zip(tested, corrected, strict=True):
        found[at] = replace(found[at], p=float(p))
    yield from found


def _describe_own(study: Study, asked: ModeQueries, flattery: Flattery) -> Finding:
    share = format_percentage(float(flattery.leaked.mean())) or "0"
    k = study.settings.k
    return _make_finding(
        study,
        asked,
        flattery,
        "own source",
        "Answers from the query's own source, and near-copies of it,",
        f"they fill {share} % of the first {k} places",
        "leave out of the results what is of the query's own source: --one-per source",
    )


def _describe_repeats(study: Study, asked: ModeQueries, flattery: Flattery) -> Finding:
    k = study.settings.k
    distinct = k * (1 - float(flattery.leaked.mean()))
    return _make_finding(
        study,
        asked,
        flattery,
        "one per source",
        "Several answers of one source, and near-copies,",
        f"without them {format_points(distinct, 1)} of the first {k} results are left",
        "report the metrics with --one-per source as well, and look at the clips with tui-eval "
        "validate",
    )


def _make_finding(
    study: Study,
    asked: ModeQueries,
    flattery: Flattery,
    topic: str,
    what: str,
    share: str,
    remedy: str,
) -> Finding:
    settings, gained = study.settings, flattery.gained
    if not gained.support:
        return replace(
            make_unknown(
                "leakage",
                f"How much {what[:1].lower()}{what[1:]} flatter {settings.measure} cannot be told: "
                f"no query has {settings.k} results and a relevant clip without them.",
                "evaluate on clips of more sources",
                mode=asked.mode,
            ),
            subject=Topic("model", (topic,)),
        )
    numbers = format_loss(gained)
    near = study.once(find_kin).near
    looked = flattery.leaked.any(axis=1)
    return Finding(
        analysis="leakage",
        subject=Topic("model", (topic,)),
        mode=asked.mode,
        claim=f"{what} flatter {settings.measure} by {numbers}: {share}.",
        otherwise=f"{what} do not flatter {settings.measure}: {numbers}.",
        unsure=f"Whether {what[:1].lower()}{what[1:]} flatter {settings.measure} cannot be told: "
        f"{numbers}.",
        effect=gained.effect.value,
        unit=f"{settings.measure} too much",
        interval=gained.effect.interval,
        p=gained.p,
        cost=1.0,
        support=gained.support,
        share=1.0,
        evidence=_collect_evidence(study, asked, flattery),
        remedy=remedy,
        numbers=(
            (f"{settings.measure} without them", float(np.nanmean(flattery.without.values))),
            ("share of the places", float(flattery.leaked.mean())),
            ("share of the queries", float(looked.mean())),
            ("sources", float(len(np.unique(study.sources)))),
            ("near-duplicates", float(len(near))),
            ("near-duplicates of different sources", float(near.find_across(study.sources).sum())),
            ("cosine of near-duplicates", near.limit.cosine),
        ),
        notes=tuple(_collect_notes(study, asked, flattery)),
        draws=gained.effect.draws,
    )


def _collect_notes(study: Study, asked: ModeQueries, flattery: Flattery) -> Iterator[str]:
    near, without, k = study.once(find_kin).near, flattery.without, study.settings.k
    measure = study.settings.measure
    yield f"it costs nobody anything: effect and severity are by how much {measure} is too high"
    yield from study.note_permutations(_count_tests(study), flattery.gained.permutations)
    if study.truth.sources is None:
        yield "no source is known, so each clip counts as its own: name one under [source]"
    if near.asked < near.items:
        yield (
            f"near-duplicates of {near.asked:,} of {pluralise(near.items, 'clip')} and of the "
            "query clips were looked for"
        )
    if not near.limit.sampled:
        yield "too few sources to calibrate when clips are nearly the same"
    if flattery.looked_at < len(asked):
        yield f"a sample of {flattery.looked_at:,} of {pluralise(len(asked), 'query')}"
    if without.deeper:
        queries = pluralise(without.deeper, "query")
        yield f"{queries} had to be searched deeper, up to {DEEPEST:,} results"
    if without.short:
        yield f"{pluralise(without.short, 'query')} without {k} results left out"


def _collect_evidence(study: Study, asked: ModeQueries, flattery: Flattery) -> Exhibit:
    """The queries that are flattered most, and the clips that leak into the first of them."""
    worst = flattery.gained.find_losers(_MOST_SHOWN)
    top = asked.top(study.settings.k)[0][worst]
    clips = dict.fromkeys(top[flattery.leaked[worst]].tolist())
    return Exhibit(
        tuple(asked.queries.names[row] for row in worst.tolist()),
        tuple(study.truth.ids[row] for row in list(clips)[:_MOST_SHOWN]),
    )


LEAKAGE = Analysis(
    "leakage",
    "Does the metric look good because clips are nearly the same, or of one recording?",
    "m as it is, minus m without the results of the query's own source and its near-duplicates, "
    "and minus m with one result per source; cosines above a limit that no unrelated pair reaches "
    "make near-duplicates. Clustered sign flips, Holm over both.",
    "Sources of clips for their series; near-duplicates need none.",
    find_leakage,
)
