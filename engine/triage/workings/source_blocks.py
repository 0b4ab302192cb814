"""Pairs of clips seen by source: of each row of scores or of hits, what the sources of its columns
make of it. The row's own source counts for nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, Bools, Floats, Ints, Vectors


@dataclass(frozen=True, slots=True, eq=False)
class SourceBlocks:
    """Clips put in the order of their sources.

    order    (n,) clips, those of one source beside each other
    starts   (s,) where each source begins in that order, `sizes` how many clips it has
    of_clip  (n,) the number of each clip's source, from 0
    """

    order: Ints
    starts: Ints
    sizes: Ints
    of_clip: Ints

    @classmethod
    def of(cls, sources: Ints) -> SourceBlocks:
        of_clip = np.unique(sources, return_inverse=True)[1].reshape(-1)
        sizes = np.bincount(of_clip)
        return cls(np.argsort(of_clip, kind="stable"), np.cumsum(sizes) - sizes, sizes, of_clip)

    def __len__(self) -> int:
        return len(self.sizes)

    def find_nearest(self, scores: Vectors, k: int) -> Ints:
        """(n, k) the best clip of each of the best k other sources of each row, in no order; k is
        at most the number of other sources.

        >>> blocks = SourceBlocks.of(np.array([7, 7, 3, 3, 5]))
        >>> scores = np.float32([[9, 8, 1, 2, 0]] * 5)
        >>> np.sort(blocks.find_nearest(scores, 2)).tolist()
        [[3, 4], [3, 4], [0, 4], [0, 4], [0, 3]]
        """
        ordered = scores[:, self.order]
        best = np.maximum.reduceat(ordered, self.starts, axis=1)
        best[np.arange(len(best)), self.of_clip] = -np.inf
        chosen = np.argpartition(best, -k, axis=1)[:, -k:]
        within = np.arange(int(self.sizes.max()))
        place = self.starts[chosen][:, :, None] + np.minimum(
            within, self.sizes[chosen][:, :, None] - 1
        )
        rows = np.arange(len(scores))[:, None, None]
        first = ordered[rows, place].argmax(axis=2)[:, :, None]
        found: Ints = self.order[np.take_along_axis(place, first, axis=2)[:, :, 0]]
        return found

    def count(self, fits: Bools) -> Ints:
        """(n,) how many other sources have a clip that fits each row.

        >>> fits = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]]) > 0
        >>> SourceBlocks.of(np.array([0, 0, 1])).count(fits).tolist()
        [0, 1, 0]
        """
        found: Ints = (self._sum(fits) > 0).sum(axis=1)
        return found

    def average(self, fits: Bools) -> Floats:
        """(n,) the mean over other sources of the share of their clips that fits each row: its hits
        among sources in any order, and any clip of each."""
        shares: Floats = (self._sum(fits) / self.sizes).sum(axis=1)
        return shares / max(1, len(self) - 1)

    def _sum(self, fits: Bools) -> Ints:
        sums: Ints = np.add.reduceat(fits[:, self.order].astype(np.int64), self.starts, axis=1)
        sums[np.arange(len(sums)), self.of_clip] = 0
        return sums


def find_fitting(labels: AnyFloats) -> Bools:
    """(n, n) whether each column has all labels of the row, itself too; of a row without any, none.

    >>> find_fitting(np.array([[1, 0], [1, 1], [0, 0]], np.float32)).astype(int).tolist()
    [[1, 1, 0], [0, 1, 0], [0, 0, 0]]
    """
    needed = labels.sum(axis=1)[:, None]
    fits: Bools = (labels @ labels.T >= needed - 0.5) & (needed > 0)
    return fits
