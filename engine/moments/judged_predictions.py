"""The truth, the predictions of one task, and JudgedPredictions: both side by side. Every number
about moments, and what a screen shows of them, comes from this one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.moments.tasks import Task

QueryId: TypeAlias = int | str
"""What a query is called: `desc_id` of TVR, `qid` of QVHighlights."""


TYPES = ("v", "t", "vt")
"""What a description of TVR speaks of: the video, its text (subtitles), or both."""


@dataclass(frozen=True, eq=False)
class MomentTruth:
    """One row per query, in the order of the file.

    videos        the name of the right video
    durations     its length in seconds; NaN where the file does not say
    span_offsets  the spans of query i are spans[span_offsets[i]:span_offsets[i + 1]]
    spans         start and end in seconds, one row per span, float64
    types         per query an index into TYPES; None if the file has no types
    lines         the line of the file, from 1
    notes         what the user should know about the file
    """

    file: Path
    ids: tuple[QueryId, ...]
    texts: tuple[str, ...]
    videos: tuple[str, ...]
    durations: AnyFloats
    span_offsets: AnyInts
    spans: AnyFloats
    types: AnyInts | None
    lines: AnyInts
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def spans_of(self, row: int) -> AnyFloats:
        """The spans of one query, (n, 2)."""
        return self.spans[self.span_offsets[row] : self.span_offsets[row + 1]]

    @cached_property
    def span_counts(self) -> AnyInts:
        return np.diff(self.span_offsets)

    @cached_property
    def moment_lengths(self) -> AnyFloats:
        """Seconds per query: the mean over its spans; NaN for a query without any."""
        queries = np.repeat(np.arange(len(self)), self.span_counts)
        lengths = self.spans[:, 1] - self.spans[:, 0]
        totals = np.bincount(queries, weights=lengths, minlength=len(self))
        means = np.full(len(self), np.nan)
        np.divide(totals, self.span_counts, out=means, where=self.span_counts > 0)
        return means

    @cached_property
    def row_of(self) -> dict[QueryId, int]:
        return {id_: row for row, id_ in enumerate(self.ids)}


@dataclass(frozen=True, eq=False)
class Predictions:
    """One ranked list per query of the truth, in its order, best first.

    offsets  the predictions of query i are those from offsets[i] to offsets[i + 1]
    videos   the index of the predicted video
    spans    start and end in seconds, one row per prediction
    scores   what the system thought of each; None if they were not read
    names    the video of an index; an index that no video has is not in it
    """

    offsets: AnyInts
    videos: AnyInts
    spans: AnyFloats
    scores: AnyFloats | None
    names: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def queries(self) -> AnyInts:
        """The query (row) of every prediction."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.offsets))

    def of(self, row: int) -> slice:
        """Where the predictions of one query stand."""
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))


@dataclass(frozen=True, eq=False)
class JudgedPredictions:
    """Predictions with what the rules say about each.

    right  whether the video is the right one
    ious   the overlap that counts, 0 in a wrong video: with the one span, with the best of two or
           three, with the second best of four or more in TVR (see `needs_two`)
    ranks  the rank that is compared with k, from 1; 0 for what does not count: predictions beyond
           the first 100, and in SVMR those in another video, which are left out before k is counted
    """

    task: Task
    truth: MomentTruth
    predictions: Predictions
    right: Bools
    ious: AnyFloats
    ranks: AnyInts

    def __len__(self) -> int:
        return len(self.truth)

    def correct(self, iou: float | None) -> Bools:
        """Which predictions count as hits: right video and an overlap of at least `iou`.

        In VR times are ignored, and `iou` with them.
        """
        if self.task == "VR" or iou is None:
            return self.right & (self.ranks > 0)
        # A Python float takes the array's precision: TVR compares in float32.
        return (self.ious >= float(iou)) & self.right & (self.ranks > 0)

    def first_ranks(self, iou: float | None) -> AnyInts:
        """Per query the rank of its first hit; 0 if it has none."""
        return self._first(self.correct(iou))

    @cached_property
    def right_ranks(self) -> AnyInts:
        """Per query the rank of the first prediction in the right video; 0 if there is none."""
        return self._first(self.right & (self.ranks > 0))

    def best_ious(self, k: int | None = None) -> AnyFloats:
        """Per query the best overlap among the first k predictions that count; 0 without any."""
        counts = self.ranks > 0 if k is None else (self.ranks > 0) & (self.ranks <= k)
        best = np.zeros(len(self), self.ious.dtype)
        np.maximum.at(best, self.predictions.queries[counts], self.ious[counts])
        return best

    def _first(self, hits: Bools) -> AnyInts:
        places = np.flatnonzero(hits)[::-1]  # backwards: of several hits the first is written last
        first = np.zeros(len(self), np.int32)
        first[self.predictions.queries[places]] = self.ranks[places]
        return first
