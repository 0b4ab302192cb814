"""score: a batch of judged rankings in, per-query values by measure out; every mean and interval is
computed from these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.choices import NoRelevantPolicy, TiePolicy
from engine.base.errors import InputError
from engine.metrics.measure import Measure
from engine.metrics.qrels import name_query
from engine.metrics.relevance import Relevance
from engine.metrics.tally import Tally
from engine.metrics.ties import ExpectedTally


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
    """

    measures: tuple[Measure, ...]
    values: Floats
    left_out: Bools
    bounds: Ints
    pooled: Ints
    cut_at: int | None = None

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
        cut = measure.cutoff is None and self.cut_at is not None
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


def score(
    relevance: Relevance,
    measures: Sequence[Measure],
    *,
    no_relevant: NoRelevantPolicy = "skip",
    ties: TiePolicy = "insertion",
    names: Sequence[str] | None = None,
) -> Scores:
    """Per-query values of `measures`, all computed from one pass over the hits.

    With `ties="docid_desc"` the ranking must have been reordered before it was judged.
    `names` are the queries' names, for errors.

    >>> judged = Relevance.of_hits([[1, 0, 1, 0, 0], [0, 1, 0, 0, 0]], relevant=[10, 1])
    >>> scores = score(judged, [Measure.parse("AP@5"), Measure.parse("RR@5")])
    >>> scores.values.round(3)
    array([[0.167, 1.   ],
           [0.5  , 0.5  ]])
    >>> scores.mean(Measure.parse("RR@5"))
    0.75
    """
    measures = tuple(measures)
    _require_depth(relevance, measures)
    without = np.asarray(relevance.relevant) == 0
    if no_relevant == "error" and without.any():
        raise InputError(
            f"{name_query(int(np.argmax(without)), names)} has no relevant item",
            hint="leave such queries out with --no-relevant skip",
        )
    tally = ExpectedTally(relevance) if ties == "expected" else Tally(relevance)
    values = np.empty((len(relevance), len(measures)))
    for column, measure in enumerate(measures):
        k = tally.depth if measure.cutoff is None else measure.cutoff
        values[:, column] = measure.definition.compute(tally, k)
    left_out = without if no_relevant == "skip" else np.zeros_like(without)
    values[left_out] = np.nan
    return Scores(
        measures=measures,
        values=values,
        left_out=left_out,
        bounds=np.array([_bounds(tally, measure) for measure in measures], dtype=np.int64),
        pooled=_pooled_ranks(tally, measures),
        cut_at=None if relevance.complete else relevance.depth,
    )


def find_required_depth(measures: Sequence[Measure]) -> int | None:
    """How deep rankings must be for all measures; None if one of them needs the full ranking.

    >>> find_required_depth([Measure.parse("P@5"), Measure.parse("nDCG@10")])
    10
    """
    depths = [measure.cutoff for measure in measures]
    known = [depth for depth in depths if depth is not None]
    return max(known, default=0) if len(known) == len(depths) else None


def _require_depth(relevance: Relevance, measures: Sequence[Measure]) -> None:
    if relevance.complete:
        return
    for measure in measures:
        if measure.cutoff is not None and measure.cutoff > relevance.depth:
            raise ValueError(
                f"{measure} needs the top {measure.cutoff}, the rankings are cut at "
                f"{relevance.depth}; pass complete=True if nothing ranks below"
            )


def _bounds(tally: Tally, measure: Measure) -> int:
    count = measure.definition.bounds
    return 0 if count is None else int(count(tally).sum())


def _pooled_ranks(tally: Tally, measures: Sequence[Measure]) -> Ints:
    """Relevant items by twice their rank; those not found stand at depth + 1."""
    if not any(measure.aggregate == "pooled" for measure in measures):
        return np.zeros(0, dtype=np.int64)
    doubled: Floats = tally.hit_ranks() * 2
    beyond = 2 * (tally.depth + 1)
    counts = np.bincount(np.rint(doubled).astype(np.int64), minlength=beyond + 1)
    counts[beyond] += int(tally.unfound().sum())
    return counts.astype(np.int64)
