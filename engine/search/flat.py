"""Exact search with FAISS, made reproducible."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Vectors
from engine.base.errors import InputError
from engine.base.ranking import Ranking
from engine.base.similarity import Similarity
from engine.search.exact import compute_row_lengths, scale_to_unit, score_candidates, search_exactly
from engine.search.index import as_float32, check_depth, check_queries
from engine.search.packed_keys import pack_keys, unpack_keys

_FLOAT32_MAX = float(np.finfo(np.float32).max)
_FLOAT32_ROUNDING = 2.0**-24
# Below this the sums of float32 lose digits to underflow, which the error bound does not know of.
_SMALLEST_REACH = 1e-30
# FAISS keeps a heap per query; from about this share of the collection on, sorting is quicker.
_DEEP = 16


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
        if vectors.ndim != 2 or 0 in vectors.shape:
            raise ValueError(f"vectors must be rows × dimension, not {vectors.shape}")
        self._metric: Similarity = metric
        plain = as_float32(vectors)
        self._vectors = scale_to_unit(plain) if metric == "cosine" else plain
        self._longest = 1.0 if metric == "cosine" else float(compute_row_lengths(plain).max())
        if not np.isfinite(self._longest):
            raise InputError("a vector has a NaN or infinite value", hint="check the embeddings")

    @property
    def size(self) -> int:
        return len(self._vectors)

    @property
    def dimension(self) -> int:
        return int(self._vectors.shape[1])

    @property
    def metric(self) -> Similarity:
        return self._metric

    def search(self, queries: npt.NDArray[np.floating], k: int) -> Ranking:
        """The best min(k, size) rows of every query, ordered by (score descending, row)."""
        depth = check_depth(k, self.size)
        asked = check_queries(queries, self.dimension)
        if self._metric == "cosine":
            asked = scale_to_unit(asked, "query")
        reach = self._largest_scores(asked)
        wide = depth + 3 + depth // 8
        if wide * _DEEP >= self.size or reach.min(initial=1.0) < _SMALLEST_REACH:
            return search_exactly(asked, self._vectors, self._metric, depth)
        return self._search_wide(asked, depth, wide, reach)

    def _search_wide(self, queries: Vectors, depth: int, wide: int, reach: Floats) -> Ranking:
        values, rows = self._faiss_search(queries, wide)
        keys = pack_keys(score_candidates(queries, self._vectors, rows, self._metric), rows)
        keys.sort(axis=1)
        found = unpack_keys(keys[:, :depth])
        unsure = ~self._is_clear(found.scores[:, -1], values[:, -1], reach)
        if unsure.any():
            exact = search_exactly(queries[unsure], self._vectors, self._metric, depth)
            found.indices[unsure] = exact.indices
            found.scores[unsure] = exact.scores
        return found

    def _faiss_search(
        self, queries: Vectors, k: int
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        import faiss

        # The kernel of IndexFlat, without the copy of the vectors that an IndexFlat keeps.
        knn = cast(Callable[..., tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]], faiss.knn)
        kind = faiss.METRIC_L2 if self._metric == "l2" else faiss.METRIC_INNER_PRODUCT
        return knn(queries, self._vectors, k, metric=kind)

    def _largest_scores(self, queries: Vectors) -> Floats:
        """Per query a bound of what FAISS sums up: |q||v|, or (|q| + |v|)² for L2."""
        if self._metric == "cosine":
            return np.ones(len(queries))
        lengths = compute_row_lengths(queries)
        product = self._metric == "ip"
        reach = lengths * self._longest if product else (lengths + self._longest) ** 2
        if len(reach) and reach.max() > _FLOAT32_MAX:
            raise InputError(
                f"scores overflow: the vectors are up to {self._longest:.3g} long",
                hint="scale the vectors down, or use cosine",
            )
        return reach

    def _is_clear(
        self,
        kth: npt.NDArray[np.float32],
        last_value: npt.NDArray[np.float32],
        reach: Floats,
    ) -> npt.NDArray[np.bool_]:
        """Whether no row beyond the candidates can reach the k-th score.

        The error of a float32 sum of d products is at most d roundings of `reach`; a few more
        cover the rounding of the scores themselves.
        """
        error = 1.01 * (self.dimension + 8) * _FLOAT32_ROUNDING * reach
        if self._metric == "l2":
            return kth.astype(np.float64) ** 2 < last_value - error
        return kth > last_value + error
