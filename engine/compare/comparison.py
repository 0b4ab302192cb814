"""Comparison: two or more systems over the queries that all of them answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.base.errors import InputError
from engine.base.progress import ProgressHook, Step
from engine.compare.align import (
    AlignedSystems,
    align_systems,
    collect_comparison_notes,
    find_shared_measures,
)
from engine.compare.compare_settings import DEFAULT_COMPARE_SETTINGS, CompareSettings
from engine.compare.differences import (
    Difference,
    SystemLevel,
    compute_differences,
    compute_levels,
    correct_differences,
)
from engine.compare.slices import QueryChange, SliceDifference, compare_slices, find_query_changes
from engine.metrics import Measure, Profile
from engine.results.results import Results


@dataclass(frozen=True, eq=False)
class ModeComparison:
    """The comparison within one mode.

    few_slices  how many slices have too few queries to be looked at
    """

    part: AlignedSystems
    levels: tuple[SystemLevel, ...]
    differences: tuple[Difference, ...]
    slices: tuple[SliceDifference, ...]
    few_slices: int
    notes: tuple[str, ...]

    @property
    def mode(self) -> str:
        return self.part.mode

    def level(self, system: str, measure: Measure) -> SystemLevel:
        return next(x for x in self.levels if (x.system, x.measure) == (system, measure))

    def of_pair(self, baseline: str, system: str) -> tuple[Difference, ...]:
        pair = baseline, system
        return tuple(d for d in self.differences if (d.baseline, d.system) == pair)

    def changes(
        self, pair: tuple[int, int], measure: Measure, most: int | None = None
    ) -> tuple[QueryChange, ...]:
        """The queries of a pair of systems, worst regression first."""
        return find_query_changes(self.part, pair, measure, most)


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that a comparison found.

    pairs  (baseline, system) as places in `names`
    main   the measure by which slices and single queries are compared
    """

    names: tuple[str, ...]
    language: Profile
    measures: tuple[Measure, ...]
    main: Measure
    pairs: tuple[tuple[int, int], ...]
    modes: tuple[ModeComparison, ...]
    settings: CompareSettings

    @property
    def tests(self) -> int:
        """How many tests were made; p-values are corrected over all of them."""
        return len(self.measures) * len(self.pairs) * len(self.modes)

    def formula(self, measure: Measure) -> str:
        """The measure's formula, under the policies of the baseline."""
        return self.modes[0].part.systems[0].formula(measure)


def compare(
    systems: Sequence[Results],
    *,
    measures: Sequence[Measure] | None = None,
    main: Measure | None = None,
    all_pairs: bool = False,
    settings: CompareSettings = DEFAULT_COMPARE_SETTINGS,
    report: ProgressHook | None = None,
) -> Comparison:
    """Compare systems with the first of them, or (`all_pairs`) each with each.

    Every number comes from the queries that count for all systems. p-values of the permutation
    test are corrected over all modes, pairs and measures; those of slices over the slices of their
    mode. `main` defaults to the first measure's family at its largest cut-off. An exception that
    `report` raises between two measures ends the work.
    """
    if len(systems) < 2:
        raise InputError("one system is given", hint="a comparison needs two")
    systems = _make_names_unique(systems)
    asked = tuple(measures) if measures else _comparable(find_shared_measures(systems))
    for measure in asked:
        _require_comparable(measure)
        for system in systems:
            system.column(measure)
    main = main or systems[0].language.main(asked)
    count = len(systems)
    pairs = tuple(
        (old, new) for old in range(count if all_pairs else 1) for new in range(old + 1, count)
    )
    parts = align_systems(systems)
    found = Comparison(
        names=tuple(system.name for system in systems),
        language=systems[0].language,
        measures=asked,
        main=main,
        pairs=pairs,
        modes=(),
        settings=settings,
    )
    tests = len(pairs) * len(asked) * len(parts)
    return correct_modes(
        replace(found, modes=tuple(_mode(found, part, tests, report) for part in parts))
    )


def _mode(
    whole: Comparison, part: AlignedSystems, tests: int, report: ProgressHook | None
) -> ModeComparison:
    """One mode, measure by measure, then slice by slice; p-values are not corrected yet."""
    measures, pairs, settings = whole.measures, whole.pairs, whole.settings
    found: list[Difference] = []

    def report_done(done: int) -> None:
        if report:
            report(Step(part.mode, "comparing", done, len(measures) + 1))

    report_done(0)
    levels = compute_levels(part, measures, settings)
    for done, measure in enumerate(measures, start=1):
        found += compute_differences(part, pairs, measure, settings, tests=tests)
        report_done(done)
    slices, few = compare_slices(part, pairs, whole.main, settings)
    report_done(len(measures) + 1)
    notes = tuple(collect_comparison_notes(part, measures, settings))
    return ModeComparison(part, levels, tuple(found), slices, few, notes)


def correct_modes(found: Comparison) -> Comparison:
    """The comparison with the p-values of its differences corrected for how many there are."""
    sure = iter(correct_differences([d for mode in found.modes for d in mode.differences]))
    modes = [
        replace(mode, differences=tuple(next(sure) for _ in mode.differences))
        for mode in found.modes
    ]
    return replace(found, modes=tuple(modes))


def _comparable(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    found = tuple(measure for measure in measures if measure.aggregate != "pooled")
    if not found:
        _require_comparable(measures[0])
    return found


def _require_comparable(measure: Measure) -> None:
    if measure.aggregate == "pooled":
        raise InputError(
            f"{measure} pools the items of all queries: it has no value per query to compare",
            hint="compare MedR or MnR",
        )


def _make_names_unique(systems: Sequence[Results]) -> tuple[Results, ...]:
    """Systems whose names differ: a name that occurs again gets a number."""
    seen: dict[str, int] = {}
    found = []
    for system in systems:
        seen[system.name] = number = seen.get(system.name, 0) + 1
        found.append(replace(system, name=f"{system.name} ({number})") if number > 1 else system)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """One measure of two models: where each stands, and how they differ."""

    measure: Measure
    before: SystemLevel
    after: SystemLevel
    difference: Difference


@dataclass(frozen=True, eq=False)
class PairStatistics:
    """Everything about two models except their single queries.

    changes     every measure
    tests       over how many their p-values are corrected: those of other modes count too
    slices      by the main measure, worst first
    few_slices  how many slices have too few queries to be looked at
    asked       queries that both models were asked
    alone       how many more each of them was asked
    uneven      queries that count for one model only: they count for neither here
    """

    main: Measure
    changes: tuple[MeasureChange, ...]
    slices: tuple[SliceDifference, ...]
    few_slices: int
    asked: int
    alone: tuple[int, int]
    uneven: int
    tests: int
    settings: CompareSettings

    @classmethod
    def of(cls, found: Comparison, mode: ModeComparison) -> PairStatistics:
        """Of one mode in which two systems were compared."""
        part, (before, after) = mode.part, found.names
        return cls(
            main=found.main,
            changes=tuple(
                MeasureChange(m, mode.level(before, m), mode.level(after, m), difference)
                for difference in mode.differences
                for m in (difference.measure,)
            ),
            slices=mode.slices,
            few_slices=mode.few_slices,
            asked=len(part.keys),
            alone=(part.alone[0], part.alone[1]),
            uneven=part.counted_in_some(found.main),
            tests=found.tests,
            settings=found.settings,
        )

    def change(self, measure: Measure) -> MeasureChange:
        return next(change for change in self.changes if change.measure == measure)

    @property
    def counted(self) -> int:
        """Queries that count for the main measure, in both models."""
        return self.change(self.main).difference.n
