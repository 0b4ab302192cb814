"""Texts of which each may repeat the beginning of the one before (DELTA_BYTE_ARRAY).

A page has first how many bytes each text repeats, written as differences (DELTA_BINARY_PACKED),
then the rest of every text. Those numbers are read here: their sum and the page are all that the
texts can take. What is odd about them is left to Arrow, and counts as the worst that can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.files.parquet_pages import Page, unpack_page
from engine.files.thrift import Thrift

_DELTA_BYTE_ARRAY, _RLE = 7, 3
_COPIES = 2
"""Arrow writes the texts of a page out, and copies them from there."""
_LONGEST = 1 << 31
_WIDEST = 32
"""Bits of a difference."""
_MOST_PER_BLOCK = 4096
_AT_ONCE = 1024
"""Blocks whose bits are laid out at a time."""


def measure_repeated(file: int, page: Page, codec: int, has_levels: tuple[bool, bool]) -> int:
    """Bytes that the texts of a page take at most.

    has_levels  whether the column has lists, and whether values may be missing
    """
    worst = page.num_values * page.size
    if page.encoding != _DELTA_BYTE_ARRAY:
        return worst
    data = unpack_page(file, page, codec)
    if data is None:
        return worst
    try:
        at = 0 if page.level_bytes is not None else _skip_levels(data, page, has_levels)
        repeated = read_lengths(bytes(memoryview(data)[at:]), page.num_values)
    except (ValueError, IndexError):
        return worst
    return min(worst, _COPIES * (int(repeated.sum()) + page.size))


def _skip_levels(data: Any, page: Page, has_levels: tuple[bool, bool]) -> int:
    """Where the values begin behind the levels, each of which says how long it is."""
    at = 0
    for has_level, encoding in zip(has_levels, page.encodings or (), strict=True):
        if has_level:
            if encoding != _RLE:
                raise ValueError("levels are written as nobody does any more")
            at += 4 + int.from_bytes(bytes(data[at : at + 4]), "little")
    return at


class _Block(NamedTuple):
    """Differences that have the same number of bits each: where they begin, how many bits, and
    what is to be added to each."""

    at: int
    width: int
    least: int


def read_lengths(data: bytes, most: int) -> npt.NDArray[np.int64]:
    """Lengths that are written as differences; ValueError or IndexError if that is not so.

    most  how many there can be

    >>> read_lengths(bytes([128, 1, 4, 3, 10, 2, 0, 0, 0, 0]), 3).tolist()
    [5, 6, 7]
    """
    numbers = Thrift(data)
    size, at = numbers.read_unsigned(0)
    parts, at = numbers.read_unsigned(at)
    count, at = numbers.read_unsigned(at)
    first, at = numbers.read_i32(at)
    if count > most or not 0 < parts <= size or size % parts:
        raise ValueError("it has more lengths than texts, or none")
    per_block = size // parts
    if per_block % 8 or per_block > _MOST_PER_BLOCK:
        raise ValueError("it has blocks of an odd size")
    blocks = list(_list_blocks(data, at, parts, per_block, count - 1))
    steps = _read_steps(data, blocks, per_block)[: max(0, count - 1)]
    lengths = np.concatenate(([first], steps)).cumsum()[:count]
    if ((lengths < 0) | (lengths >= _LONGEST)).any():
        raise ValueError("a length cannot be")
    return lengths


def _list_blocks(data: bytes, at: int, parts: int, per_block: int, left: int) -> Iterator[_Block]:
    numbers = Thrift(data)
    while left > 0:
        least, at = numbers.read_i64(at)
        widths = data[at : at + parts]
        at += parts
        if len(widths) < parts or abs(least) >= _LONGEST:
            raise ValueError("a block is not whole")
        for width in widths:
            if left <= 0:
                break
            if width > _WIDEST:
                raise ValueError("a difference has too many bits")
            yield _Block(at, width, least)
            at += width * per_block // 8
            left -= per_block
    if at > len(data):
        raise IndexError


def _read_steps(data: bytes, blocks: list[_Block], per_block: int) -> npt.NDArray[np.int64]:
    """The differences of all blocks, end to end."""
    if not blocks:
        return np.empty(0, np.int64)
    starts, widths, least = np.array(blocks, np.int64).T
    steps = np.zeros((len(blocks), per_block), np.int64)
    codes = np.frombuffer(data, np.uint8)
    for width in np.unique(widths[widths > 0]).tolist():
        places = np.arange(width * per_block // 8)
        weights = 1 << np.arange(width, dtype=np.int64)
        wide = np.flatnonzero(widths == width)
        for some in np.split(wide, range(_AT_ONCE, len(wide), _AT_ONCE)):
            bits = np.unpackbits(codes[starts[some, None] + places], axis=1, bitorder="little")
            steps[some] = bits.reshape(len(some), per_block, width) @ weights
    steps += least[:, None]
    return steps.reshape(-1)
