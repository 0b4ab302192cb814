"""Searches over many queries: piece by piece, and without the query's own row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from engine.base.progress import split_range
from engine.base.ranking import Ranking
from engine.search.exhaustive import SEARCH_CHUNK_BYTES
from engine.search.index import Index, check_depth

# About half a second of work on two cores: progress and cancelling stay prompt.
_PRODUCTS_PER_CHUNK = 4 * 10**10
_RESULT_BYTES = 2 * (8 + 4)


def search_excluding(
    index: Index,
    queries: npt.NDArray[np.floating],
    k: int,
    own_rows: npt.NDArray[np.integer],
) -> Ranking:
    """The best k rows other than each query's own: k + 1 are fetched and the own one removed.

    `own_rows` holds the row of every query in the index. It is found by number, not by position:
    a duplicate may stand before it, or tied ones may have pushed it out, and then the last
    result goes. Every query gets min(k, size − 1) results.

    >>> from engine.search import FaissIndex
    >>> vectors = np.float32([[1, 0], [1, 0], [0, 1]])
    >>> search_excluding(FaissIndex(vectors), vectors, 1, np.arange(3)).indices
    array([[1],
           [0],
           [0]])
    """
    check_depth(k, index.size)
    if own_rows.shape != (len(queries),):
        raise ValueError(f"{len(queries)} queries but own rows of shape {own_rows.shape}")
    found = index.search(queries, k + 1)
    is_own = found.indices == own_rows[:, None]
    own_place = np.where(is_own.any(axis=1), is_own.argmax(axis=1), found.depth)
    kept = np.arange(found.depth - 1)
    columns = kept + (kept >= own_place[:, None])
    return Ranking(
        np.take_along_axis(found.indices, columns, axis=1),
        np.take_along_axis(found.scores, columns, axis=1),
    )


def search_in_chunks(
    index: Index,
    queries: npt.NDArray[np.floating],
    k: int,
    *,
    own_rows: npt.NDArray[np.integer] | None = None,
    chunk_size: int | None = None,
) -> Iterator[tuple[slice, Ranking]]:
    """Search piece by piece: yields the slice of the queries and its ranking, in order.

    With `own_rows` each query's own row is left out (see `search_excluding`). Between pieces the
    caller may report progress or stop. Memory stays flat: pieces shrink as k grows.

    >>> from engine.search import FaissIndex
    >>> vectors = np.eye(3, dtype=np.float32)
    >>> for part, ranking in search_in_chunks(FaissIndex(vectors), vectors, 1, chunk_size=2):
    ...     print(part.start, part.stop, ranking.indices.tolist())
    0 2 [[0], [1]]
    2 3 [[2]]
    """
    step = chunk_size or _chunk_size(index, k)
    for part in split_range(len(queries), step):
        if own_rows is None:
            yield part, index.search(queries[part], k)
        else:
            yield part, search_excluding(index, queries[part], k, own_rows[part])


def _chunk_size(index: Index, k: int) -> int:
    by_time = _PRODUCTS_PER_CHUNK // (index.size * index.dimension)
    by_memory = SEARCH_CHUNK_BYTES // (_RESULT_BYTES * check_depth(k, index.size))
    # FAISS needs some hundred queries at a time to use its fast product, and gains no more
    # beyond 4096.
    return max(1, min(max(by_time, 1024), 4096, by_memory))
