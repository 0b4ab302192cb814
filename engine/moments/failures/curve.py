"""Recall over k and IoU: how much of a miss is the rank, and how much the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats
from engine.moments.assessed import Assessed

CURVE_IOUS = tuple(tenths / 10 for tenths in range(1, 10))


@dataclass(frozen=True, eq=False)
class Curve:
    """values[i, j]: the share of queries with a hit among the first ks[i] at ious[j], 0 to 1."""

    ks: tuple[int, ...]
    ious: tuple[float, ...]
    values: AnyFloats


def recall_curve(
    assessed: Assessed, ks: Sequence[int], ious: Sequence[float] = CURVE_IOUS
) -> Curve:
    """R@k at every IoU; NaN without queries. In VR times are ignored: all columns are the same.

    >>> from engine.moments.from_lists import assess_lists
    >>> assessed = assess_lists("VCMR", [("a", [(10, 20)])], [[("b", 10, 20), ("a", 10, 16)]])
    >>> recall_curve(assessed, ks=(1, 5), ious=(0.5, 0.7)).values.tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    values = np.full((len(ks), len(ious)), np.nan)
    for column, iou in enumerate(ious if len(assessed) else ()):
        if assessed.task == "VR" and column:
            values[:, column] = values[:, 0]
            continue
        first = assessed.first_ranks(iou)
        ranks = np.sort(first[first > 0])
        values[:, column] = np.searchsorted(ranks, ks, side="right") / len(assessed)
    return Curve(tuple(ks), tuple(ious), values)
