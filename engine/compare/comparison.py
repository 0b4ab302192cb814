"""Comparison: two or more systems over the queries that all of them answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

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
    RawDifference,
    SystemLevel,
    compute_differences,
    compute_levels,
    correct_differences,
)
from engine.compare.slices import QueryChange, SliceDifference, compare_slices, find_query_changes
from engine.metrics import Measure, Profile
from engine.results.results import Results

ComparedPairs: TypeAlias = Literal["first", "last", "all"]
"""Each system with the first one, with the last one, or with each other."""


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

    measures  those that are listed, the main one among them
    main      the primary measure: its difference is the verdict of the comparison, and slices and
              single queries are compared by it
    others    the secondary measures, also those that are not listed
    pairs     (baseline, system) as places in `names`
    """

    names: tuple[str, ...]
    language: Profile
    measures: tuple[Measure, ...]
    main: Measure
    others: tuple[Measure, ...]
    pairs: tuple[tuple[int, int], ...]
    modes: tuple[ModeComparison, ...]
    settings: CompareSettings

    def formula(self, measure: Measure) -> str:
        """The measure's formula, under the policies of the baseline."""
        return self.modes[0].part.systems[0].formula(measure)


def compare(
    systems: Sequence[Results],
    *,
    measures: Sequence[Measure] | None = None,
    main: Measure | None = None,
    pairs: ComparedPairs = "first",
    settings: CompareSettings = DEFAULT_COMPARE_SETTINGS,
    report: ProgressHook | None = None,
) -> Comparison:
    """Compare systems with the first of them, each with the last, or each with each.

    Every number comes from the queries that count for all systems. In each mode there are two
    families of tests, over which p-values are corrected: that of `main`, the primary measure, which
    two systems test once, so that nothing is corrected; and that of all other measures that the
    systems share. Which of them are listed (`measures`; by default all) changes no number. Slices
    are a third family of their mode. `main` defaults to the first shared measure's family at its
    largest cut-off, and is always listed. An exception that `report` raises between two measures
    ends the work.
    """
    if len(systems) < 2:
        raise InputError("one system is given", hint="a comparison needs two")
    systems = _make_names_unique(systems)
    asked = tuple(dict.fromkeys(measures or ()))
    for measure in (*asked, *((main,) if main else ())):
        _require_comparable(measure)
        for system in systems:
            system.column(measure)
    shared = _comparable(find_shared_measures(systems))
    main = main or systems[0].language.main(shared)
    found = Comparison(
        names=tuple(system.name for system in systems),
        language=systems[0].language,
        measures=asked if main in asked else (main, *asked) if asked else shared,
        main=main,
        others=tuple(measure for measure in shared if measure != main),
        pairs=_pair(len(systems), pairs),
        modes=(),
        settings=settings,
    )
    modes = tuple(_mode(found, part, report) for part in align_systems(systems))
    return replace(found, modes=modes)


def _pair(count: int, how: ComparedPairs) -> tuple[tuple[int, int], ...]:
    """
    >>> _pair(3, "first"), _pair(3, "last")
    (((0, 1), (0, 2)), ((0, 2), (1, 2)))
    """
    if how == "last":
        return tuple((old, count - 1) for old in range(count - 1))
    first = range(count if how == "all" else 1)
    return tuple((old, new) for old in first for new in range(old + 1, count))


def _mode(whole: Comparison, part: AlignedSystems, report: ProgressHook | None) -> ModeComparison:
    """One mode: measure by measure, then slice by slice."""
    pairs, settings = whole.pairs, whole.settings
    done = 0

    def advance() -> None:
        nonlocal done
        if report:
            report(Step(part.mode, "comparing", done, len(whole.others) + 2))
        done += 1

    def test(measures: Sequence[Measure]) -> dict[Measure, list[Difference]]:
        """One family, corrected over all its tests."""
        found: list[RawDifference] = []
        tests = len(measures) * len(pairs)
        for measure in measures:
            found += compute_differences(part, pairs, measure, settings, tests=tests)
            advance()
        sure = iter(correct_differences(found, settings))
        return {measure: [next(sure) for _ in pairs] for measure in measures}

    advance()
    levels = compute_levels(part, whole.measures, settings)
    tested = test([whole.main]) | test(whole.others)
    slices, few = compare_slices(part, pairs, whole.main, settings)
    advance()
    return ModeComparison(
        part=part,
        levels=levels,
        differences=tuple(one for measure in whole.measures for one in tested[measure]),
        slices=slices,
        few_slices=few,
        notes=tuple(collect_comparison_notes(part, whole.measures, settings)),
    )


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

    changes     every measure that is listed
    others      how many secondary measures their p-values are corrected over
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
    others: int
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
            others=len(found.others),
            settings=found.settings,
        )

    def change(self, measure: Measure) -> MeasureChange:
        return next(change for change in self.changes if change.measure == measure)

    @property
    def counted(self) -> int:
        """Queries that count for the main measure, in both models."""
        return self.change(self.main).difference.n
