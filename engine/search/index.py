"""What every index promises, and the checks that all of them share."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Vectors
from engine.base.errors import InputError
from engine.base.ranking import Ranking
from engine.base.similarity import Similarity


class Index(Protocol):
    """A collection of vectors that can be searched.

    Results are ordered by score, best first; equal scores by row, lowest first. A score depends
    on the query and the item alone, never on what else is in the batch.
    """

    @property
    def size(self) -> int:
        """Number of vectors in the collection."""

    @property
    def dimension(self) -> int: ...

    @property
    def metric(self) -> Similarity: ...

    def search(self, queries: npt.NDArray[np.floating], k: int) -> Ranking:
        """The best min(k, size) rows for every query (queries × dimension)."""


def as_float32(vectors: npt.NDArray[np.floating]) -> Vectors:
    """Contiguous float32, without a copy where it is that already; too large becomes infinite.

    >>> as_float32(np.array([[0.5, 1e300]]))
    array([[0.5, inf]], dtype=float32)
    """
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(vectors, dtype=np.float32)


def check_depth(k: int, size: int) -> int:
    """How many results a search for `k` can give: all there are, if k asks for more.

    >>> check_depth(5, 3)
    3
    """
    if k < 1:
        raise InputError(f"K is {k}", hint="ask for at least one result")
    return min(k, size)


def check_queries(queries: npt.NDArray[np.floating], dimension: int) -> Vectors:
    """The queries as contiguous float32, or an InputError that says what is wrong with them."""
    if queries.ndim != 2:
        raise ValueError(f"queries must be queries × dimension, not {queries.shape}")
    if queries.shape[1] != dimension:
        raise InputError(
            f"the queries have {queries.shape[1]} dimensions, the collection has {dimension}",
            hint="encode both with the same model",
        )
    ready = as_float32(queries)
    if not np.isfinite(ready).all():
        row = int(np.flatnonzero(~np.isfinite(ready).all(axis=1))[0])
        raise InputError(
            f"query {row} (counted from 0) has a NaN or infinite value in its vector",
            hint="encode it again, or leave it out",
        )
    return ready
