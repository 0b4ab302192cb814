"""Interpolated precision at every hit of many rankings at once.

Sums are taken over rankings with equally many hits, as rows of a matrix: numpy then adds the
numbers of a row in the order in which it adds a vector, and the result is the same to the last bit
as when every ranking is treated by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts


def number_hits(rows: AnyInts, counts: AnyInts) -> AnyInts:
    """The number of every hit within its row, from 1. `rows` rise; `counts` are hits per row.

    >>> number_hits(np.array([0, 0, 2]), np.array([2, 0, 1]))
    array([1, 2, 1])
    """
    return np.arange(1, len(rows) + 1) - (np.cumsum(counts) - counts)[rows]


def find_best_precisions(
    precisions: AnyFloats, counts: AnyInts
) -> Iterator[tuple[AnyInts, AnyFloats]]:
    """The best precision at a hit or at any later one, for rows of equally many hits at a time.

    precisions  at every hit, row after row
    counts      hits per row

    Gives the rows and a matrix, one row each, the last hit first. Rows without a hit are left out.

    >>> list(find_best_precisions(np.array([0.5, 1.0, 0.25]), np.array([2, 0, 1])))
    [(array([2]), array([[0.25]])), (array([0]), array([[1., 1.]]))]
    """
    starts = np.cumsum(counts) - counts
    order = np.argsort(counts, kind="stable")
    ends = np.cumsum(np.bincount(counts)).tolist()
    for length, (first, end) in enumerate(pairwise(ends), 1):
        if first < end:
            rows = order[first:end]
            matrix = precisions[starts[rows, None] + np.arange(length - 1, -1, -1)]
            yield rows, np.maximum.accumulate(matrix, axis=1)
