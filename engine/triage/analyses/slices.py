"""Which queries are answered worse than the others: slices of up to three keywords."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.messages import pluralise
from engine.base.ranking import NO_ITEM
from engine.stats.max_t import MaxT, max_t
from engine.triage.analyses.slice_lattice import NO_PART, SliceLattice, find_conjunctions
from engine.triage.analysis import Analysis
from engine.triage.effect import Effect, choose_needed
from engine.triage.finding import Exhibit, Finding, Topic, make_unknown
from engine.triage.mode_queries import ModeQueries
from engine.triage.settings import TriageSettings
from engine.triage.study import Study, unpack_columns
from engine.triage.wording import describe_interval, format_points, format_signed_points

_NAME = "slices"

_MOST = 20
"""Findings of each mode."""

_NEAREST = 3
"""Slices that are told of where none is found."""

_CANDIDATES = 200
"""Slices among which those that another one explains are looked for."""

_SHOWN = 10
"""Queries and clips of each finding."""

_MOST_WORK = 2.5e10
"""Permutations × slices × clusters: of more slices those of the most queries are tested."""

_FEWEST_PERMUTATIONS = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class SliceTable:
    """The slices of one mode, tested together.

    rows     the queries that count
    values   (n,) m of each
    columns  (c,) bit columns of the keywords that `lattice.parts` numbers
    items    (n, c) which query has which
    lattice  the slices that were tested
    tests    what came of it
    left_out  slices that were not tested, as there are too many
    """

    rows: Ints
    values: Floats
    columns: Ints
    items: Bools
    lattice: SliceLattice
    tests: MaxT
    left_out: int

    def inside(self, number: int) -> Bools:
        """(n,) the queries of a slice."""
        return self.lattice.members(np.array([number]))[:, 0]

    def parts(self, number: int) -> tuple[int, ...]:
        return tuple(part for part in self.lattice.parts[number].tolist() if part != NO_PART)

    def contrast(self, inside: Bools) -> float:
        """Δ of any queries."""
        return contrast(self.values, inside)


def contrast(values: Floats, inside: Bools) -> float:
    """The mean inside minus the mean outside."""
    return float(values[inside].mean() - values[~inside].mean())


def measure_slices(study: Study, mode: int) -> SliceTable | None:
    """All conjunctions of up to three keywords that enough of the queries have; None: no such."""
    asked, settings = study.asked[mode], study.settings
    rows = np.flatnonzero(asked.counted)
    columns = study.selection.columns
    items = unpack_columns(asked.judged.query_bits[rows], columns)
    lattice = find_conjunctions(items, settings.least_support)
    if not len(lattice):
        return None
    study.beat()
    clusters = asked.clusters[rows]
    kept, permutations = _limit(lattice, len(np.unique(clusters)), settings)
    lattice, left_out = lattice.take(kept), len(lattice) - len(kept)
    tests = max_t(
        asked.values[rows],
        lattice.sparse_members(),
        clusters=clusters,
        permutations=permutations,
        seed=settings.seed,
        alternative="less",
    )
    return SliceTable(rows, asked.values[rows], columns, items, lattice, tests, left_out)


def _limit(lattice: SliceLattice, clusters: int, settings: TriageSettings) -> tuple[Ints, int]:
    """The slices that are tested, and by how many permutations."""
    work = _MOST_WORK / max(1, clusters)
    most = int(work / min(settings.resamples, _FEWEST_PERMUTATIONS))
    kept = np.arange(len(lattice))
    if len(lattice) > most:
        kept = np.sort(np.argsort(-lattice.support, kind="stable")[:most])
    enough = int(work / len(kept))
    fewest = min(settings.resamples, _FEWEST_PERMUTATIONS)
    return kept, max(fewest, min(settings.resamples, enough))


def find_slices(study: Study) -> Iterator[Finding]:
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
        effects = _estimate(study, asked, table, chosen)
        for number, effect in zip(chosen, effects, strict=True):
            study.beat()
            yield _describe(study, asked, table, number, float(p[number]), effect)
        yield _summarise(study, asked, table, chosen, effects, p)


def choose_slices(table: SliceTable, p: Floats, settings: TriageSettings) -> list[int]:
    """Those that are found, by |Δ| · √support, but for what another one explains; where none is,
    those that come nearest.

    A slice is left out if a part of it has the same Δ but for the margin: its last keyword adds
    nothing; or if without the queries of those before it, it is no worse than the others.
    """
    delta, support = table.tests.difference, table.tests.support
    score = np.where(delta < 0, -delta * np.sqrt(support), 0.0)
    found = np.flatnonzero((p <= settings.alpha) & (delta < 0))
    if not len(found):
        known = np.flatnonzero(np.isfinite(table.tests.t))
        return known[np.lexsort((known, table.tests.t[known]))][:_NEAREST].tolist()
    order = found[np.argsort(-score[found], kind="stable")][:_CANDIDATES]
    own = [one for one in order.tolist() if not _is_explained(table, one, settings.margin)]
    chosen: list[int] = []
    covered = np.zeros(len(table.rows), np.bool_)
    for number in own or order[:1].tolist():
        rest = table.inside(number) & ~covered
        if chosen and (
            2 * rest.sum() < settings.least_support or table.contrast(rest) > -settings.margin
        ):
            continue
        chosen.append(number)
        covered |= rest
        if len(chosen) == _MOST or covered.all():
            break
    return chosen


def _is_explained(table: SliceTable, number: int, margin: float) -> bool:
    """Whether a part of the conjunction has the same Δ."""
    parts, delta = table.parts(number), table.tests.difference[number]
    for size in range(1, len(parts)):
        for some in combinations(parts, size):
            inside = table.items[:, some].all(axis=1)
            if not inside.all() and abs(table.contrast(inside) - delta) <= margin:
                return True
    return False


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
    words = study.truth.words.keywords
    topic = Topic("slice", tuple(str(words[table.columns[at]]) for at in table.parts(number)))
    count, measure = int(inside.sum()), settings.measure
    mean, others = table.values[inside].mean(), table.values[~inside].mean()
    judged = asked.judged
    relevant = judged.relevant[table.rows]
    ceiling = np.minimum(relevant, settings.k) / settings.k
    chance = relevant / judged.collection[table.rows]
    owed = contrast(ceiling, inside)
    limited = effect.value < 0 and owed <= effect.value / 2
    apart = f"{format_points(mean)} against {format_points(others)}"
    which = f"the {pluralise(count, f'{asked.mode} query')} with '{topic.label}'"
    because = f"; by {format_points(-owed)} fewer could be found at best" if limited else ""
    interval = describe_interval(effect.interval)
    return Finding(
        analysis=_NAME,
        subject=topic,
        claim=f"{which.capitalize()} have {format_points(-effect.value)} points of {measure} less "
        f"than the others ({apart}, {interval} of the difference){because}.",
        otherwise=f"{which.capitalize()} are not found to be answered worse than the others: "
        f"{format_signed_points(effect.value)} points of {measure} ({apart}, {interval}).",
        effect=effect.value,
        unit=measure,
        interval=effect.interval,
        p=p,
        cost=-1.0,
        support=count,
        share=count / len(table.rows),
        needed=choose_needed(count, effect.interval, settings.margin),
        mode=asked.mode,
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
        notes=_write_notes(table),
        draws=effect.draws,
    )


def _advise(limited: bool, label: str) -> str:
    if limited:
        return f"few clips are relevant to '{label}': annotate more, or judge these by recall"
    return f"look at the worst of these queries; blame says which keyword of '{label}' costs most"


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
    words = study.truth.words.keywords
    names = tuple(str(words[table.columns[at]]) for at in table.parts(number))
    label, measure = Topic("slice", names).label, study.settings.measure
    apart = f"{format_signed_points(effect.value)} points of {measure}, {describe_interval(effect.interval)}"
    slices = pluralise(len(table.lattice), "slice")
    return Finding(
        analysis=_NAME,
        subject=Topic("model"),
        claim=f"Of {slices} of {asked.mode} queries, that with '{label}' is most clearly answered "
        f"worse than the others ({apart}).",
        otherwise=f"No slice of {len(table.lattice):,} is found to be answered worse than the "
        f"other {asked.mode} queries; that with '{label}' comes nearest ({apart}).",
        effect=effect.value,
        unit=measure,
        interval=effect.interval,
        p=float(p[number]),
        support=len(table.rows),
        share=1.0,
        mode=asked.mode,
        numbers=(("slices", float(len(table.lattice))),),
        notes=_write_notes(table),
        draws=effect.draws,
    )


def _write_notes(table: SliceTable) -> tuple[str, ...]:
    if not table.left_out:
        return ()
    every = table.left_out + len(table.lattice)
    return (f"Tested: the {len(table.lattice):,} of {every:,} slices with the most queries.",)


ANALYSIS = Analysis(
    _NAME,
    "Which queries are answered worse than the others?",
    "Δ = mean m of the queries with up to three keywords − mean m of the others, for every such "
    "conjunction that enough queries have; clustered, studentised max-T over permutations; ranked "
    "by |Δ| · √support, without those that a part of them or a worse slice explains.",
    "Queries that count, enough for a keyword of them.",
    find_slices,
)
