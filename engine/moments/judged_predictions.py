"""JudgedPredictions: those of one task beside the truth. Every number about moments, and what a
screen shows of them, comes from this one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.moments.moments_source import Task
from engine.moments.truth import MomentTruth


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
        """Per query the rank of its first hit; 0 if it has none.

        >>> from engine.moments.tvr.scoring import judge_lists
        >>> found = [("b", 10, 20), ("a", 10, 14), ("a", 10, 20)]
        >>> judge_lists("VCMR", [("a", [(10, 20)])], [found]).first_ranks(0.5).tolist()
        [3]
        """
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
