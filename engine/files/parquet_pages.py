"""What the pages of a column hold, by their headers.

Arrow makes room for a page by what its header says, and for as many values as it announces. The
footer says the same once more, but nobody checks that it does: so only the headers can tell what
reading will take. They lie in the file uncompressed, one for about a megabyte of values, and are
read here without what is between them.

What cannot be told from them is how long the texts are that refer to others: see `parquet_texts`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.files.parquet_footer import ColumnChunk
from engine.files.thrift import I32, STRUCT, TRUE, FieldHooks, Thrift

_BLOCK = 4096
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
_CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_UNPACKED = 0


class Page(NamedTuple):
    """One page, by its header.

    num_values   that it announces
    at           where its bytes begin in the file
    packed       bytes in the file
    unpacked     bytes that become of them
    is_packed    whether what follows the levels is, if the column is packed at all
    level_bytes  those of the levels before the values, which are never packed; None: they are
                 packed with the values
    encodings    how levels are written that are packed: of lists, and of what may be missing
    """

    kind: int
    num_values: int
    encoding: int
    at: int
    packed: int
    unpacked: int
    is_packed: bool = True
    level_bytes: int | None = None
    encodings: tuple[int, int] | None = None

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
    repeating        pages of texts of which each may repeat the one before
    referring        values that refer to the dictionary
    dictionary       the page that they refer to
    """

    values: int
    largest: int
    in_full: int
    repeating: tuple[Page, ...]
    referring: int
    dictionary: Page | None

    @property
    def longest(self) -> int:
        """Bytes that no text of the dictionary exceeds: a single one may be all of it."""
        return 0 if self.dictionary is None else self.dictionary.size

    @property
    def most_text(self) -> int:
        """Bytes that all texts cannot exceed: each that refers to others might be all of them."""
        repeating = sum(page.num_values * page.size for page in self.repeating)
        return self.in_full + repeating + self.referring * self.longest


def look_at_pages(file: int, chunk: ColumnChunk) -> ChunkContent:
    """The content of a chunk of an open file; ValueError if its headers are damaged."""
    pages = list(_read_pages(file, chunk))
    dictionary = pages.pop(0) if pages and pages[0].kind == _DICTIONARY else None
    if any(page.kind == _DICTIONARY for page in pages):
        raise ValueError("a dictionary comes too late")
    entries = 0 if dictionary is None else max(dictionary.size, _PER_ENTRY * dictionary.num_values)
    return ChunkContent(
        values=sum(page.num_values for page in pages),
        largest=max((page.size for page in pages), default=0) + entries,
        in_full=sum(page.size for page in pages if page.encoding in _IN_FULL),
        repeating=tuple(page for page in pages if page.encoding not in _IN_FULL | _REFERRING),
        referring=sum(page.num_values for page in pages if page.encoding in _REFERRING),
        dictionary=dictionary,
    )


_PER_ENTRY = 16
"""Bytes that Arrow takes for an entry of a dictionary, which it announces before it is read."""


def _read_pages(file: int, chunk: ColumnChunk) -> Iterator[Page]:
    """The pages that Arrow would open: it stops where there are values enough."""
    at, seen, end = chunk.start, 0, chunk.end + _PADDING
    headers = _HeaderReader(file, at, end)
    while seen < chunk.num_values and at < end:
        header, body = headers.read(at)
        kind, unpacked, packed = (header.get(field, -1) for field in (1, 2, 3))
        if min(kind, unpacked, packed) < 0:
            raise ValueError("a page does not say what it is")
        at = body + packed
        if kind not in _PARTS:  # an index, which Arrow passes over
            continue
        part, encoding = _PARTS[kind]
        if part not in header:
            raise ValueError("a page does not say what it holds")
        own = header[part]
        values = own.get(1, -1)
        if values < 0:
            raise ValueError("a page does not say how much it holds")
        seen += 0 if kind == _DICTIONARY else values
        page = (kind, values, own.get(encoding, -1), body, packed, unpacked)
        if kind == _DATA_2:
            yield Page(*page, own.get(7, True), own.get(5, -1) + own.get(6, -1))
        else:
            yield Page(*page, encodings=(own.get(4, -1), own.get(3, -1)))


def unpack_page(file: int, page: Page, codec: int) -> Any | None:
    """What a page of an open file holds, without the levels that are not packed; None if only Arrow
    knows how to unpack it, or to say what is wrong."""
    level_bytes = page.level_bytes or 0
    if not 0 <= level_bytes <= min(page.packed, page.unpacked):
        return None
    packed = os.pread(file, page.packed - level_bytes, page.at + level_bytes)
    size = page.unpacked - level_bytes
    if codec == _UNPACKED or not page.is_packed:
        return packed if len(packed) == size else None
    if codec not in _CODECS:
        return None
    import pyarrow as pa

    try:
        return pa.Codec(_CODECS[codec]).decompress(packed, size)
    except (pa.ArrowException, OSError, ValueError):
        return None


class _HeaderReader:
    """Reads the headers of pages, a block of the file at a time: small pages lie close together."""

    def __init__(self, file: int, start: int, end: int) -> None:
        self._file, self._end = file, end
        self._data = Thrift(b"")
        self._fields = _list_fields(self._data)
        self._load(start, _BLOCK)

    def read(self, at: int) -> tuple[dict[int, Any], int]:
        """The header that begins at a place of the file, and where it ends."""
        length = _BLOCK
        if not self._start <= at < self._start + self._size:
            self._load(at, length)
        while True:
            try:
                header, end = self._data.read_struct(at - self._start, self._fields)
                return header, self._start + end
            except IndexError as error:
                if self._start == at:
                    if self._size < length or length >= _LONGEST_HEADER:
                        raise ValueError("the header of a page ends too early") from error
                    length *= 4
            self._load(at, length)

    def _load(self, start: int, length: int) -> None:
        block = os.pread(self._file, max(0, min(length, self._end - start)), start)
        self._start, self._size = start, len(block)
        self._data.load(block)


def _list_fields(data: Thrift) -> FieldHooks:
    """Fields of a page: its kind, its sizes, and a struct for each kind of page."""
    number = (I32, data.read_i32)
    values = {1: number, 2: number, 3: number, 4: number}
    values_2 = {1: number, 4: number, 5: number, 6: number, 7: (TRUE, data.read_true)}
    return {
        1: number,
        2: number,
        3: number,
        5: (STRUCT, lambda at: data.read_struct(at, values)),
        7: (STRUCT, lambda at: data.read_struct(at, {1: number, 2: number})),
        8: (STRUCT, lambda at: data.read_struct(at, values_2)),
    }
