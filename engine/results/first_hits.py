"""FirstHits: at which rank each query has its first hit, as far as anybody looked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class FirstHits:
    """First hits of q queries.

    ranks   (q,) rank of the first hit, from 1; 0: none was found
    beyond  (q,) how many ranks were looked at where none was found and there may be one further
            down; 0 where a hit was found, and where there is none
    """

    ranks: Ints
    beyond: Ints

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def lateness(self) -> Floats:
        """(q,) numbers that grow with the rank; where there is no hit at all, infinity.

        >>> FirstHits(np.array([7, 0, 0]), np.array([0, 500, 0])).lateness
        array([  7. , 500.5,   inf])
        """
        beyond = np.where(self.beyond > 0, self.beyond + 0.5, np.inf)
        return np.where(self.ranks > 0, self.ranks, beyond)

    def describe(self, row: int) -> str:
        """The rank of a query's first hit, in a few characters; empty if there is none.

        >>> hits = FirstHits(np.array([7, 0, 0]), np.array([0, 500, 0]))
        >>> [hits.describe(row) for row in range(3)]
        ['7', '>500', '']
        """
        if self.ranks[row]:
            return f"{int(self.ranks[row])}"
        return f">{int(self.beyond[row])}" if self.beyond[row] else ""

    def take(self, rows: Ints) -> FirstHits:
        return FirstHits(self.ranks[rows], self.beyond[rows])

    @classmethod
    def concat(cls, parts: Sequence[FirstHits]) -> FirstHits:
        return cls(
            np.concatenate([part.ranks for part in parts]),
            np.concatenate([part.beyond for part in parts]),
        )
