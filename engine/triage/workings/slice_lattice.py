"""Conjunctions of keywords that enough queries have.

Of a conjunction every part has at least as many queries: only what is left of one length is made
longer, so that of all the possible ones few are looked at. Queries are counted by products of
matrices of 0 and 1; those of a conjunction are kept as packed bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Ints, Vectors
from engine.base.progress import split_range

_CELLS_AT_ONCE = 1 << 23

NO_PART = -1
"""Fills the parts of a conjunction that is shorter than the longest."""


@dataclass(frozen=True, slots=True, eq=False)
class SliceLattice:
    """Conjunctions, short ones first. Of those of the same queries only the first is kept.

    parts    (s, 3) the numbers of their keywords, ascending, then `NO_PART`
    support  (s,) their queries
    packed   (s, bytes) which queries these are, as bits
    queries  how many queries there are
    """

    parts: Ints
    support: Ints
    packed: npt.NDArray[np.uint8]
    queries: int

    def __len__(self) -> int:
        return len(self.parts)

    def take(self, rows: Ints) -> SliceLattice:
        """Some of them."""
        return SliceLattice(self.parts[rows], self.support[rows], self.packed[rows], self.queries)

    def members(self, rows: Ints) -> Bools:
        """(q, rows) which queries are in some of them."""
        found = np.unpackbits(self.packed[rows], axis=1, count=self.queries, bitorder="little")
        return np.ascontiguousarray(found.T).view(np.bool_)

    def sparse_members(self) -> Any:
        """(q, s) the same of all, as a matrix by columns."""
        from scipy.sparse import csc_array  # type: ignore[import-untyped]

        rows: list[Ints] = []
        for piece in split_range(len(self), max(1, _CELLS_AT_ONCE // max(1, self.queries))):
            part = self.packed[piece]
            bits = np.unpackbits(part, axis=1, count=self.queries, bitorder="little")
            rows.append(np.flatnonzero(bits.view(np.bool_)) % self.queries)
        indices = np.concatenate([np.zeros(0, np.int64), *rows])
        starts = np.concatenate([[0], np.cumsum(self.support)])
        ones = np.ones(len(indices), np.bool_)
        return csc_array((ones, indices, starts), shape=(self.queries, len(self)))


def find_conjunctions(items: Bools, least: int, longest: int = 3) -> SliceLattice:
    """All conjunctions of at most `longest` columns of (q, c) that `least` queries have, and not
    all of them.

    >>> items = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1]], bool)
    >>> found = find_conjunctions(items, least=2)
    >>> found.parts[:, :2].tolist(), found.support.tolist()
    ([[0, -1], [1, -1], [2, -1]], [3, 2, 2])
    """
    total = len(items)
    single = items.astype(np.float32)
    parts = np.flatnonzero(items.sum(axis=0) >= least)[:, None]
    packed = _pack(items[:, parts[:, 0]])
    every = [(parts, packed)]
    for _ in range(1, longest):
        grown = [_grow(single, *part, least) for part in _cut(parts, packed, total)]
        if not grown:
            break
        parts = np.concatenate([one for one, _ in grown])
        packed = np.concatenate([one for _, one in grown])
        every.append((parts, packed))
    padded = [
        np.pad(one, ((0, 0), (0, longest - one.shape[1])), constant_values=NO_PART)
        for one, _ in every
    ]
    packed = np.concatenate([one for _, one in every])
    support = np.bitwise_count(packed).sum(axis=1, dtype=np.int64)
    found = SliceLattice(np.concatenate(padded), support, packed, total)
    return found.take(_find_first(packed, support, total))


def _cut(
    parts: Ints, packed: npt.NDArray[np.uint8], queries: int
) -> Iterator[tuple[Ints, npt.NDArray[np.uint8]]]:
    for piece in split_range(len(parts), max(1, _CELLS_AT_ONCE // max(1, queries))):
        yield parts[piece], packed[piece]


def _grow(
    items: Vectors, parts: Ints, packed: npt.NDArray[np.uint8], least: int
) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """Conjunctions made longer by one keyword, of a higher number than theirs."""
    members = np.unpackbits(packed, axis=1, count=len(items), bitorder="little")
    counts = members.astype(np.float32) @ items
    later = np.arange(items.shape[1]) > parts[:, -1:]
    which, added = np.nonzero((counts >= least) & later)
    columns = _pack(items != 0)
    return np.column_stack([parts[which], added]), packed[which] & columns[added]


def _pack(columns: Bools) -> npt.NDArray[np.uint8]:
    return np.packbits(columns, axis=0, bitorder="little").T.copy()


def _find_first(packed: npt.NDArray[np.uint8], support: Ints, total: int) -> Ints:
    """The first of those that are of the same queries; none that is of all."""
    rows = np.flatnonzero(support < total)
    if not len(rows):
        return rows
    keys = np.ascontiguousarray(packed[rows]).view(f"V{packed.shape[1]}")[:, 0]
    first = np.unique(keys, return_index=True)[1]
    return rows[np.sort(first)]
