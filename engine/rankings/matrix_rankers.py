"""Rankings of all items, from a matrix of scores or from two sets of embeddings.

Every item is ranked for every query, so that measures of the full ranking are exact. Time grows
with queries × items (and the logarithm of items); memory does not: a chunk of queries at a time is
read from the mapped file, ranked and forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.errors import InputError, Place
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import TiePolicy, order_by_docid, reorder_ties_by_docid_desc
from engine.rankings.formats import IdTable
from engine.rankings.run_file_ranker import clip_to_float32
from engine.search import Index, search_in_chunks
from engine.search.packed_keys import pack_keys, unpack_keys

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
                Place(self.file),
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
