"""Leaving out windows that say what a better one has said (non-maximum suppression)."""

from __future__ import annotations

import numpy as np

from engine.moments.qvh_numbers import Ragged
from engine.moments.qvh_overlaps import hull_iou
from engine.moments.truth import Bools, Floats, Ints

_BLOCK = 1 << 20


def suppress(windows: Ragged, most_overlap: float, most: int) -> Ragged:
    """Per query the first `most` windows that remain, best score first.

    In the order of scores (equal scores: in the order of the list), a window is dropped if its hull
    IoU with a window that stays is more than `most_overlap`.

    >>> windows = np.array([[0.0, 10.0, 0.5], [0.0, 9.0, 0.9], [20.0, 30.0, 0.1]])
    >>> suppress(Ragged.of([3], windows), 0.5, 10).values
    array([[ 0. ,  9. ,  0.9],
           [20. , 30. ,  0.1]])
    """
    queries, counts = windows.queries, windows.counts
    values = windows.values[np.lexsort((-windows.values[:, 2], queries))]
    stays = np.zeros(len(values), np.bool_)
    order = np.argsort(counts, kind="stable")  # lists of one length share a block
    done = 0
    while done < len(order):
        size = max(1, _BLOCK // max(1, int(counts[order[-1]])))
        block = order[done : done + size]
        done += size
        _keep(values, windows.offsets[:-1][block], counts[block], most_overlap, most, stays)
    kept = np.bincount(queries[stays], minlength=len(counts))
    return Ragged.of(kept, values[stays])


def _keep(
    values: Floats, starts: Ints, counts: Ints, most_overlap: float, most: int, stays: Bools
) -> None:
    """Mark what stays in lists that begin at `starts`."""
    width = int(counts.max(initial=0))
    if not width:
        return
    places = np.arange(width)
    open_ = places < counts[:, None]
    index = np.where(open_, starts[:, None] + places, 0)
    for _ in range(min(most, width)):
        lists = np.flatnonzero(open_.any(axis=1))
        if not len(lists):
            return
        best = index[lists, open_[lists].argmax(axis=1)]
        stays[best] = True
        rest = index[lists].ravel()
        overlap = hull_iou(values[np.repeat(best, width)], values[rest]).reshape(-1, width)
        open_[lists] &= (overlap <= most_overlap) & (index[lists] != best[:, None])
