"""Exact search in the order of float64 scores, quick also where many vectors are the same.

`FaissIndex` rounds scores to float32 before it compares them. Among 20,000 items two neighbours
often lie closer than that; a score that counts who is in the first K then depends on the rounding.
Here the order is that of float64 scores, so it equals a plain computation in float64.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import AnyFloats, Bools, Floats, Ints, Vectors
from engine.base.errors import InputError
from engine.base.progress import split_range
from engine.base.ranking import Ranking
from engine.base.similarity import Similarity
from engine.search.duplicate_rows import DuplicateRows
from engine.search.exhaustive import (
    SEARCH_CHUNK_BYTES,
    compute_row_lengths,
    count_threads,
    run_on_all_cores,
)
from engine.search.index import (
    FLOAT32_ROUNDING,
    SHARE_SORTED,
    check_collection,
    check_depth,
    check_dimension,
    propose_neighbours,
)

_BLOCK_ROWS = 1024
_FLOAT64_ROUNDING = 2.0**-53
_TIE = 2.0**-50
"""Scores that are nearer than this share of the largest possible are equal: what is the same on
paper differs by a few roundings."""
_TINY = 1e-100  # squares of float64 below this have lost digits, or vanish
_SPARE = 32  # candidates beyond those asked for, so that near ties at the last place are among them
# Scores, their order, candidates and temporaries of a query and an item.
_BYTES_PER_SCORE = 48


class PreciseIndex:
    """An exact index over `vectors` (size × dimension), by cosine or inner product.

    Ordered by (score descending, row), the score summed in float64; scores that differ by a few
    roundings tie. Vectors that are the same are compared once. FAISS proposes candidates; a query
    whose last place is not clear of what FAISS may have left behind is searched exhaustively.

    >>> index = PreciseIndex(np.array([[1.0, 0.0], [1.0, 1e-9], [1.0, 0.0]]), "ip")
    >>> index.search(np.array([[0.0, 1.0]]), k=2).indices
    array([[1, 0]])
    """

    def __init__(self, vectors: AnyFloats, metric: Similarity = "cosine") -> None:
        check_collection(vectors)
        if metric == "l2":
            raise ValueError("this index compares by cosine or inner product")
        self.size: int = len(vectors)
        self.dimension: int = vectors.shape[1]
        self.metric: Similarity = metric
        self._copies = DuplicateRows.of(vectors)
        different = vectors if self._copies.are_none else vectors[self._copies.first]
        self._vectors = _enlarged(np.ascontiguousarray(different), metric)
        self._lengths = _lengths(self._vectors, "vector", metric)
        self._longest = 1.0 if metric == "cosine" else float(self._lengths.max())
        self._centre, self._spread, self._near = self._centred()

    def search(self, queries: AnyFloats, k: int) -> Ranking:
        """The best min(k, size) rows of every query, ordered by (score descending, row)."""
        rows, scores = self.search_precisely(queries, k)
        with np.errstate(over="ignore"):
            return Ranking(rows, scores.astype(np.float32))

    def search_precisely(self, queries: AnyFloats, k: int) -> tuple[Ints, Floats]:
        """What `search` finds, with the scores in float64."""
        depth = check_depth(k, self.size)
        check_dimension(queries, self.dimension)
        if not len(queries):
            return np.empty((0, depth), np.int64), np.empty((0, depth), np.float64)
        asked = DuplicateRows.of(queries)
        rows, scores = self._search_different(queries[asked.first], depth)
        return (rows, scores) if asked.are_none else (rows[asked.group], scores[asked.group])

    def _search_different(self, queries: AnyFloats, depth: int) -> tuple[Ints, Floats]:
        queries = _enlarged(queries, self.metric)
        lengths = _lengths(queries, "query", self.metric)
        groups, scores = self._search_groups(queries, lengths, min(depth, len(self._vectors)))
        if self._copies.are_none:
            return groups, scores
        return _expanded(groups, scores, depth, self._copies)

    def _search_groups(
        self, queries: AnyFloats, lengths: Floats, depth: int
    ) -> tuple[Ints, Floats]:
        """The best different vectors of every query."""
        wide = depth + 3 + depth // 8
        if wide * SHARE_SORTED >= len(self._vectors):
            return self._exhaust(queries, lengths, depth)
        directions = _directions(queries, lengths)
        asked = directions.astype(np.float32)
        values, rows = propose_neighbours(asked, self._near, wide, "ip")
        rows, scores = self._ranked(queries, lengths, rows)
        rows, scores = rows[:, :depth], scores[:, :depth]
        unsure = ~self._is_clear(directions, scores[:, -1] / self._reach(lengths), values[:, -1])
        if unsure.any():
            rows[unsure], scores[unsure] = self._exhaust(queries[unsure], lengths[unsure], depth)
        return rows, scores

    def _centred(self) -> tuple[Floats, float, Vectors]:
        """What FAISS compares: the vectors without their mean, the longest of length 1.

        Taking the same away from all changes the scores of a query, not their order; what is left
        where all point the same way is what tells them apart, with all the digits of a float32.
        """
        centre = np.zeros(self.dimension)
        for part in self._blocks():
            centre += self._block(part).sum(axis=0)
        centre /= len(self._vectors)
        spread = max(
            float(np.sqrt(np.vecdot(rest, rest)).max())
            for rest in (self._block(part) - centre for part in self._blocks())
        )
        spread = spread or 1.0
        near = np.empty(self._vectors.shape, np.float32)
        for part in self._blocks():
            near[part] = (self._block(part) - centre) / spread
        return centre, spread, near

    def _blocks(self) -> Iterator[slice]:
        return split_range(len(self._vectors), _BLOCK_ROWS)

    def _block(self, part: slice) -> Floats:
        """Some vectors as they are compared: for cosine of length 1, otherwise at most so long."""
        block: Floats = self._vectors[part].astype(np.float64)
        block /= self._lengths[part, None] if self.metric == "cosine" else (self._longest or 1.0)
        return block

    def _is_clear(self, directions: Floats, last: Floats, proposed: Vectors) -> Bools:
        """Whether nothing that FAISS left behind can reach the last place.

        `last` is the last score as a share of the largest possible, `proposed` what FAISS says of
        its last candidate. A float32 sum of d products of vectors of length 1 is wrong by at most
        d roundings; a few more cover those of the vectors themselves, and of the subtraction.
        """
        sums = (self.dimension + 12) * FLOAT32_ROUNDING
        subtracted = 8 * (self.dimension + 8) * _FLOAT64_ROUNDING / self._spread
        reached = (last - directions @ self._centre) / self._spread
        clear: Bools = reached > proposed + 1.01 * (sums + subtracted)
        return clear

    def _reach(self, lengths: Floats) -> Floats:
        """Per query the largest score possible: |q||v|; 1 where that is nothing."""
        if self.metric == "cosine":
            return np.ones(len(lengths))
        return np.where(lengths * self._longest > 0, lengths * self._longest, 1.0)

    def _ranked(self, queries: AnyFloats, lengths: Floats, rows: Ints) -> tuple[Ints, Floats]:
        """Candidates (queries × candidates) in their order, with their scores."""
        scores = self._score(queries, lengths, rows)
        return _ordered(rows, scores, _TIE * self._reach(lengths)[:, None])

    def _score(self, queries: AnyFloats, lengths: Floats, rows: Ints) -> Floats:
        """Scores of candidates, each by itself: the same pair always has the same score."""
        scores = np.empty(rows.shape, np.float64)
        step = max(1, SEARCH_CHUNK_BYTES // (24 * rows.shape[1] * self.dimension * count_threads()))

        def score_part(part: slice) -> None:
            near = self._vectors[rows[part]].astype(np.float64)
            products = np.vecdot(near, queries[part, None, :].astype(np.float64))
            if self.metric == "cosine":
                products /= lengths[part, None] * self._lengths[rows[part]]
            scores[part] = products

        run_on_all_cores(score_part, len(rows), step)
        return scores

    def _exhaust(self, queries: AnyFloats, lengths: Floats, depth: int) -> tuple[Ints, Floats]:
        """Compare with every different vector; memory stays within a few times CHUNK_BYTES."""
        rows = np.empty((len(queries), depth), np.int64)
        scores = np.empty((len(queries), depth), np.float64)
        step = max(1, min(512, SEARCH_CHUNK_BYTES // (_BYTES_PER_SCORE * len(self._vectors))))
        for part in split_range(len(queries), step):
            rows[part], scores[part] = self._exhaust_part(queries[part], lengths[part], depth)
        return rows, scores

    def _exhaust_part(self, queries: AnyFloats, lengths: Floats, depth: int) -> tuple[Ints, Floats]:
        distances = self._negated_scores(_directions(queries, lengths))
        # A product of matrices may differ from the score in its last digits: whatever is as near
        # to the last place as this is scored by itself.
        margin = (self.dimension + 8) * 2 * _FLOAT64_ROUNDING + 2 * _TIE
        guess = min(len(self._vectors), depth + _SPARE)
        near = _smallest(distances, guess)
        values = np.take_along_axis(distances, near, axis=1)
        last = np.partition(values, depth - 1, axis=1)[:, depth - 1]
        found, scores = self._ranked(queries, lengths, near)
        found, scores = found[:, :depth], scores[:, :depth]
        if guess < len(self._vectors):
            for query in np.flatnonzero(values.max(axis=1) <= last + margin).tolist():
                own = slice(query, query + 1)
                more = np.flatnonzero(distances[query] <= last[query] + margin)[None, :]
                ranked = self._ranked(queries[own], lengths[own], more)
                found[query], scores[query] = ranked[0][0, :depth], ranked[1][0, :depth]
        return found, scores

    def _negated_scores(self, directions: Floats) -> Floats:
        """Minus the share of the largest score possible, for every vector."""
        scores = np.empty((len(directions), len(self._vectors)), np.float64)
        for part in self._blocks():
            scores[:, part] = -directions @ self._block(part).T
        return scores


def _smallest(values: Floats, count: int) -> Ints:
    """Where the `count` smallest of every row are, in any order."""
    if count == values.shape[1]:
        return np.broadcast_to(np.arange(count), values.shape)
    return np.argpartition(values, count - 1, axis=1)[:, :count]


def _ordered(rows: Ints, scores: Floats, tie: Floats) -> tuple[Ints, Floats]:
    """By score, the best first; those within `tie` of their neighbour are equal and stand by row.

    >>> _ordered(np.array([[7, 3, 5]]), np.array([[0.5, 0.5 + 1e-16, 0.9]]), np.array([[1e-15]]))
    (array([[5, 3, 7]]), array([[0.9, 0.5, 0.5]]))
    """
    rows, scores = _sorted(rows, scores)
    equal = scores[:, :-1] - scores[:, 1:] <= tie
    if not equal.any():
        return rows, scores
    first = np.broadcast_to(np.arange(scores.shape[1]), scores.shape).copy()
    first[:, 1:][equal] = 0
    scores = np.take_along_axis(scores, np.maximum.accumulate(first, axis=1), axis=1)
    return _sorted(rows, scores)


def _sorted(rows: Ints, scores: Floats) -> tuple[Ints, Floats]:
    order = np.lexsort((rows, -scores), axis=-1)
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _expanded(
    groups: Ints, scores: Floats, depth: int, copies: DuplicateRows
) -> tuple[Ints, Floats]:
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


def _enlarged(vectors: AnyFloats, metric: Similarity) -> AnyFloats:
    """For cosine: tiny rows made larger, so that their squares do not vanish."""
    if metric != "cosine" or vectors.dtype != np.float64:
        return vectors
    largest = np.abs(vectors).max(axis=1)
    tiny = (largest > 0) & (largest < _TINY)
    if not tiny.any():
        return vectors
    vectors = vectors.copy()
    vectors[tiny] /= largest[tiny, None]
    return vectors


def _directions(queries: AnyFloats, lengths: Floats) -> Floats:
    """The queries of length 1; one of no length stays as it is."""
    directions: Floats = queries / np.where(lengths > 0, lengths, 1.0)[:, None]
    return directions


def _lengths(vectors: AnyFloats, what: str, metric: Similarity) -> Floats:
    """Every row's length in float64; refuses what cannot be compared."""
    lengths = compute_row_lengths(vectors)
    bad = ~np.isfinite(lengths) | ((lengths == 0) if metric == "cosine" else False)
    if bad.any():
        raise InputError(
            f"{what} {int(bad.argmax())} (counted from 0) is all zeros or not finite",
            hint="leave it out, or encode it again",
        )
    return lengths
