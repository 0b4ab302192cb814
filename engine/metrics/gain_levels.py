"""GainLevels: how many items of the whole collection have which gain, where there are few gains.

A query with three keywords has three gains, however many clips it has: the ideal ranking need not
be written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class GainLevels:
    """The gains of q queries in descending order, and how many items have each; where a query has
    fewer than m of them, both are 0.

    gains   (q, m)
    counts  (q, m)

    >>> levels = GainLevels.of_matched(np.array([[4, 2], [5, 0]]), np.array([2, 1]))
    >>> levels.gains.tolist(), levels.counts.tolist()
    ([[1.0, 0.5], [1.0, 0.0]], [[2, 4], [5, 0]])
    """

    gains: Floats
    counts: Ints

    @classmethod
    def of_matched(cls, by_matched: Ints, keywords: Ints) -> GainLevels:
        """Of the numbers of items that have exactly 1, 2 … of the `keywords` of each query, a share
        of which is their gain."""
        having = keywords[:, None] - np.arange(by_matched.shape[1])
        some = having > 0
        counts = np.take_along_axis(by_matched, np.where(some, having - 1, 0), axis=1)
        gains = np.where(some, having / np.maximum(1, keywords)[:, None], 0.0)
        return cls(gains, np.where(some, counts, 0))

    def take(self, rows: Ints) -> GainLevels:
        """Those of these queries, in this order."""
        return GainLevels(self.gains[rows], self.counts[rows])

    @classmethod
    def concat(cls, parts: Sequence[GainLevels]) -> GainLevels:
        """Several chunks of queries, whatever number of gains each has."""
        width = max(part.gains.shape[1] for part in parts)
        wide = [((0, 0), (0, width - part.gains.shape[1])) for part in parts]
        return cls(
            np.concatenate([np.pad(p.gains, more) for p, more in zip(parts, wide, strict=True)]),
            np.concatenate([np.pad(p.counts, more) for p, more in zip(parts, wide, strict=True)]),
        )
