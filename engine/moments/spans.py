"""How much spans overlap, as the benchmarks measure it, and which are near copies of better ones.

True IoU divides what two spans share by what they cover together. Hull IoU divides it by the time
from the first start to the last end, which is more when the spans do not touch: 0 all the same.
"""

from __future__ import annotations

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.base.errors import InputError

MOST_PAIRS = 200_000_000
"""Windows with spans of their query; a benchmark of 1,500 queries has some 30,000."""
_PAIRS_AT_ONCE = 4_000_000


def hull_iou(
    starts: AnyFloats, ends: AnyFloats, other_starts: AnyFloats, other_ends: AnyFloats
) -> AnyFloats:
    """Intersection over the hull of both spans, element by element, in the arrays' precision.

    The hull is the union where spans meet. Where they do not, the intersection is 0 anyway. Two
    spans of no length at the same place have no union; their overlap is 0.

    >>> one, two = np.array([[0.0, 10.0], [0.0, 4.0]]), np.array([[5.0, 20.0], [6.0, 8.0]])
    >>> hull_iou(one[:, 0], one[:, 1], two[:, 0], two[:, 1]).tolist()
    [0.25, 0.0]
    """
    inside = np.minimum(ends, other_ends) - np.maximum(starts, other_starts)
    np.maximum(inside, 0, out=inside)
    hull = np.maximum(ends, other_ends) - np.minimum(starts, other_starts)
    overlap: AnyFloats = np.divide(inside, hull, out=np.zeros_like(inside), where=hull != 0)
    return overlap


def find_survivors(queries: AnyInts, videos: AnyInts, spans: AnyFloats, threshold: float) -> Bools:
    """Which predictions stay: those that overlap no better one that stayed, of the same query and
    video, by more than the threshold. The order given is the ranking.

    >>> spans = np.array([[0.0, 10.0], [1.0, 10.0], [20.0, 30.0], [0.0, 10.0]])
    >>> find_survivors(np.zeros(4, int), np.array([1, 1, 1, 2]), spans, 0.5).tolist()
    [True, False, True, True]

    All lists are looked at together: in each round the best that is left of every list stays, and
    what overlaps it goes. There are as many rounds as the longest list has survivors.
    """
    stays = np.zeros(len(queries), np.bool_)
    # Stable: within a query and video, the ranking.
    left = np.lexsort((videos, queries))
    while len(left):
        heads = np.ones(len(left), np.bool_)
        heads[1:] = (queries[left[1:]] != queries[left[:-1]]) | (
            videos[left[1:]] != videos[left[:-1]]
        )
        stays[left[heads]] = True
        head = left[heads][np.cumsum(heads) - 1]
        overlap = hull_iou(spans[left, 0], spans[left, 1], spans[head, 0], spans[head, 1])
        left = left[~heads & (overlap <= threshold)]
    return stays


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
    pairs = np.cumsum(np.diff(offsets)[queries])
    if len(pairs) and pairs[-1] > MOST_PAIRS:
        raise InputError(
            f"{pairs[-1]:,} pairs of predicted windows and spans of the ground truth",
            hint=f"leave out predictions: at most {MOST_PAIRS:,} pairs are compared",
        )
    cuts = np.searchsorted(pairs, np.arange(_PAIRS_AT_ONCE, pairs[-1:].sum(), _PAIRS_AT_ONCE))
    blocks = np.split(np.arange(len(windows)), np.unique(cuts))
    found = [_find_best(windows[part], queries[part], offsets, spans) for part in blocks]
    return np.concatenate(found)


def _find_best(
    windows: AnyFloats, queries: AnyInts, offsets: AnyInts, spans: AnyFloats
) -> AnyFloats:
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
