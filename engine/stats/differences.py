"""Differences of two systems, query by query, without the noise of floats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats
from engine.stats.samples import check_sample

DECIMALS = 12


def paired_differences(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """first − second for every query, rounded to 12 decimals.

    0.8 − 0.6 and 0.4 − 0.2 are the same difference, and the ranks of Wilcoxon's test must be told
    so: on values that are fifths, the unrounded differences move its p-value by as much as 0.3.

    >>> paired_differences([0.8, 0.4], [0.6, 0.2]).tolist()
    [0.2, 0.2]
    """
    a, b = check_sample(first), check_sample(second)
    if len(a) != len(b):
        raise ValueError(f"expected values of the same queries, got {len(a)} and {len(b)}")
    rounded: Floats = np.round(a - b, DECIMALS)
    return rounded
