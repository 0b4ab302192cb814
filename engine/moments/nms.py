"""Non-maximum suppression: near copies of better predictions are dropped."""

from __future__ import annotations

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.moments.spans import hull_iou


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
