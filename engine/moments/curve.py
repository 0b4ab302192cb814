"""Recall over k and IoU: how much of a miss is the rank, and how much the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.moments.assessed import Assessed
from engine.moments.truth import Floats

CURVE_IOUS = tuple(tenths / 10 for tenths in range(1, 10))


@dataclass(frozen=True, eq=False)
class Curve:
    """values[i, j]: the share of queries with a hit among the first ks[i] at ious[j], 0 to 1."""

    ks: tuple[int, ...]
    ious: tuple[float, ...]
    values: Floats


def recall_curve(
    assessed: Assessed, ks: Sequence[int], ious: Sequence[float] = CURVE_IOUS
) -> Curve:
    """R@k at every IoU; NaN without queries. In VR times are ignored: all columns are the same."""
    values = np.full((len(ks), len(ious)), np.nan)
    for column, iou in enumerate(ious if len(assessed) else ()):
        if assessed.task == "VR" and column:
            values[:, column] = values[:, 0]
            continue
        first = assessed.first_ranks(iou)
        ranks = np.sort(first[first > 0])
        values[:, column] = np.searchsorted(ranks, ks, side="right") / len(assessed)
    return Curve(tuple(ks), tuple(ious), values)
