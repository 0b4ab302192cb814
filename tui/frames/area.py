"""A picture in another size: every new pixel is the mean of what lies under it."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatPixels: TypeAlias = npt.NDArray[np.float32]


def resize_by_area(pixels: npt.NDArray[np.generic], width: int, height: int) -> FloatPixels:
    """The picture (h, w, 3) as (height, width, 3); a pixel that lies in two is in both by its
    shares.

    >>> resize_by_area(np.float32([[[0] * 3, [30] * 3, [60] * 3]]), 2, 1)[0, :, 0].tolist()
    [10.0, 50.0]
    """
    return _shrink(_shrink(pixels.astype(np.float32), height).swapaxes(0, 1), width).swapaxes(0, 1)


def _shrink(pixels: FloatPixels, size: int) -> FloatPixels:
    """So many rows. What lies between two edges is the difference of two sums from the start: no
    product of matrices, for which the library would wake threads that the other panes need."""
    whole, part = _find_edges(len(pixels), size)
    sums = np.concatenate([np.zeros_like(pixels[:1]), pixels.cumsum(axis=0)])
    at_edges = sums[whole] + part * (sums[np.minimum(whole + 1, len(pixels))] - sums[whole])
    shrunk: FloatPixels = np.diff(at_edges, axis=0) * np.float32(size / len(pixels))
    return shrunk


@lru_cache(64)
def _find_edges(old: int, new: int) -> tuple[npt.NDArray[np.intp], FloatPixels]:
    """Where the new pixels begin and end among the old: whole ones, and the part of the next."""
    edges = np.arange(new + 1) * (old / new)
    whole = np.minimum(edges.astype(np.intp), old)
    return whole, (edges - whole).astype(np.float32)[:, None, None]
