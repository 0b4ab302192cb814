"""Exact search in the order of float64 scores, quick also where many vectors are the same.

`FaissIndex` rounds scores to float32 before it compares them. Among 20,000 items two neighbours
often lie closer than that; a score that counts who is in the first K then depends on the rounding.
Here the order is that of float64 scores, so it equals a plain computation in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
import numpy.typing as npt

from engine.errors import InputError
from engine.ranking import Ranking
from engine.search.base import check_depth
from engine.search.distinct import Copies
from engine.search.exact import CHUNK_BYTES, Doubles, on_all_cores
from engine.similarity import Metric

Floats = npt.NDArray[np.floating]
Rows = npt.NDArray[np.int64]

_BLOCK_ROWS = 1024
_FLOAT32_MAX = float(np.finfo(np.float32).max)
_FLOAT32_ROUNDING = 2.0**-24
_FLOAT64_ROUNDING = 2.0**-53
_COSINE_GRID = 2.0**40
# FAISS keeps a heap per query; from about this share of the collection on, sorting is quicker.
_DEEP = 16
# Scores, their sorted copy, candidates and temporaries of a query and an item.
_BYTES_PER_SCORE = 48


class PreciseIndex:
    """An exact index over `vectors` (size × dimension), by cosine or inner product.

    Ordered by (score descending, row), the score summed in float64. Cosines that agree to twelve
    digits tie. Vectors that are the same are compared once. FAISS proposes candidates; a query
    whose last place is not clear of what FAISS may have left behind is searched exhaustively.

    >>> index = PreciseIndex(np.array([[1.0, 0.0], [1.0, 1e-9], [1.0, 0.0]]), "ip")
    >>> index.search(np.array([[0.0, 1.0]]), k=2).indices
    array([[1, 0]])
    """

    def __init__(self, vectors: Floats, metric: Metric = "cosine") -> None:
        if vectors.ndim != 2 or 0 in vectors.shape:
            raise ValueError(f"vectors must be rows × dimension, not {vectors.shape}")
        if metric == "l2":
            raise ValueError("this index compares by cosine or inner product")
        self._metric: Metric = metric
        self._copies = Copies.of(vectors)
        different = vectors if self._copies.are_none else vectors[self._copies.first]
        self._vectors = np.ascontiguousarray(different)
        self._lengths = _lengths(self._vectors, "vector", metric)
        self._longest = 1.0 if metric == "cosine" else float(self._lengths.max())
        self._near = self._single(self._vectors, self._lengths)

    @property
    def size(self) -> int:
        return len(self._copies.group)

    @property
    def dimension(self) -> int:
        return int(self._vectors.shape[1])

    @property
    def metric(self) -> Metric:
        return self._metric

    def search(self, queries: Floats, k: int) -> Ranking:
        """The best min(k, size) rows of every query, ordered by (score descending, row)."""
        rows, scores = self.search_precisely(queries, k)
        with np.errstate(over="ignore"):
            return Ranking(rows, scores.astype(np.float32))

    def search_precisely(self, queries: Floats, k: int) -> tuple[Rows, Doubles]:
        """What `search` finds, with the scores in float64."""
        depth = check_depth(k, self.size)
        if queries.shape[1:] != (self.dimension,):
            raise InputError(
                f"the queries have {queries.shape[-1]} dimensions, the collection has "
                f"{self.dimension}",
                hint="encode both with the same model",
            )
        if not len(queries):
            return np.empty((0, depth), np.int64), np.empty((0, depth), np.float64)
        asked = Copies.of(queries)
        rows, scores = self._search_different(queries[asked.first], depth)
        return (rows, scores) if asked.are_none else (rows[asked.group], scores[asked.group])

    def _search_different(self, queries: Floats, depth: int) -> tuple[Rows, Doubles]:
        lengths = _lengths(queries, "query", self._metric)
        groups, scores = self._search_groups(queries, lengths, min(depth, len(self._vectors)))
        if self._copies.are_none:
            return groups, scores
        return _expanded(groups, scores, depth, self._copies)

    def _search_groups(self, queries: Floats, lengths: Doubles, depth: int) -> tuple[Rows, Doubles]:
        """The best different vectors of every query."""
        size = len(self._vectors)
        wide = depth + 3 + depth // 8
        if wide * _DEEP >= size:
            return self._exhaust(queries, lengths, depth)
        reach = self._reach(lengths)
        if reach.max() > _FLOAT32_MAX:
            return self._exhaust(queries, lengths, depth)
        values, rows = self._faiss_search(self._single(queries, lengths), wide)
        rows, scores = _ordered(rows, self._score(queries, lengths, rows))
        rows, scores = rows[:, :depth], scores[:, :depth]
        error = 1.01 * (self.dimension + 12) * _FLOAT32_ROUNDING * reach
        unsure = scores[:, -1] <= values[:, -1] + error
        if unsure.any():
            rows[unsure], scores[unsure] = self._exhaust(queries[unsure], lengths[unsure], depth)
        return rows, scores

    def _faiss_search(
        self, queries: npt.NDArray[np.float32], k: int
    ) -> tuple[npt.NDArray[np.float32], Rows]:
        import faiss

        knn = cast(Callable[..., tuple[npt.NDArray[np.float32], Rows]], faiss.knn)
        return knn(queries, self._near, k, metric=faiss.METRIC_INNER_PRODUCT)

    def _reach(self, lengths: Doubles) -> Doubles:
        """Per query a bound of the scores: |q||v|."""
        return np.ones(len(lengths)) if self._metric == "cosine" else lengths * self._longest

    def _single(self, vectors: Floats, lengths: Doubles) -> npt.NDArray[np.float32]:
        """What FAISS compares: float32, for cosine of length 1."""
        if self._metric != "cosine":
            return np.ascontiguousarray(vectors, dtype=np.float32)
        units = np.empty(vectors.shape, np.float32)
        for start in range(0, len(vectors), _BLOCK_ROWS):
            part = slice(start, start + _BLOCK_ROWS)
            units[part] = vectors[part] / lengths[part, None]
        return units

    def _score(self, queries: Floats, lengths: Doubles, rows: Rows) -> Doubles:
        """The scores of candidates (queries × candidates), each by itself: the same pair always
        has the same score."""
        scores = np.empty(rows.shape, np.float64)
        step = max(1, CHUNK_BYTES // (24 * rows.shape[1] * self.dimension))

        def score_part(start: int) -> None:
            part = slice(start, start + step)
            near = self._vectors[rows[part]].astype(np.float64)
            products = np.vecdot(near, queries[part, None, :].astype(np.float64))
            scores[part] = self._settled(products, lengths[part, None], rows[part])

        on_all_cores(score_part, range(0, len(rows), step))
        return scores

    def _settled(self, products: Doubles, lengths: Doubles, rows: Rows) -> Doubles:
        if self._metric != "cosine":
            return products
        cosines: Doubles = products / (lengths * self._lengths[rows])
        return np.rint(cosines * _COSINE_GRID) / _COSINE_GRID

    def _exhaust(self, queries: Floats, lengths: Doubles, depth: int) -> tuple[Rows, Doubles]:
        """Compare with every different vector; memory stays within a few times CHUNK_BYTES."""
        rows = np.empty((len(queries), depth), np.int64)
        scores = np.empty((len(queries), depth), np.float64)
        step = max(1, min(512, CHUNK_BYTES // (_BYTES_PER_SCORE * len(self._vectors))))
        for start in range(0, len(queries), step):
            part = slice(start, start + step)
            rows[part], scores[part] = self._exhaust_part(queries[part], lengths[part], depth)
        return rows, scores

    def _exhaust_part(self, queries: Floats, lengths: Doubles, depth: int) -> tuple[Rows, Doubles]:
        products = self._products(queries, lengths)
        # A product of matrices may differ from the score in its last digits, and cosines are
        # rounded: whatever is as near to the last place as this is scored by itself.
        margin = (self.dimension + 8) * 4 * _FLOAT64_ROUNDING * self._reach(lengths)[:, None]
        if self._metric == "cosine":
            margin = margin + 2 / _COSINE_GRID
        rows = _best(products, depth, margin)
        rows, scores = _ordered(rows, self._score(queries, lengths, rows))
        return rows[:, :depth], scores[:, :depth]

    def _products(self, queries: Floats, lengths: Doubles) -> Doubles:
        size = len(self._vectors)
        products = np.empty((len(queries), size), np.float64)
        asked = queries.astype(np.float64)
        if self._metric == "cosine":
            asked = asked / lengths[:, None]
        for start in range(0, size, _BLOCK_ROWS):
            part = slice(start, start + _BLOCK_ROWS)
            block = self._vectors[part].astype(np.float64)
            if self._metric == "cosine":
                block /= self._lengths[part, None]
            products[:, part] = asked @ block.T
        return products


def _best(products: Doubles, depth: int, margin: Doubles) -> Rows:
    """The best `depth` of every row and whatever is as near to the last as `margin`."""
    size = products.shape[1]
    wanted = size
    if depth < size:
        last = -np.partition(-products, depth - 1, axis=1)[:, depth - 1, None]
        wanted = int((products >= last - margin).sum(axis=1).max())
    if wanted == size:
        return np.broadcast_to(np.arange(size), products.shape)
    return np.argpartition(-products, wanted - 1, axis=1)[:, :wanted]


def _ordered(rows: Rows, scores: Doubles) -> tuple[Rows, Doubles]:
    """By score, the best first; equal ones by row."""
    order = np.lexsort((rows, -scores), axis=-1)
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _expanded(groups: Rows, scores: Doubles, depth: int, copies: Copies) -> tuple[Rows, Doubles]:
    """The first `depth` rows of ranked groups: all copies of the best, then of the next.

    Groups of one score share their places by row. Groups are ordered by score and first row, so
    the first `depth` of them hold whatever can be among the first `depth` rows.
    """
    sizes = np.minimum(copies.sizes, depth)[groups]
    before = np.cumsum(sizes, axis=1) - sizes
    last = (before < depth).sum(axis=1) - 1
    needed = (before < depth) | (scores == np.take_along_axis(scores, last[:, None], axis=1))
    asked, place = np.nonzero(needed)
    lengths = sizes[asked, place]
    starts = np.cumsum(lengths) - lengths
    inside = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
    rows = copies.rows[np.repeat(copies.starts[groups[asked, place]], lengths) + inside]
    query = np.repeat(asked, lengths)
    score = np.repeat(scores[asked, place], lengths)
    order = np.lexsort((rows, -score, query))
    begins = np.searchsorted(query, np.arange(len(groups)))
    kept = order[begins[:, None] + np.arange(depth)]
    return rows[kept], score[kept]


def _lengths(vectors: Floats, what: str, metric: Metric) -> Doubles:
    """Every row's length in float64; refuses what cannot be compared."""
    lengths = np.empty(len(vectors), np.float64)

    def measure(start: int) -> None:
        block = vectors[start : start + _BLOCK_ROWS].astype(np.float64)
        lengths[start : start + _BLOCK_ROWS] = np.sqrt(np.vecdot(block, block))

    on_all_cores(measure, range(0, len(vectors), _BLOCK_ROWS))
    bad = ~np.isfinite(lengths) | ((lengths == 0) if metric == "cosine" else False)
    if bad.any():
        raise InputError(
            f"{what} {int(bad.argmax())} (counted from 0) is all zeros or not finite",
            hint="leave it out, or encode it again",
        )
    return lengths
