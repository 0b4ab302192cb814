"""Rows that are the same, bit by bit: each is compared once, whatever the number of its copies.

Embeddings of labels or captions repeat: twenty thousand items may have twenty different texts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.progress import split_range

_BLOCK_ROWS = 4096
_ODD = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True, eq=False)
class DuplicateRows:
    """Which rows of a matrix are the same; groups are numbered by their first row.

    first   (groups,) the first row of each
    group   (rows,) the group of each row
    rows    every row, group after group, ascending inside each
    starts  (groups + 1,) where each group begins in `rows`

    >>> copies = DuplicateRows.of(np.float32([[1, 2], [3, 4], [1, 2]]))
    >>> copies.first.tolist(), copies.group.tolist(), copies.rows.tolist()
    ([0, 1], [0, 1, 0], [0, 2, 1])
    """

    first: Ints
    group: Ints
    rows: Ints
    starts: Ints

    @classmethod
    def of(cls, matrix: npt.NDArray[np.floating]) -> DuplicateRows:
        """Find the copies; reads the matrix twice, a block at a time."""
        hashes = _hashes(matrix)
        _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
        if not _same(matrix, first[group]):  # two rows with one hash: compare them themselves
            _, first, group = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(first), np.int64)
        number[order] = np.arange(len(first))
        group = number[group.reshape(-1)]
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=len(first)))])
        return cls(first[order], group, np.argsort(group, kind="stable"), starts.astype(np.int64))

    @property
    def are_none(self) -> bool:
        """Whether every row is different."""
        return len(self.first) == len(self.group)

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)


def _hashes(matrix: npt.NDArray[np.floating]) -> npt.NDArray[np.uint64]:
    bits = np.dtype(f"u{matrix.dtype.itemsize}")
    factors = np.random.default_rng(0).integers(0, 2**63, matrix.shape[1], np.uint64)
    factors = factors * np.uint64(2) + np.uint64(1)
    hashes = np.empty(len(matrix), np.uint64)
    for part in split_range(len(matrix), _BLOCK_ROWS):
        block = np.ascontiguousarray(matrix[part]).view(bits)
        mixed = block.astype(np.uint64)
        mixed ^= mixed >> np.uint64(17)
        mixed *= np.uint64(_ODD)
        mixed ^= mixed >> np.uint64(29)
        hashes[part] = (mixed * factors).sum(axis=1, dtype=np.uint64)
    return hashes


def _same(matrix: npt.NDArray[np.floating], other: Ints) -> bool:
    """Whether every row equals, bit by bit, the row that stands for it."""
    bits = np.dtype(f"u{matrix.dtype.itemsize}")
    changed = np.flatnonzero(other != np.arange(len(matrix)))
    for part in split_range(len(changed), _BLOCK_ROWS):
        rows = changed[part]
        own, its = matrix[rows], matrix[other[rows]]
        if not np.array_equal(
            np.ascontiguousarray(own).view(bits), np.ascontiguousarray(its).view(bits)
        ):
            return False
    return True
