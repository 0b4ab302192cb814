"""The score of a query and an item, and the exact ranking that follows from it.

One definition holds everywhere: the inner product (or the negated Euclidean distance) is summed in
float64 and rounded to float32. Summing in float32 would let the score of one pair change with the
size of the batch and the place of the row: among 20,000 × 384 vectors 9 of 10 FAISS scores change
in the last digits between a batch of 1 and of 10, and 3 % of the scores of duplicated rows differ
in one numpy product. In float64 those errors vanish in the rounding, so duplicates tie.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats, Floats, Vectors
from engine.base.errors import InputError
from engine.base.progress import split_range
from engine.base.ranking import Ranking
from engine.base.similarity import Similarity
from engine.search.packed_keys import pack_keys, unpack_keys

SEARCH_CHUNK_BYTES = 64 * 2**20
"""Working memory that one step of a search may use."""

_BLOCK_ROWS = 4096
_ROWS_PER_THREAD = 1024  # small enough that one chunk of queries keeps all cores busy
_CHUNK_QUERIES = 512
# Below this share of |q|² + |v|² the difference of large numbers has lost digits of |q − v|².
_CANCELLED = 1e-3


def scale_to_unit(vectors: Vectors, what: str = "vector") -> Vectors:
    """A copy with every row scaled to length 1, made in pieces.

    >>> scale_to_unit(np.float32([[3, 4]]))
    array([[0.6, 0.8]], dtype=float32)
    """
    units = np.empty(vectors.shape, np.float32)

    def scale_block(part: slice) -> None:
        block = vectors[part].astype(np.float64)
        lengths = np.sqrt(np.vecdot(block, block))
        bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
        if len(bad):
            raise InputError(
                f"{what} {part.start + int(bad[0])} (counted from 0) is all zeros or not finite: "
                "it has no direction, so no cosine",
                hint="leave it out, or choose another metric",
            )
        units[part] = block / lengths[:, None]

    run_on_all_cores(scale_block, len(vectors), _ROWS_PER_THREAD)
    return units


def compute_row_lengths(vectors: AnyFloats) -> Floats:
    """The Euclidean length of every row, in float64.

    >>> compute_row_lengths(np.float32([[3, 4], [0, 2]]))
    array([5., 2.])
    """
    lengths = np.empty(len(vectors), np.float64)

    def measure(part: slice) -> None:
        block = vectors[part].astype(np.float64)
        lengths[part] = np.sqrt(np.vecdot(block, block))

    run_on_all_cores(measure, len(vectors), _ROWS_PER_THREAD)
    return lengths


def score_candidates(
    queries: Vectors, vectors: Vectors, rows: npt.NDArray[np.int64], metric: Similarity
) -> npt.NDArray[np.float32]:
    """Scores of the candidates `rows` (queries × candidates) of each query.

    >>> collection = np.float32([[1, 0], [0, 1], [3, 4]])
    >>> score_candidates(np.float32([[0, 0]]), collection, np.array([[0, 2]]), "l2")
    array([[-1., -5.]], dtype=float32)
    """
    scores = np.empty(rows.shape, np.float32)
    step = _queries_per_chunk(rows.shape[1] * vectors.shape[1] * 8 * count_threads())

    def score_part(part: slice) -> None:
        near = vectors[rows[part]].astype(np.float64)
        asked = queries[part, None, :].astype(np.float64)
        if metric == "l2":
            near -= asked
            scores[part] = -np.sqrt(np.vecdot(near, near))
        else:
            scores[part] = np.vecdot(near, asked)

    run_on_all_cores(score_part, len(queries), step)
    return scores


def search_exactly(queries: Vectors, vectors: Vectors, metric: Similarity, k: int) -> Ranking:
    """The best k ≤ len(vectors) rows of every query, by scoring all of them.

    For cosine both sides have to be unit rows. Memory beside the result stays within a few times
    `SEARCH_CHUNK_BYTES`, also where k is the whole collection.

    >>> search_exactly(np.float32([[1, 0]]), np.float32([[0, 1], [2, 0], [2, 0]]), "ip", 2).indices
    array([[1, 2]])
    """
    found = Ranking(np.empty((len(queries), k), np.int64), np.empty((len(queries), k), np.float32))
    step = _queries_per_chunk(8 * (_capacity(len(vectors), k) + _BLOCK_ROWS))
    for part in split_range(len(queries), step):
        best = _search_chunk(queries[part].astype(np.float64), vectors, metric, k)
        found.indices[part] = best.indices
        found.scores[part] = best.scores
    return found


def _search_chunk(queries: Floats, vectors: Vectors, metric: Similarity, k: int) -> Ranking:
    size = len(vectors)
    keys = np.empty((len(queries), _capacity(size, k)), np.uint64)
    used = 0
    for part in split_range(size, _BLOCK_ROWS):
        count = part.stop - part.start
        if used + count > keys.shape[1]:
            keys[:, :used].partition(k - 1, axis=1)
            used = k
        scores = _score_block(queries, vectors[part].astype(np.float64), metric)
        keys[:, used : used + count] = pack_keys(scores, np.arange(part.start, part.stop))
        used += count
    if used > k:
        keys[:, :used].partition(k - 1, axis=1)
    best = keys[:, :k]
    best.sort(axis=1)
    return unpack_keys(best)


def _score_block(queries: Floats, block: Floats, metric: Similarity) -> npt.NDArray[np.float32]:
    products = queries @ block.T
    if metric != "l2":
        return products.astype(np.float32)
    norms = np.vecdot(queries, queries)[:, None] + np.vecdot(block, block)
    squares = norms - 2 * products
    _repair_cancelled(squares, squares < _CANCELLED * norms, queries, block)
    distances: npt.NDArray[np.float32] = np.sqrt(squares).astype(np.float32)
    return -distances


def _repair_cancelled(
    squares: Floats, cancelled: npt.NDArray[np.bool_], queries: Floats, block: Floats
) -> None:
    """Recompute the marked squared distances from differences, in place."""
    near_queries, near_rows = np.nonzero(cancelled)
    for part in split_range(len(near_queries), _BLOCK_ROWS):
        pair = near_queries[part], near_rows[part]
        gaps = queries[pair[0]] - block[pair[1]]
        squares[pair] = np.vecdot(gaps, gaps)


def run_on_all_cores(work: Callable[[slice], None], rows: int, step: int) -> None:
    """Do a piece of work for every `step` rows, in threads; numpy lets go of the interpreter in
    between."""
    if rows <= step:
        work(slice(0, rows))
        return
    with ThreadPoolExecutor(count_threads()) as pool:
        list(pool.map(work, split_range(rows, step)))


def count_threads() -> int:
    return min(8, os.cpu_count() or 1)


def _capacity(size: int, k: int) -> int:
    """Keys kept per query: room beyond the best k, so that they are seldom partitioned."""
    return min(size, k + max(k, _BLOCK_ROWS))


def _queries_per_chunk(bytes_per_query: int) -> int:
    # Keys or gathered vectors, and temporaries of the same size.
    return max(1, min(_CHUNK_QUERIES, SEARCH_CHUNK_BYTES // (3 * bytes_per_query)))
