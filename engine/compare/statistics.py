"""What two models differ in: the numbers of `engine.compare` for one mode, told step by step.

They are those of `compare` to the last digit; the systems behind them need not be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from engine.base.mode import Mode
from engine.base.progress import Report, Step
from engine.compare import (
    DEFAULT_SETTINGS,
    Aligned,
    Difference,
    Level,
    Settings,
    SliceDifference,
    corrected,
    differences,
    levels,
    slice_differences,
)
from engine.metrics import Measure

_PAIR = ((0, 1),)


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """One measure of two models: where each stands, and how they differ."""

    measure: Measure
    before: Level
    after: Level
    difference: Difference


@dataclass(frozen=True, eq=False)
class Statistics:
    """All that is said of two models beside their single queries.

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
    settings: Settings

    def of(self, measure: Measure) -> MeasureChange:
        return next(change for change in self.changes if change.measure == measure)

    @property
    def counted(self) -> int:
        """Queries that count for the main measure, in both models."""
        return self.of(self.main).difference.n


def statistics_of(
    part: Aligned,
    measures: Sequence[Measure],
    main: Measure,
    settings: Settings = DEFAULT_SETTINGS,
    report: Report | None = None,
) -> Statistics:
    """Compare two systems measure by measure, then slice by slice.

    An exception that `report` raises between two of them ends the work.
    """
    total = len(measures) + 1

    def tell(done: int) -> None:
        if report:
            report(Step(cast(Mode, part.mode), "comparing", done, total))

    tell(0)
    stand: list[tuple[Level, ...]] = []
    found: list[Difference] = []
    for done, measure in enumerate(measures, start=1):
        stand.append(levels(part, [measure], settings))
        found += differences(part, _PAIR, [measure], settings, tests=len(measures))
        tell(done)
    slices, few = slice_differences(part, _PAIR, main, settings)
    tell(total)
    rows = zip(measures, stand, corrected(found), strict=True)
    return Statistics(
        main=main,
        changes=tuple(MeasureChange(m, pair[0], pair[1], d) for m, pair, d in rows),
        slices=slices,
        few_slices=few,
        asked=len(part.keys),
        alone=(part.alone[0], part.alone[1]),
        uneven=part.counted_in_some(main),
        settings=settings,
    )
