"""Which queries are answered worse than the others: slices of up to three keywords."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Bools, Floats
from engine.base.messages import pluralise
from engine.base.ranking import NO_ITEM
from engine.triage.analysis import Analysis
from engine.triage.effect import Effect
from engine.triage.finding import Exhibit, Finding, Topic, make_finding_id, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.wording import format_confidence, format_points, format_signed_points
from engine.triage.workings.slice_table import SliceTable, choose_slices, contrast, measure_slices

_NAME = "slices"

_SHOWN = 10
"""Queries and clips of each finding."""


def find_failing_slices(study: Study) -> Iterator[Finding]:
    """The worst slices of every mode, and one finding of all of them."""
    tables = [study.once(measure_slices, mode) for mode in range(len(study.asked))]
    families = sum(table is not None for table in tables)
    for asked, table in zip(study.asked, tables, strict=True):
        if table is None:
            least = study.settings.least_support
            yield make_unknown(
                _NAME,
                f"No keyword is asked for by {least} {asked.mode} queries that count, and not by "
                "all: there is no slice to compare with the others.",
                f"ask at least {least} queries for each keyword of interest",
                mode=asked.mode,
            )
            continue
        p = np.nan_to_num(np.minimum(table.tests.adjusted * families, 1.0), nan=1.0)
        chosen = choose_slices(table, p, study.settings)
        chosen += _list_wanted(study, asked, table, chosen)
        effects = _estimate(study, asked, table, chosen)
        for number, effect in zip(chosen, effects, strict=True):
            study.beat()
            yield _describe(study, asked, table, number, float(p[number]), effect)
        yield _summarise(study, asked, table, chosen, effects, p)


def _list_wanted(
    study: Study, asked: ModeQueries, table: SliceTable, chosen: list[int]
) -> list[int]:
    """Others of which another model has a finding."""
    if not study.wanted:
        return []
    left = sorted(set(range(len(table.lattice))) - set(chosen))
    return [
        number
        for number in left
        if make_finding_id(_NAME, asked.mode, _name(study, table, number)) in study.wanted
    ]


def _name(study: Study, table: SliceTable, number: int) -> tuple[str, ...]:
    words = study.truth.words.keywords
    return tuple(str(words[table.columns[at]]) for at in table.parts(number))


def _estimate(
    study: Study, asked: ModeQueries, table: SliceTable, chosen: list[int]
) -> list[Effect]:
    """Δ of each, with its interval."""
    values = np.full((len(asked), 2 * len(chosen)), np.nan)
    for place, number in enumerate(chosen):
        inside = table.inside(number)
        values[table.rows, 2 * place] = np.where(inside, table.values, np.nan)
        values[table.rows, 2 * place + 1] = np.where(inside, np.nan, table.values)
    means = study.resamples(asked).means(values)
    return [means[at].minus(means[at + 1]) for at in range(0, len(means), 2)]


def _describe(
    study: Study, asked: ModeQueries, table: SliceTable, number: int, p: float, effect: Effect
) -> Finding:
    settings, inside = study.settings, table.inside(number)
    topic = Topic("slice", _name(study, table, number))
    count, measure = int(inside.sum()), settings.measure
    mean, others = table.values[inside].mean(), table.values[~inside].mean()
    judged = asked.judged
    relevant = judged.relevant[table.rows]
    ceiling = np.minimum(relevant, settings.k) / settings.k
    chance = study.chance_of(asked)[table.rows]
    owed = contrast(ceiling, inside)
    limited = effect.value < 0 and owed <= effect.value / 2
    apart = f"{format_points(mean)} against {format_points(others)}"
    which = f"The {pluralise(count, f'{asked.mode} query')} with “{topic.label}”"
    because = f"; at best {format_points(-owed)} less could be reached there" if limited else ""
    interval = format_confidence(effect.interval)
    return Finding(
        analysis=_NAME,
        subject=topic,
        claim=f"{which} have {format_points(-effect.value)} points of {measure} less "
        f"than the others ({apart}, {interval} of the difference){because}.",
        otherwise=f"{which} are not found to be answered worse than the others: "
        f"{format_signed_points(effect.value)} points of {measure} ({apart}, {interval}).",
        effect=effect.value,
        unit=measure,
        interval=effect.interval,
        p=p,
        cost=-1.0,
        support=count,
        share=count / len(table.rows),
        mode=asked.mode,
        chosen_from=len(table.lattice),
        evidence=_collect_evidence(study, asked, table, inside),
        remedy=_advise(limited, topic.label),
        numbers=(
            ("inside", float(mean)),
            ("outside", float(others)),
            ("T", float(table.tests.t[number])),
            ("clusters", float(table.tests.clusters[number])),
            ("chance inside", float(chance[inside].mean())),
            ("ceiling inside", float(ceiling[inside].mean())),
            ("ceiling, inside − outside", owed),
        ),
        notes=_write_notes(study, table),
        draws=effect.draws,
        clusters=effect.clusters,
    )


def _advise(limited: bool, label: str) -> str:
    if limited:
        return f"few clips are relevant to “{label}”: annotate more, or judge these by recall"
    return f"look at the worst of these queries; blame says which keyword of “{label}” costs most"


def _collect_evidence(
    study: Study, asked: ModeQueries, table: SliceTable, inside: Bools
) -> Exhibit:
    """The worst queries, and the first wrong result of each."""
    chosen = np.zeros(len(asked), np.bool_)
    chosen[table.rows[inside]] = True
    names = asked.worst(chosen, _SHOWN)
    place = {name: row for row, name in enumerate(asked.queries.names)}
    clips, hits = asked.top(study.settings.k)
    first = []
    for row in (place[name] for name in names):
        wrong = np.flatnonzero(~hits[row] & (clips[row] != NO_ITEM))
        first += clips[row, wrong[:1]].tolist()
    return Exhibit(names, tuple(study.truth.ids[row] for row in dict.fromkeys(first)))


def _summarise(
    study: Study,
    asked: ModeQueries,
    table: SliceTable,
    chosen: list[int],
    effects: list[Effect],
    p: Floats,
) -> Finding:
    """Of all slices together; it costs nothing by itself, its slices do."""
    number, effect = min(
        zip(chosen, effects, strict=True), key=lambda pair: (p[pair[0]], pair[1].value)
    )
    label, measure = Topic("slice", _name(study, table, number)).label, study.settings.measure
    apart = f"{format_signed_points(effect.value)} points of {measure}, "
    apart += format_confidence(effect.interval)
    slices = pluralise(len(table.lattice), "slice")
    return Finding(
        analysis=_NAME,
        subject=Topic("model"),
        summary=True,
        claim=f"Of {slices} of {asked.mode} queries, that with “{label}” is most clearly answered "
        f"worse than the others ({apart}).",
        otherwise=f"No slice of {len(table.lattice):,} is found to be answered worse than the "
        f"other {asked.mode} queries; that with “{label}” comes nearest ({apart}).",
        effect=effect.value,
        unit=measure,
        interval=effect.interval,
        p=float(p[number]),
        support=len(table.rows),
        share=1.0,
        mode=asked.mode,
        numbers=(("slices", float(len(table.lattice))),),
        notes=_write_notes(study, table),
        draws=effect.draws,
    )


def _write_notes(study: Study, table: SliceTable) -> tuple[str, ...]:
    few = study.note_permutations(len(study.asked), table.permutations)
    if not table.left_out:
        return few
    every = table.left_out + len(table.lattice)
    tested = f"Tested: the {len(table.lattice):,} of {every:,} slices with the most queries."
    return (tested, *few)


SLICES = Analysis(
    _NAME,
    "Which queries are answered worse than the others?",
    "Δ = mean m of the queries with up to three keywords − mean m of the others, for every such "
    "conjunction that enough queries have; clustered, studentised max-T over permutations; ranked "
    "by |Δ| · √support, without those that a part of them or a worse slice explains.",
    "Queries that count, enough for a keyword of them.",
    find_failing_slices,
)
