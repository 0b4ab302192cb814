"""Sets of clips as packed bits: cheap to intersect, counted and listed only when asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        if self.count * 16 > self.size:
            return np.flatnonzero(unpack_bits(self.words[None])[0, : self.size])
        return find_bits(self.words[None])[1]


def set_bit(places: npt.NDArray[np.int64]) -> BitWords:
    """For each place its own word with the one bit of it set.

    >>> set_bit(np.array([0, 3, 64])).tolist()
    [1, 8, 1]
    """
    return np.uint64(1) << (places % WORD).astype(np.uint64)


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


def find_bits(words: BitWords) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Row and column of every bit that is set in (n, w) words, row by row; few bits cost little.

    >>> [found.tolist() for found in find_bits(np.array([[5, 0], [0, 1]], np.uint64))]
    [[0, 0, 1], [0, 2, 64]]
    """
    filled = np.flatnonzero(words != 0)
    left = words.reshape(-1)[filled]
    ends = np.cumsum(np.bitwise_count(left), dtype=np.int64)
    place = ends - np.bitwise_count(left)
    flat = np.empty(int(ends[-1]) if len(ends) else 0, np.int64)
    first = filled * WORD
    # A word holds few bits: take the lowest of every word, then the next.
    while len(left):
        below = left - np.uint64(1)
        flat[place] = first + np.bitwise_count(below & ~left)
        left = left & below
        more = np.flatnonzero(left != 0)
        left, first, place = left[more], first[more], place[more] + 1
    rows, columns = np.divmod(flat, words.shape[1] * WORD)
    return rows, columns


_RARE = 64
"""Where fewer than one bit of so many is set, those are looked for rather than all looked at."""


def transpose_bits(bits: BitWords, width: int) -> BitWords:
    """Clip-major (n, w) bits as keyword-major (width, ⌈n / 64⌉): one packed set per column."""
    if int(np.bitwise_count(bits).sum(dtype=np.int64)) * _RARE < len(bits) * width:
        columns = np.zeros((width, -(-len(bits) // WORD)), np.uint64)
        rows, places = find_bits(bits)
        np.bitwise_or.at(columns, (places, rows // WORD), set_bit(rows))
        return columns
    columns = np.empty((width, -(-len(bits) // WORD)), np.uint64)
    for column in range(width):
        word, bit = divmod(column, WORD)
        columns[column] = pack_bits((bits[:, word] & np.uint64(1 << bit)) != 0)
    return columns


def count_supersets(
    bits: BitWords, columns: BitWords, queries: BitWords, totals: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """For each query, how many rows of `bits` have all of its bits.

    `columns` are the same bits by column, `totals` how many each column has. Queries are split by
    their rarest bit, the rows with it are kept, and so on, until what is left of both is small
    enough to compare each with each. Neither rows nor columns that no query names are looked at.
    """
    rarity = np.empty(len(totals), np.int64)
    rarity[np.argsort(totals, kind="stable")] = np.arange(len(totals))
    query, column = find_bits(queries)
    by_rarity = column[np.lexsort((rarity[column], query))]
    lengths = np.bincount(query, minlength=len(queries))
    ends = np.cumsum(lengths)
    starts = ends - lengths
    counts = np.zeros(len(queries), np.int64)

    def descend(
        chosen: npt.NDArray[np.int64], held: BitWords, words: npt.NDArray[np.int64], depth: int
    ) -> None:
        if len(chosen) * len(held) <= _PAIRS:
            counts[chosen] = _compare(held, queries[chosen[:, None], words])
            return
        done = starts[chosen] + depth >= ends[chosen]
        counts[chosen[done]] = len(held)
        chosen = chosen[~done]
        for column, some in _split(chosen, by_rarity[starts[chosen] + depth]):
            word, bit = divmod(column, WORD)
            having = (held[:, np.searchsorted(words, word)] & np.uint64(1 << bit)) != 0
            descend(some, held[having], words, depth + 1)

    single = lengths == 1  # of one bit: counted already
    counts[single] = totals[by_rarity[starts[single]]]
    several = np.flatnonzero(lengths > 1)
    for rarest, some in _split(several, by_rarity[starts[several]]):
        rows = ClipSet(columns[rarest], len(bits)).indices()
        words = np.flatnonzero(queries[some].any(axis=0))
        whole = len(words) == bits.shape[1]
        descend(some, bits[rows] if whole else bits[rows[:, None], words], words, 1)
    return counts


_PAIRS = 1 << 17


def _split(
    chosen: npt.NDArray[np.int64], by: npt.NDArray[np.int64]
) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    """What is chosen, taken apart by a number that each has."""
    order = np.argsort(by, kind="stable")
    numbers, first = np.unique(by[order], return_index=True)
    # Of nothing there is one part, which is empty.
    return zip(numbers.tolist(), np.split(chosen[order], first[1:]), strict=len(chosen) > 0)


def _compare(rows: BitWords, queries: BitWords) -> npt.NDArray[np.int64]:
    has_all = np.ones((len(queries), len(rows)), bool)
    for word in range(queries.shape[1]):
        wanted = queries[:, word, None]
        has_all &= (rows[:, word] & wanted) == wanted
    counts: npt.NDArray[np.int64] = has_all.sum(axis=1, dtype=np.int64)
    return counts
