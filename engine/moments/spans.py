"""Temporal overlap: intersection over union of spans, as the benchmarks compute it."""

from __future__ import annotations

import numpy as np

from engine.base.arrays import AnyFloats


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
