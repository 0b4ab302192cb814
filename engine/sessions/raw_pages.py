"""The records in the pages of an SQLite file, read one by one: also those of a file that SQLite
itself refuses, because a page elsewhere is damaged.

https://www.sqlite.org/fileformat2.html describes the format; names are those used there.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.sessions.image import MAGIC
from engine.sessions.raw_log import PAGE_SIZES, USUAL_SIZE

Value: TypeAlias = int | float | str | bytes | None

INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF = 2, 5, 10, 13

MOST_SHARERS = 2
"""Records that may claim one overflow page. A sound file has one; where it is not known any more
which pages are free, a record that was deleted may still point to a page that was used again."""

_MOST_COLUMNS = 100
_MOST_RESERVED = 32
_WIDTHS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}


class BadPageError(Exception):
    """The bytes are not what they should be."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A row as it lies in a page; `rowid` is None in an index and a table without row ids."""

    rowid: int | None
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class RawPage:
    """What could be read of a page of a tree.

    records   those that are wanted
    others    how many are not
    children  the pages below it
    is_whole  all of its cells could be read
    """

    kind: int
    records: tuple[RawRecord, ...]
    others: int
    children: tuple[int, ...]
    is_whole: bool


class PageFile:
    """The pages of an SQLite file, numbered from 1; to be read once, each of them.

    However they point at each other, the records found in them are at most `MOST_SHARERS` times as
    long as the file: the cells of a page are at most as long as the page, and an overflow page is
    read for so many records alone.
    """

    def __init__(self, data: bytes, size: int = USUAL_SIZE, reserved: int = 0) -> None:
        """`reserved`: bytes at the end of each page that are not SQLite's."""
        self._data = data
        self.size = size
        self._usable = size - reserved
        self.count = len(data) // self.size
        self._sharers: Counter[int] = Counter()

    def read_free_pages(self) -> set[int]:
        """The pages that are in no tree: what is in them was deleted."""
        free: set[int] = set()
        (trunk,) = struct.unpack_from(">I", self._data, 32) if len(self._data) >= 36 else (0,)
        while 0 < trunk <= self.count and trunk not in free:
            free.add(trunk)
            page = self._page(trunk)
            trunk, leaves = struct.unpack_from(">2I", page)
            if leaves > len(page) // 4 - 2:
                break
            free.update(struct.unpack_from(f">{leaves}I", page, 8))
        return free

    def read(self, number: int, is_wanted: Callable[[RawRecord], bool] = lambda _: True) -> RawPage:
        """A page of a tree; an error if it is none."""
        if not 0 < number <= self.count:
            raise BadPageError
        page, head = self._page(number), 100 if number == 1 else 0
        kind, _, cells = struct.unpack_from(">BHH", page, head)
        interior = kind in (INDEX_INTERIOR, TABLE_INTERIOR)
        starts = head + (12 if interior else 8)
        if kind not in (2, 5, 10, 13) or starts + 2 * cells > len(page):
            raise BadPageError
        places = struct.unpack_from(f">{cells}H", page, starts)
        records, children, others, whole = [], [], 0, len({*places}) == cells
        room = len(page)
        for at in dict.fromkeys(places):
            try:
                child, record, local = self._read_cell(page, kind, at, room)
            except (BadPageError, struct.error, IndexError, UnicodeDecodeError):
                whole = False
                continue
            room -= local
            children += [child] if child else []
            if record is not None and is_wanted(record):
                records.append(record)
            else:
                others += record is not None
        if interior:
            children.append(struct.unpack_from(">I", page, head + 8)[0])
        return RawPage(kind, tuple(records), others, tuple(children), whole)

    def _page(self, number: int) -> bytes:
        return self._data[(number - 1) * self.size : number * self.size][: self._usable]

    def _read_cell(
        self, page: bytes, kind: int, at: int, room: int
    ) -> tuple[int, RawRecord | None, int]:
        """The page below, the record, and how many bytes of the page the record takes."""
        child, rowid = 0, None
        if kind in (INDEX_INTERIOR, TABLE_INTERIOR):
            (child,) = struct.unpack_from(">I", page, at)
            at += 4
        if kind == TABLE_INTERIOR:
            return child, None, 0
        length, at = _read_varint(page, at)
        if kind == TABLE_LEAF:
            rowid, at = _read_varint(page, at)
        local = self._measure_local(length, kind == TABLE_LEAF)
        if local > room:  # cells that overlap
            raise BadPageError
        payload = self._read_payload(page, at, length, local)
        return child, RawRecord(rowid, _decode(payload)), local

    def _measure_local(self, length: int, of_table: bool) -> int:
        """How many bytes of a record are in its page, by the format; the rest is in a chain."""
        if not 0 < length <= len(self._data):
            raise BadPageError
        usable = self._usable
        most = usable - 35 if of_table else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        return local if local <= most else least

    def _read_payload(self, page: bytes, at: int, length: int, local: int) -> bytes:
        parts = [page[at : at + local]]
        if length > local:
            parts += self._read_chain(struct.unpack_from(">I", page, at + local)[0], length - local)
        payload = b"".join(parts)
        if len(payload) != length:
            raise BadPageError
        return payload

    def _read_chain(self, number: int, length: int) -> Iterator[bytes]:
        passed = set()
        while length > 0:
            if not 1 < number <= self.count or number in passed:
                raise BadPageError
            passed.add(number)
            self._sharers[number] += 1
            if self._sharers[number] > MOST_SHARERS:
                raise BadPageError
            page = self._page(number)
            (number,) = struct.unpack_from(">I", page)
            yield page[4 : 4 + length]
            length -= len(page) - 4


def list_layouts(data: bytes) -> list[tuple[int, int]]:
    """The sizes of page, each with its reserved bytes, that a file may have: first what it says
    itself, if that can be, then what is usual."""
    size, reserved = USUAL_SIZE, 0
    if len(data) >= 100 and data.startswith(MAGIC):
        (said,) = struct.unpack_from(">H", data, 16)
        said = 1 << 16 if said == 1 else said
        size = said if said in PAGE_SIZES else USUAL_SIZE
        reserved = data[20] if data[20] <= _MOST_RESERVED else 0
    layouts = [(one, kept) for one in (size, USUAL_SIZE, *PAGE_SIZES) for kept in (reserved, 0)]
    return list(dict.fromkeys(layouts))


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, seven bits each, and where it ends.

    >>> _read_varint(bytes([0x81, 0x01]), 0)
    (129, 2)
    """
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    value = value << 8 | data[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _decode(payload: bytes) -> tuple[Value, ...]:
    """The values of a record: their kinds first, then their bytes."""
    end, at = _read_varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _read_varint(payload, at)
        kinds.append(kind)
        if kind < 0 or kind in (10, 11) or len(kinds) > _MOST_COLUMNS:
            raise BadPageError
    values = []
    for kind in kinds:
        width = _WIDTHS.get(kind, (kind - 12) // 2)
        part = payload[at : at + width]
        if len(part) != width:
            raise BadPageError
        values.append(_decode_value(kind, part))
        at += width
    if at != len(payload):
        raise BadPageError
    return tuple(values)


def _decode_value(kind: int, part: bytes) -> Value:
    if kind == 0:
        return None
    if kind == 7:
        return float(struct.unpack(">d", part)[0])
    if kind in (8, 9):
        return kind - 8
    if kind < 7:
        return int.from_bytes(part, signed=True)
    return part.decode() if kind % 2 else part
