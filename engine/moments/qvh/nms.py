"""Leaving out windows that say what a better one has said (non-maximum suppression)."""

from __future__ import annotations

import numpy as np

from engine.moments.nms import survivors
from engine.moments.qvh.numbers import Ragged


def suppress(windows: Ragged, most_overlap: float) -> Ragged:
    """Per query the windows that remain, best score first.

    In the order of scores (equal scores: in the order of the list), a window is dropped if its hull
    IoU with a window that stays is more than `most_overlap`.

    >>> windows = np.array([[0.0, 10.0, 0.5], [0.0, 9.0, 0.9], [20.0, 30.0, 0.1]])
    >>> suppress(Ragged.of([3], windows), 0.5).values
    array([[ 0. ,  9. ,  0.9],
           [20. , 30. ,  0.1]])
    """
    queries = windows.queries  # in its order windows remain sorted by query
    values = windows.values[np.lexsort((-windows.values[:, 2], queries))]
    stays = survivors(queries, np.zeros_like(queries), values[:, :2], most_overlap)
    return Ragged.of(np.bincount(queries[stays], minlength=len(windows.counts)), values[stays])
