"""What the pages of a column hold, by their headers.

Arrow makes room for a page by what its header says, and for as many values as it announces. The
footer says the same once more, but nobody checks that it does: so only the headers can tell what
reading will take. They lie in the file uncompressed, one for about a megabyte of values, and are
read here without what is between them.

What cannot be told from them is how long the texts are that refer to others: see `parquet`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.files.parquet_footer import ColumnChunk
from engine.files.thrift import I32, STRUCT, Thrift

_HEADER = 256
_LONGEST_HEADER = 16 << 20
"""Bytes; of a longer one, Arrow takes no notice either."""
_PADDING = 100
"""Bytes that Arrow reads beyond a chunk of old programs, which forgot one of its headers."""
_DATA, _DICTIONARY, _DATA_2 = 0, 2, 3
_PLAIN, _PLAIN_DICTIONARY, _DELTA_LENGTHS, _RLE_DICTIONARY = 0, 2, 6, 8
_IN_FULL = frozenset((_PLAIN, _DELTA_LENGTHS))
_REFERRING = frozenset((_PLAIN_DICTIONARY, _RLE_DICTIONARY))
_PARTS = {_DATA: (5, 2), _DICTIONARY: (7, 2), _DATA_2: (8, 4)}
"""By the kind of page: the field that describes it, and where in there its encoding is."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page, by its header.

    num_values  that it announces
    at          where its bytes begin in the file
    packed      bytes in the file
    unpacked    bytes that become of them
    """

    kind: int
    num_values: int
    encoding: int
    at: int
    packed: int
    unpacked: int

    @property
    def size(self) -> int:
        """Bytes that it takes: without compression, Arrow goes by the other of the two numbers."""
        return max(self.packed, self.unpacked)


@dataclass(frozen=True, slots=True)
class ChunkContent:
    """What a chunk of a column takes to read.

    values           of all pages
    largest          bytes of the largest page, and of the dictionary beside it
    in_full          bytes of pages in which each text stands in full
    repeating        bytes that texts can have of which each may repeat the one before
    referring        values that refer to the dictionary
    dictionary       the page that they refer to
    refers_at_once   the first value refers to the dictionary, if it is there
    """

    values: int
    largest: int
    in_full: int
    repeating: int
    referring: int
    dictionary: Page | None
    refers_at_once: bool

    @property
    def longest(self) -> int:
        """Bytes that no text of the dictionary exceeds: a single one may be all of it."""
        return 0 if self.dictionary is None else self.dictionary.size


def look_at_pages(file: int, chunk: ColumnChunk) -> ChunkContent:
    """The content of a chunk of an open file; ValueError if its headers are damaged."""
    pages = list(_read_pages(file, chunk))
    dictionary = pages.pop(0) if pages and pages[0].kind == _DICTIONARY else None
    if any(page.kind == _DICTIONARY for page in pages):
        raise ValueError("a dictionary comes too late")
    entries = 0 if dictionary is None else max(dictionary.size, _PER_ENTRY * dictionary.num_values)
    repeating = (p for p in pages if p.encoding not in _IN_FULL | _REFERRING)
    return ChunkContent(
        values=sum(page.num_values for page in pages),
        largest=max((page.size for page in pages), default=0) + entries,
        in_full=sum(page.size for page in pages if page.encoding in _IN_FULL),
        repeating=sum(page.num_values * page.size for page in repeating),
        referring=sum(page.num_values for page in pages if page.encoding in _REFERRING),
        dictionary=dictionary,
        refers_at_once=bool(pages) and pages[0].encoding in _REFERRING,
    )


_PER_ENTRY = 16
"""Bytes that Arrow takes for an entry of a dictionary, which it announces before it is read."""


def _read_pages(file: int, chunk: ColumnChunk) -> Iterator[Page]:
    """The pages that Arrow would open: it stops where there are values enough."""
    at, seen, end = chunk.start, 0, chunk.end + _PADDING
    while seen < chunk.num_values and at < end:
        header, length = _read_header(file, at, end)
        kind, unpacked, packed = (header.get(field, -1) for field in (1, 2, 3))
        if min(kind, unpacked, packed) < 0:
            raise ValueError("a page does not say what it is")
        body = at + length
        at = body + packed
        if kind not in _PARTS:  # an index, which Arrow passes over
            continue
        part, encoding = _PARTS[kind]
        if part not in header:
            raise ValueError("a page does not say what it holds")
        values = header[part].get(1, -1)
        if values < 0:
            raise ValueError("a page does not say how much it holds")
        seen += 0 if kind == _DICTIONARY else values
        yield Page(kind, values, header[part].get(encoding, -1), body, packed, unpacked)


def _read_header(file: int, at: int, end: int) -> tuple[dict[int, Any], int]:
    """The header of the page that begins at a place of a file, and how long it is."""
    length = _HEADER
    while True:
        data = os.pread(file, min(length, end - at), at)
        try:
            return _parse_header(Thrift(data))
        except IndexError as error:
            if len(data) < length or length >= _LONGEST_HEADER:
                raise ValueError("the header of a page ends too early") from error
            length *= 4


def _parse_header(data: Thrift) -> tuple[dict[int, Any], int]:
    number = (I32, data.read_i32)
    # Fields of the page: its kind, its sizes, and a struct for each kind of page.
    part = (STRUCT, lambda at: data.read_struct(at, {1: number, 2: number}))
    part_2 = (STRUCT, lambda at: data.read_struct(at, {1: number, 4: number}))
    return data.read_struct(0, {1: number, 2: number, 3: number, 5: part, 7: part, 8: part_2})
