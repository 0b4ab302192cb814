"""What every index promises, and the checks that all of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints, Vectors
from engine.base.errors import InputError
from engine.base.ranking import Ranking
from engine.base.similarity import Similarity

SHARE_SORTED = 16
"""FAISS keeps a heap per query; from one row in so many on, sorting all of them is quicker."""

FLOAT32_ROUNDING = 2.0**-24


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


def check_collection(vectors: npt.NDArray[np.floating]) -> None:
    """Refuse what is no matrix, or an empty one."""
    if vectors.ndim != 2 or 0 in vectors.shape:
        raise ValueError(f"vectors must be rows × dimension, not {vectors.shape}")


def check_dimension(queries: npt.NDArray[np.floating], dimension: int) -> None:
    """Refuse queries that are of another space than the collection."""
    if queries.ndim != 2:
        raise ValueError(f"queries must be queries × dimension, not {queries.shape}")
    if queries.shape[1] != dimension:
        raise InputError(
            f"the queries have {queries.shape[1]} dimensions, the collection has {dimension}",
            hint="encode both with the same model",
        )


def check_queries(queries: npt.NDArray[np.floating], dimension: int) -> Vectors:
    """The queries as contiguous float32, or an InputError that says what is wrong with them."""
    check_dimension(queries, dimension)
    ready = as_float32(queries)
    if not np.isfinite(ready).all():
        row = int(np.flatnonzero(~np.isfinite(ready).all(axis=1))[0])
        raise InputError(
            f"query {row} (counted from 0) has a NaN or infinite value in its vector",
            hint="encode it again, or leave it out",
        )
    return ready


def propose_neighbours(
    queries: Vectors, vectors: Vectors, k: int, metric: Similarity
) -> tuple[Vectors, Ints]:
    """What FAISS takes for the best k rows of each query, and its values: sums of float32."""
    import faiss

    # The kernel of IndexFlat, without the copy of the vectors that an IndexFlat keeps.
    knn = cast(Callable[..., tuple[Vectors, Ints]], faiss.knn)
    kind = faiss.METRIC_L2 if metric == "l2" else faiss.METRIC_INNER_PRODUCT
    return knn(queries, vectors, k, metric=kind)
