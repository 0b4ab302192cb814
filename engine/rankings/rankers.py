"""Rankings from run files, from a matrix of scores, or from two sets of embeddings.

The ragged rankings of a run file become even chunks. From scores or embeddings every item is ranked
for every query, so that measures of the full ranking are exact. Time grows with queries × items
(and the logarithm of items); memory does not: a chunk of queries at a time is read from the mapped
file, ranked and forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.errors import InputError
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import TiePolicy, order_by_docid, reorder_ties_by_docid_desc
from engine.metrics.ties import find_group_starts
from engine.rankings.formats.id_table import IdTable
from engine.rankings.formats.run_and_qrels import RunFile
from engine.search import Index, search_in_chunks
from engine.search.packed_keys import pack_keys, unpack_keys

_CELLS = 1 << 21
"""Results that a chunk may hold: some 50 MB with all that is computed from them."""


@dataclass(frozen=True, slots=True, eq=False)
class RunFileRanker:
    """The rankings of a run file, as `engine.rankings.score.Ranker`."""

    run: RunFile

    @property
    def queries(self) -> IdTable:
        return self.run.queries

    @property
    def items(self) -> IdTable:
        return self.run.items

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        if self.run.ranked:
            notes.append("the run has ranks, not scores: a score is the negated rank")
        if self.run.dropped:
            notes.append(f"{self.run.dropped} repeated results: the best place of each counts")
        return tuple(notes)

    def rank(
        self, rows: Ints, depth: int | None, ties: TiePolicy, even: bool
    ) -> Iterator[tuple[slice, Ranking]]:
        """Rankings of the queries in these rows; one at −1 has no results."""
        lengths = np.where(rows >= 0, np.diff(self.run.indptr)[rows], 0)
        if depth is not None and ties != "docid_desc":  # there, ties are ordered before the cut
            lengths = np.minimum(lengths, depth)
        if even:
            lengths[:] = lengths.max(initial=0)
        for part in split_into_chunks(lengths.tolist(), _CELLS):
            ranking = self._padded(rows[part], max(int(lengths[part].max()), 1))
            if ties == "docid_desc":
                ranking = self._docid_desc(ranking)
            yield part, ranking if depth is None else ranking.cut(depth)

    def _padded(self, rows: Ints, depth: int) -> Ranking:
        first, last = int(rows[0]), int(rows[-1])
        if first >= 0 and np.array_equal(rows, np.arange(first, last + 1)):
            bounds = self.run.indptr[first : last + 2]
            if (np.diff(bounds) == depth).all():  # as it lies, without a copy
                flat = slice(int(bounds[0]), int(bounds[-1]))
                scores = clip_to_float32(self.run.scores[flat]).reshape(-1, depth)
                return Ranking(self.run.codes[flat].reshape(-1, depth), scores)
        starts = np.where(rows >= 0, self.run.indptr[rows], 0)
        ends = np.where(rows >= 0, self.run.indptr[rows + 1], 0)
        places = starts[:, None] + np.arange(depth)
        inside = places < ends[:, None]
        if inside.all():
            return Ranking(self.run.codes[places], clip_to_float32(self.run.scores[places]))
        indices = np.full(places.shape, NO_ITEM, dtype=np.int64)
        scores = np.full(places.shape, -np.inf, dtype=np.float32)
        indices[inside] = self.run.codes[places[inside]]
        scores[inside] = clip_to_float32(self.run.scores[places[inside]])
        return Ranking(indices, scores)

    def _docid_desc(self, ranking: Ranking) -> Ranking:
        """Among equal float32 scores, the id that sorts last comes first, as in trec_eval."""
        tied = ~find_group_starts(ranking.scores) & (ranking.indices != NO_ITEM)
        rows = np.flatnonzero(tied.any(axis=1))
        if not len(rows):
            return ranking
        both = tied.copy()
        both[:, :-1] |= tied[:, 1:]
        some = Ranking(ranking.indices[rows], ranking.scores[rows])
        ordered = reorder_ties_by_docid_desc(some, self._order_of(ranking.indices[both]))
        indices, scores = ranking.indices.copy(), ranking.scores.copy()
        indices[rows], scores[rows] = ordered.indices, ordered.scores
        return Ranking(indices, scores)

    def _order_of(self, codes: Ints) -> Ints:
        """Where each of these items stands when they are sorted by id; 0 for all others."""
        distinct = np.unique(codes)
        names = self.items.names(distinct)
        order = np.zeros(len(self.items), dtype=np.int64)
        # Text order is that of the UTF-8 bytes, which is what trec_eval compares.
        order[distinct] = order_by_docid(names)
        return order


def split_into_chunks(lengths: list[int], cells: int) -> Iterator[slice]:
    """Consecutive queries whose lists, all padded to the longest, have so many places at most.

    >>> list(split_into_chunks([2, 2, 9, 1], cells=6))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    start = longest = 0
    for place, length in enumerate(lengths):
        longest = max(longest, length)
        if place > start and longest * (place + 1 - start) > cells:
            yield slice(start, place)
            start, longest = place, length
    if lengths:
        yield slice(start, len(lengths))


