"""Sets of clips as packed bits: cheap to intersect, counted and listed only when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BitWords = npt.NDArray[np.uint64]
WORD = 64


@dataclass(frozen=True, slots=True, eq=False)
class ClipSet:
    """Some of `size` clips; bit r of `words` says whether row r is in the set.

    >>> clips = ClipSet(np.array([2, 64], np.uint64), size=100)
    >>> clips.count, clips.indices().tolist()
    (2, [1, 70])
    """

    words: BitWords
    size: int

    @classmethod
    def intersection(cls, columns: Sequence[BitWords], size: int) -> ClipSet:
        """Clips in every one of the packed columns; of no columns at all: none."""
        if not columns:
            return cls(np.zeros(-(-size // WORD), np.uint64), size)
        words = columns[0] & columns[-1]
        for column in columns[1:-1]:
            words &= column
        return cls(words, size)

    @property
    def count(self) -> int:
        """How many clips are in the set."""
        return int(np.bitwise_count(self.words).sum(dtype=np.int64))

    def indices(self) -> npt.NDArray[np.int64]:
        """The rows in the set, ascending."""
        filled = np.flatnonzero(self.words != 0)
        left = self.words[filled]
        ends = np.cumsum(np.bitwise_count(left), dtype=np.int64)
        total = int(ends[-1]) if len(ends) else 0
        if total * 16 > self.size:
            return np.flatnonzero(unpack_bits(self.words[None])[0, : self.size])
        # In a rare set a word holds few bits: take the lowest of every word, then the next.
        rows, first, place = np.empty(total, np.int64), filled * WORD, ends - np.bitwise_count(left)
        while len(left):
            below = left - np.uint64(1)
            rows[place] = first + np.bitwise_count(below & ~left)
            left = left & below
            more = np.flatnonzero(left != 0)
            left, first, place = left[more], first[more], place[more] + 1
        return rows


def pack_bits(mask: npt.NDArray[np.bool_]) -> BitWords:
    """A row of booleans as 64-bit words, the first one in the lowest bit.

    >>> pack_bits(np.array([True, False, True])).tolist()
    [5]
    """
    packed = np.zeros(-(-len(mask) // WORD) * 8, np.uint8)
    packed[: -(-len(mask) // 8)] = np.packbits(mask, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack_bits(words: BitWords) -> npt.NDArray[np.bool_]:
    """(n, w) words as (n, 64 w) booleans.

    >>> np.flatnonzero(unpack_bits(np.array([[5, 1]], np.uint64))).tolist()
    [0, 2, 64]
    """
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").view(np.bool_)


def transpose_bits(bits: BitWords, width: int) -> BitWords:
    """Clip-major (n, w) bits as keyword-major (width, ⌈n / 64⌉): one packed set per column."""
    columns = np.empty((width, -(-len(bits) // WORD)), np.uint64)
    for column in range(width):
        word, bit = divmod(column, WORD)
        columns[column] = pack_bits((bits[:, word] & np.uint64(1 << bit)) != 0)
    return columns


def count_supersets(
    bits: BitWords, queries: BitWords, totals: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """For each query, how many rows of `bits` have all of its bits; `totals` counts per bit.

    Queries are split by their rarest bit, the rows with it are kept, and so on, until what is
    left of both is small enough to compare each with each.
    """
    rarity = np.argsort(totals, kind="stable")
    ordered = unpack_bits(queries)[:, rarity]
    ends = np.cumsum(ordered.sum(axis=1))
    by_rarity = rarity[np.nonzero(ordered)[1]]
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    counts = np.zeros(len(queries), np.int64)

    def descend(chosen: npt.NDArray[np.int64], held: BitWords, depth: int) -> None:
        if len(chosen) * len(held) <= _PAIRS or not len(held):
            counts[chosen] = _compare(held, queries[chosen])
            return
        done = starts[chosen] + depth >= ends[chosen]
        counts[chosen[done]] = len(held)
        chosen = chosen[~done]
        following = by_rarity[starts[chosen] + depth]
        for column in np.unique(following).tolist():
            word, bit = divmod(column, WORD)
            having = held[(held[:, word] & np.uint64(1 << bit)) != 0]
            descend(chosen[following == column], having, depth + 1)

    single = ends - starts == 1  # of one bit: counted already
    counts[single] = totals[by_rarity[starts[single]]]
    descend(np.flatnonzero(~single), bits, 0)
    return counts


_PAIRS = 1 << 17


def _compare(rows: BitWords, queries: BitWords) -> npt.NDArray[np.int64]:
    has_all = np.ones((len(queries), len(rows)), bool)
    for word in range(queries.shape[1]):
        wanted = queries[:, word, None]
        has_all &= (rows[:, word] & wanted) == wanted
    counts: npt.NDArray[np.int64] = has_all.sum(axis=1, dtype=np.int64)
    return counts
