"""Exact search with FAISS, made reproducible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats, Vectors
from engine.base.errors import InputError
from engine.base.ranking import Ranking
from engine.base.similarity import Similarity
from engine.search.exhaustive import (
    compute_row_lengths,
    scale_to_unit,
    score_candidates,
    search_exactly,
)
from engine.search.index import (
    FLOAT32_ROUNDING,
    SHARE_SORTED,
    as_float32,
    check_collection,
    check_depth,
    check_queries,
    propose_neighbours,
)
from engine.search.packed_keys import pack_keys, unpack_keys

_FLOAT32_MAX = float(np.finfo(np.float32).max)
# Below this the sums of float32 lose digits to underflow, which the error bound does not know of.
_SMALLEST_REACH = 1e-30


class FaissIndex:
    """An exact index over `vectors` (size × dimension).

    FAISS finds a few more candidates than asked for; they are scored again in float64 and ordered
    by (score, row). A query whose k-th score is not clear of what FAISS may have left behind,
    by the error bound of its float32 sums, is searched again exhaustively in float64. So the
    result is the exact one for any batch size and any ties.

    The vectors are used where they lie (cosine makes one normalised copy); a memory-mapped file
    is never loaded whole. Scores: cosine and inner product as they are, L2 as −distance.

    >>> index = FaissIndex(np.float32([[1, 0], [0, 1], [2, 0]]), "cosine")
    >>> index.search(np.float32([[3, 0]]), k=2)
    Ranking(indices=array([[0, 2]]), scores=array([[1., 1.]], dtype=float32))
    """

    def __init__(self, vectors: npt.NDArray[np.floating], metric: Similarity = "cosine") -> None:
        check_collection(vectors)
        self.size: int = len(vectors)
        self.dimension: int = vectors.shape[1]
        self.metric: Similarity = metric
        plain = as_float32(vectors)
        self._vectors = scale_to_unit(plain) if metric == "cosine" else plain
        self._longest = 1.0 if metric == "cosine" else float(compute_row_lengths(plain).max())
        if not np.isfinite(self._longest):
            raise InputError("a vector has a NaN or infinite value", hint="check the embeddings")

    def search(self, queries: npt.NDArray[np.floating], k: int) -> Ranking:
        """The best min(k, size) rows of every query, ordered by (score descending, row)."""
        depth = check_depth(k, self.size)
        asked = check_queries(queries, self.dimension)
        if self.metric == "cosine":
            asked = scale_to_unit(asked, "query")
        reach = self._largest_scores(asked)
        wide = depth + 3 + depth // 8
        if wide * SHARE_SORTED >= self.size or reach.min(initial=1.0) < _SMALLEST_REACH:
            return search_exactly(asked, self._vectors, self.metric, depth)
        return self._search_wide(asked, depth, wide, reach)

    def _search_wide(self, queries: Vectors, depth: int, wide: int, reach: Floats) -> Ranking:
        values, rows = propose_neighbours(queries, self._vectors, wide, self.metric)
        keys = pack_keys(score_candidates(queries, self._vectors, rows, self.metric), rows)
        keys.sort(axis=1)
        found = unpack_keys(keys[:, :depth])
        unsure = ~self._is_clear(found.scores[:, -1], values[:, -1], reach)
        if unsure.any():
            exact = search_exactly(queries[unsure], self._vectors, self.metric, depth)
            found.indices[unsure] = exact.indices
            found.scores[unsure] = exact.scores
        return found

    def _largest_scores(self, queries: Vectors) -> Floats:
        """Per query a bound of what FAISS sums up: |q||v|, or (|q| + |v|)² for L2."""
        if self.metric == "cosine":
            return np.ones(len(queries))
        lengths = compute_row_lengths(queries)
        product = self.metric == "ip"
        reach = lengths * self._longest if product else (lengths + self._longest) ** 2
        if len(reach) and reach.max() > _FLOAT32_MAX:
            raise InputError(
                f"scores overflow: the vectors are up to {self._longest:.3g} long",
                hint="scale the vectors down, or use cosine",
            )
        return reach

    def _is_clear(self, kth: Vectors, last_value: Vectors, reach: Floats) -> Bools:
        """Whether no row beyond the candidates can reach the k-th score.

        The error of a float32 sum of d products is at most d roundings of `reach`; a few more
        cover the rounding of the scores themselves.
        """
        error = 1.01 * (self.dimension + 8) * FLOAT32_ROUNDING * reach
        if self.metric == "l2":
            return kth.astype(np.float64) ** 2 < last_value - error
        return kth > last_value + error