def clip_to_float32(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Scores in single precision; what is beyond its range becomes the largest it has."""
    largest = np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    if np.isfinite(single).all():
        return single
    return np.clip(single, -largest, largest)


MATRIX_CHUNK_BYTES = 64 << 20
_BYTES_PER_CELL = 64  # scores, keys, indices, gains and their temporaries


@dataclass(frozen=True, slots=True, eq=False)
class MatrixRanker:
    """Scores of queries × items, as `Ranker` of `score`; equal ones stand by column."""

    scores: npt.NDArray[Any]
    queries: IdTable
    items: IdTable
    lower_is_better: bool = False
    file: Path | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        return ("lower is better: scores are negated",) if self.lower_is_better else ()

    def rank(
        self, rows: Ints, depth: int | None, ties: TiePolicy, even: bool
    ) -> Iterator[tuple[slice, Ranking]]:
        """Rankings of these rows; all items, or the first `depth` where ties do not matter."""
        every = self.scores.shape[1]
        yield from _rank_all(rows, depth, ties, every, self.items, self._rank_rows, every)

    def _rank_rows(self, rows: Ints, depth: int) -> Ranking:
        block = np.asarray(self.scores[rows])
        if block.dtype == np.float16 or block.dtype.kind in "biu":
            block = block.astype(np.float32 if block.dtype.itemsize < 4 else np.float64)
        self._require_finite(block, rows)
        if self.lower_is_better:
            block = -block
        if block.dtype == np.float32:
            keys = pack_keys(block, np.arange(block.shape[1]))
            if depth < keys.shape[1]:
                keys.partition(depth - 1, axis=1)
            keys = keys[:, :depth]
            keys.sort(axis=1)
            return unpack_keys(keys)
        # Doubles that differ by less than a float32 can tell keep their order.
        order = np.argsort(-block, axis=1, kind="stable")[:, :depth]
        return Ranking(order, clip_to_float32(np.take_along_axis(block, order, axis=1)))

    def _require_finite(self, block: npt.NDArray[Any], rows: Ints) -> None:
        finite = np.isfinite(block)
        if not finite.all():
            row, column = (int(n) for n in np.argwhere(~finite)[0])
            raise InputError(
                f"the score in row {rows[row]}, column {column} (counted from 0) is "
                f"{block[row, column]}",
                self.file,
                hint="every score must be a finite number",
            )


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingRanker:
    """Queries and items as vectors, as `Ranker` of `score`; equal scores stand by row."""

    vectors: npt.NDArray[np.float32]
    index: Index
    queries: IdTable
    items: IdTable

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def rank(
        self, rows: Ints, depth: int | None, ties: TiePolicy, even: bool
    ) -> Iterator[tuple[slice, Ranking]]:
        """Rankings of these rows; all items, or the first `depth` where ties do not matter."""
        yield from _rank_all(rows, depth, ties, self.index.size, self.items, self._search)

    def _search(self, rows: Ints, depth: int) -> Ranking:
        found = [ranking for _, ranking in search_in_chunks(self.index, self.vectors[rows], depth)]
        return Ranking(
            np.concatenate([ranking.indices for ranking in found]),
            np.concatenate([ranking.scores for ranking in found]),
        )


def _rank_all(
    rows: Ints,
    depth: int | None,
    ties: TiePolicy,
    every: int,
    items: IdTable,
    rank: Callable[[Ints, int], Ranking],
    cells: int | None = None,
) -> Iterator[tuple[slice, Ranking]]:
    """Rank chunk by chunk; tied results may come from anywhere, so they need all items.

    `cells` is what a query takes while it is ranked; None: as many as are wanted of it.
    """
    wanted = every if depth is None or ties != "insertion" else min(depth, every)
    order = order_by_docid(list(items)) if ties == "docid_desc" else None
    for part in split_range(
        len(rows), max(1, MATRIX_CHUNK_BYTES // (_BYTES_PER_CELL * (cells or wanted)))
    ):
        ranking = _with_missing(rows[part], wanted, rank)
        if order is not None:
            ranking = reorder_ties_by_docid_desc(ranking, order)
        yield part, ranking if ties == "expected" else ranking.cut(depth or every)


def _with_missing(rows: Ints, depth: int, rank: Callable[[Ints, int], Ranking]) -> Ranking:
    """Rankings of the rows that are there, and empty ones for those at −1."""
    there = np.flatnonzero(rows >= 0)
    if len(there) == len(rows):
        return rank(rows, depth)
    indices = np.full((len(rows), depth), NO_ITEM, dtype=np.int64)
    scores = np.full((len(rows), depth), -np.inf, dtype=np.float32)
    if len(there):
        found = rank(rows[there], depth)
        indices[there], scores[there] = found.indices, found.scores
    return Ranking(indices, scores)
