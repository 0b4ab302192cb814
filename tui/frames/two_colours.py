"""The two colours of a cell, and which of its parts have which: the split of least squared error.

A colour that stands for several parts is best their mean. With sums S and T over a split of n and m
parts, the squared error is Σx² - (|S|²/n + |T|²/m), so that the best split has the greatest
|S|²/n + |T|²/m, here called what it explains. All splits of all cells are tried at once: 127 for
octants.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tui.frames.area import FloatPixels


@dataclass(frozen=True, slots=True)
class ColourSums:
    """Two colours of each of N cells, or runs of cells, as what they stand for.

    counts  (N, 2): parts in the ground and in the ink
    sums    (N, 2, 3): of their colours
    """

    counts: npt.NDArray[np.float32]
    sums: FloatPixels

    @property
    def colours(self) -> FloatPixels:
        """(N, 2, 3): the means; of a colour without parts, black."""
        means: npt.NDArray[Any] = self.sums / np.maximum(self.counts, np.float32(1))[..., None]
        return means

    @property
    def explained(self) -> npt.NDArray[np.float32]:
        """(N,): |S|²/n + |T|²/m."""
        explained: npt.NDArray[np.float32] = measure_explained(self.counts, self.sums).sum(axis=1)
        return explained


def measure_explained(
    counts: npt.NDArray[np.float32], sums: FloatPixels
) -> npt.NDArray[np.float32]:
    """|S|²/n of each colour; nothing for one without parts."""
    explained: npt.NDArray[Any] = _measure_squares(sums) / np.maximum(counts, np.float32(1))
    return explained


def split_cells(parts: FloatPixels, flat: float = 0.0) -> ColourSums:
    """The best two colours of cells (N, parts, 3).

    flat  where the second colour explains no more than this, a cell has one
    """
    cells, size, _ = parts.shape
    masks = _list_splits(size)
    ink = np.matmul(masks, parts)  # cell by cell: one large product would wake other threads
    total = parts.sum(axis=1)
    inked = masks.sum(axis=1)
    explained = _measure_squares(ink) / inked
    explained += _measure_squares(total[:, None] - ink) / (size - inked)
    best = explained.argmax(axis=1)
    each = np.arange(cells)
    gained = explained[each, best] - _measure_squares(total) / size
    two = gained > flat
    sums = ink[each, best] * two[:, None]
    counts = inked[best] * two
    return ColourSums(
        np.stack([size - counts, counts], axis=1), np.stack([total - sums, sums], axis=1)
    )


def _measure_squares(colours: FloatPixels) -> npt.NDArray[np.float32]:
    """|x|² of colours (..., 3); by hand, for a sum over so short an axis is slow."""
    red, green, blue = colours[..., 0], colours[..., 1], colours[..., 2]
    squares: npt.NDArray[np.float32] = red * red + green * green + blue * blue
    return squares


@cache
def _list_splits(size: int) -> npt.NDArray[np.float32]:
    """(splits, size): which parts are ink, of each split once: the last part is never ink."""
    patterns = np.arange(1, 1 << (size - 1))
    return ((patterns[:, None] >> np.arange(size)) & 1).astype(np.float32)
