"""Ranking: the one currency between a search and everything that comes after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NO_ITEM = -1
"""Index that fills the places of a query that returned fewer results than the batch is deep."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranked results of a batch of queries, best first.

    `indices` (queries × depth) are rows of the collection, `NO_ITEM` past a query's last result;
    `scores` has the same shape, higher is better whatever the metric (L2 is negated distance).
    """

    indices: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.indices.ndim != 2 or self.indices.shape != self.scores.shape:
            raise ValueError(
                f"indices {self.indices.shape} and scores {self.scores.shape} must be one "
                "queries × depth shape"
            )

    def __len__(self) -> int:
        return int(self.indices.shape[0])

    @property
    def depth(self) -> int:
        return int(self.indices.shape[1])

    def cut(self, depth: int) -> Ranking:
        """The first `depth` results of every query."""
        return Ranking(self.indices[:, :depth], self.scores[:, :depth])


def shorten_scores(scores: npt.NDArray[np.float32]) -> list[float]:
    """Scores by their shortest spelling that is the same float32.

    >>> shorten_scores(np.float32([0.1]))
    [0.1]
    """
    return [float(str(score)) for score in scores]
