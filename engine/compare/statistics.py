"""What two models differ in: the numbers of `engine.compare` for one mode, reported step by step.

They are those of `compare` to the last digit; the systems behind them need not be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from engine.base.mode import Mode
from engine.base.progress import ProgressHook, Step
from engine.compare import (
    DEFAULT_COMPARE_SETTINGS,
    AlignedSystems,
    CompareSettings,
    Difference,
    SliceDifference,
    SystemLevel,
    compare_slices,
    compute_differences,
    compute_levels,
    correct_differences,
)
from engine.metrics import Measure

_PAIR = ((0, 1),)


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

    changes     every measure; p-values are corrected over all of them
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
    settings: CompareSettings

    def of(self, measure: Measure) -> MeasureChange:
        return next(change for change in self.changes if change.measure == measure)

    @property
    def counted(self) -> int:
        """Queries that count for the main measure, in both models."""
        return self.of(self.main).difference.n


def compute_pair_statistics(
    part: AlignedSystems,
    measures: Sequence[Measure],
    main: Measure,
    settings: CompareSettings = DEFAULT_COMPARE_SETTINGS,
    report: ProgressHook | None = None,
) -> PairStatistics:
    """Compare two systems measure by measure, then slice by slice.

    An exception that `report` raises between two of them ends the work.
    """
    total = len(measures) + 1

    def report_done(done: int) -> None:
        if report:
            report(Step(cast(Mode, part.mode), "comparing", done, total))

    report_done(0)
    stand: list[tuple[SystemLevel, ...]] = []
    found: list[Difference] = []
    for done, measure in enumerate(measures, start=1):
        stand.append(compute_levels(part, [measure], settings))
        found += compute_differences(part, _PAIR, [measure], settings, tests=len(measures))
        report_done(done)
    slices, few = compare_slices(part, _PAIR, main, settings)
    report_done(total)
    rows = zip(measures, stand, correct_differences(found), strict=True)
    return PairStatistics(
        main=main,
        changes=tuple(MeasureChange(m, pair[0], pair[1], d) for m, pair, d in rows),
        slices=slices,
        few_slices=few,
        asked=len(part.keys),
        alone=(part.alone[0], part.alone[1]),
        uneven=part.counted_in_some(main),
        settings=settings,
    )
