"""What it may cost that two keywords are not told apart: places that went to clips which have all
that is asked for but one keyword, and another one of its group in its stead.

    points(q) = min(1, missed / wrong) · so many of the first k results / k

Each such result would be a hit if its w were r: points of m that could be regained at most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.ranking import NO_ITEM
from engine.dataset.clip_set import find_bits
from engine.keywords.instead_counts import number_groups
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class SwapLoss:
    """Swaps among the first results: the bit columns of r and w, and the points of each.

    queries  that were looked at
    """

    right: Ints
    wrong: Ints
    points: Floats
    queries: int

    def average(self, some: Bools) -> float:
        """Points of the mean of m that went to some of the swaps."""
        return float(self.points[some].sum()) / self.queries if self.queries else 0.0


def measure_swap_loss(study: Study, mode: int) -> SwapLoss:
    """Of a result with several other keywords of the group, each has a part of the points."""
    asked, k = study.asked[mode], study.settings.k
    rows = study.sample_queries(asked)
    rows = rows[asked.counted[rows]]
    place, clip, worth = _list_wrong(asked, rows, k)
    bits, truth, mask = asked.queries.bits[rows[place]], study.truth, study.selection.mask
    missing = bits & ~truth.bits[clip]
    single = np.flatnonzero(np.bitwise_count(missing).sum(axis=1) == 1)
    lacked = find_bits(missing[single])[1]
    group = number_groups(truth)
    result, column = find_bits(truth.bits[clip[single]] & ~bits[single] & mask)
    same = group[column] == group[lacked[result]]
    result, column = result[same], column[same]
    several = np.bincount(result, minlength=len(single))
    points = worth[single][result] / np.maximum(several[result], 1)
    return SwapLoss(lacked[result], column, points, len(rows))


def _list_wrong(asked: ModeQueries, rows: Ints, k: int) -> tuple[Ints, Ints, Floats]:
    """Wrong results: the place of the query among the rows, the clip, what its place is worth."""
    indices, hits = (part[rows] for part in asked.top(k))
    found = indices != NO_ITEM
    wrong = found & ~hits
    missed = asked.judged.relevant[rows] - (hits & found).sum(axis=1)
    worth = np.minimum(1.0, missed / np.maximum(wrong.sum(axis=1), 1)) / k
    place, column = np.nonzero(wrong)
    clip = indices[place, column].astype(np.int64)
    return place.astype(np.int64), clip, worth[place].astype(np.float64)
