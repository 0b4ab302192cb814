"""How much two spans overlap, the two ways in which QVHighlights measures it.

True IoU divides what two spans share by what they cover together. Hull IoU divides it by the time
from the first start to the last end, which is more when the spans do not touch: 0 all the same.
"""

from __future__ import annotations

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts
from engine.moments.spans import hull_iou


def true_iou(first: AnyFloats, second: AnyFloats) -> AnyFloats:
    """Shared seconds over covered seconds; infinite where nothing is covered.

    The official script divides 0 by 0 there, and takes the result for more than any threshold:
    when two spans have no length, or when a prediction ends before it starts by as many seconds
    as the other span is long.

    >>> true_iou(np.array([[0.0, 10.0]]), np.array([[5.0, 20.0]]))
    array([0.25])
    """
    shared = np.minimum(first[:, 1], second[:, 1]) - np.maximum(first[:, 0], second[:, 0])
    np.maximum(shared, 0.0, out=shared)
    covered = (first[:, 1] - first[:, 0]) + (second[:, 1] - second[:, 0]) - shared
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        iou = shared / covered
    return np.where(np.isnan(iou), np.inf, iou)


def pair_windows(queries: AnyInts, offsets: AnyInts) -> tuple[AnyInts, AnyInts]:
    """Every window with every span of its query: the indices of both.

    >>> pair_windows(np.array([0, 1]), np.array([0, 2, 3]))
    (array([0, 0, 1]), array([0, 1, 2]))
    """
    starts, counts = offsets[:-1][queries], np.diff(offsets)[queries]
    windows = np.repeat(np.arange(len(queries)), counts)
    before = np.cumsum(counts) - counts
    return windows, np.arange(len(windows)) + np.repeat(starts - before, counts)


def find_best_overlaps(
    windows: AnyFloats, queries: AnyInts, offsets: AnyInts, spans: AnyFloats
) -> AnyFloats:
    """The overlap that counts for MR-R1: of the spans of a query, the one with the best true IoU
    (the first of several) is chosen, and the hull IoU with it is compared with the threshold.

    Every query has a span.

    >>> spans = np.array([[0.0, 4.0], [8.0, 20.0]])
    >>> find_best_overlaps(np.array([[10.0, 20.0]]), np.array([0]), np.array([0, 2]), spans)
    array([0.83333333])
    """
    if not len(windows):
        return np.zeros(0)
    window, span = pair_windows(queries, offsets)
    overlap = true_iou(windows[window], spans[span])
    counts = np.diff(offsets)[queries]
    most = np.maximum.reduceat(overlap, np.cumsum(counts) - counts)
    best = np.flatnonzero(overlap == np.repeat(most, counts))[::-1]  # the first is written last
    chosen = np.zeros(len(windows), np.int64)
    chosen[window[best]] = span[best]
    starts, ends = spans[chosen].T
    return hull_iou(windows[:, 0], windows[:, 1], starts, ends)
