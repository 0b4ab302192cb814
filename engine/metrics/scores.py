"""Scores: per-query values by measure, from which every mean and interval is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.metrics.measure import Measure


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The values of q queries for m measures.

    values    (q, m) float64; NaN: the query does not count for that measure
    left_out  (q,) queries without a relevant item, left out of every mean
    bounds    (m,) how many ranks behind a value are only lower bounds: queries without a hit in
              the list for MedR and MnR, relevant items outside it for MedR(all); each stands
              at one more than the deepest rank that was looked at
    pooled    count of relevant items by twice their rank, for MedR(all); a tied item may stand
              at half a rank
    cut_at    depth at which rankings were cut; None if nothing ranks below the lists
    exact_first_rank  the rank of the first relevant item was given, not looked up in the list
    """

    measures: tuple[Measure, ...]
    values: Floats
    left_out: Bools
    bounds: Ints
    pooled: Ints
    cut_at: int | None = None
    exact_first_rank: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def skipped(self) -> int:
        """Queries left out of the means because they have no relevant item."""
        return int(np.count_nonzero(self.left_out))

    @property
    def n(self) -> int:
        """Queries that count."""
        return len(self) - self.skipped

    def column(self, measure: Measure) -> Floats:
        """(q,) the measure's value for every query; NaN where it does not count."""
        return self.values[:, self._place(measure)]

    def counted(self, measure: Measure) -> Floats:
        """The values that count, without NaN."""
        column = self.column(measure)
        return column[~np.isnan(column)]

    def mean(self, measure: Measure) -> float:
        """Arithmetic mean of the values that count; NaN if there are none."""
        values = self.counted(measure)
        return float(values.mean()) if len(values) else float("nan")

    def std(self, measure: Measure) -> float:
        """Sample standard deviation over queries (ddof = 1); NaN for fewer than two."""
        values = self.counted(measure)
        return float(values.std(ddof=1)) if len(values) > 1 else float("nan")

    def aggregate(self, measure: Measure) -> float:
        """The number to report: mean, median (MedR) or pooled median (MedR(all))."""
        if measure.aggregate == "pooled":
            return _median_of_counts(self.pooled) / 2
        if measure.aggregate == "median":
            values = self.counted(measure)
            return float(np.median(values)) if len(values) else float("nan")
        return self.mean(measure)

    def lower_bounds(self, measure: Measure) -> int:
        """How many ranks behind the measure are only lower bounds."""
        return int(self.bounds[self._place(measure)])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know beside the numbers, one sentence each."""
        notes = []
        if self.skipped:
            notes.append(f"{self.skipped} of {len(self)} queries have no relevant item: left out")
        for measure in self.measures:
            note = self._cut_note(measure)
            if note:
                notes.append(f"{measure}: {note}")
        return tuple(notes)

    def _cut_note(self, measure: Measure) -> str:
        bounds = self.lower_bounds(measure)
        if bounds:
            pooled = measure.aggregate == "pooled"
            total = int(self.pooled.sum()) if pooled else len(self.counted(measure))
            what = "relevant items were" if pooled else "first relevant items were"
            exact = measure.aggregate != "mean" and 2 * bounds < total
            verdict = "the median is exact" if exact else "the value is a lower bound"
            return f"{bounds} of {total} {what} not found; {verdict}"
        needs_list = measure.definition.needs_list or not self.exact_first_rank
        cut = measure.needs_full_ranking and self.cut_at is not None and needs_list
        if cut and measure.definition.bounds is None:
            return f"rankings were cut at {self.cut_at}; relevant items below count as not found"
        return ""

    def _place(self, measure: Measure) -> int:
        try:
            return self.measures.index(measure)
        except ValueError:
            raise KeyError(f"{measure} was not computed") from None

    @classmethod
    def concat(cls, chunks: Sequence[Scores]) -> Scores:
        """The scores of several chunks of queries, as if they had been scored at once."""
        if not chunks:
            raise ValueError("no chunks to concatenate")
        if any(chunk.measures != chunks[0].measures for chunk in chunks):
            raise ValueError("chunks must have the same measures in the same order")
        cuts = [chunk.cut_at for chunk in chunks if chunk.cut_at is not None]
        pooled = np.zeros(max(len(chunk.pooled) for chunk in chunks), dtype=np.int64)
        for chunk in chunks:
            pooled[: len(chunk.pooled)] += chunk.pooled
        return cls(
            measures=chunks[0].measures,
            values=np.concatenate([chunk.values for chunk in chunks]),
            left_out=np.concatenate([chunk.left_out for chunk in chunks]),
            bounds=np.sum([chunk.bounds for chunk in chunks], axis=0),
            pooled=pooled,
            cut_at=min(cuts, default=None),
            exact_first_rank=all(chunk.exact_first_rank for chunk in chunks),
        )


def _median_of_counts(counts: Ints) -> float:
    """Median of the numbers 0, 1, 2 … that occur `counts` times; NaN of nothing.

    >>> _median_of_counts(np.array([0, 2, 0, 2]))
    2.0
    """
    total = int(counts.sum())
    if total == 0:
        return float("nan")
    middle = np.searchsorted(np.cumsum(counts), [(total - 1) // 2, total // 2], side="right")
    return float(middle.mean())


STD_DDOF = 1
"""Degrees of freedom taken off in every std; written into every result."""
