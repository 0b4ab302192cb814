"""Where the footer of a parquet file says that its columns lie, read without Arrow.

Arrow checks the metadata of a column when it is first asked for them, and ends the whole process
if they are not in order. They are therefore read here first, where damage is a `ValueError` and
nothing worse.

Nothing is believed that the footer says of sizes and encodings: Arrow goes by the headers of the
pages, and so does `parquet_pages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.files.budget import require_room
from engine.files.thrift import I32, I64, LIST, STRUCT, Thrift

_END = 8
"""Bytes after the footer: its length, and the magic."""
_MAGIC = b"PAR1"
_PER_BYTE, _PER_COLUMN, _PER_CHUNK = 8, 1500, 1200
"""Bytes of memory that Arrow takes for what a footer holds: a few bytes of it can be a column."""
_HINT = "write it again with fewer columns"


@dataclass(frozen=True, slots=True)
class ColumnChunk:
    """The part of a column that is in one group of rows.

    num_values  Arrow opens no further page once it has seen so many
    start, end  its bytes in the file
    codec       how its pages are packed, by parquet's number
    """

    num_values: int
    start: int
    end: int
    codec: int


@dataclass(frozen=True, slots=True)
class Footer:
    """What a footer says; a chunk is read when it is asked for, as most never are.

    rows    of every group; Arrow reads no more, whatever there is
    groups  for every group of rows, where in the footer each of its chunks is
    size    bytes of the whole file
    """

    rows: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    size: int
    _data: Thrift

    def read_chunk(self, group: int, column: int) -> ColumnChunk:
        """ValueError if it is damaged."""
        data = self._data
        number = (I64, data.read_i64)
        fields = {4: (I32, data.read_i32), 5: number, 7: number, 9: number, 11: number}
        meta = (STRUCT, lambda at: data.read_struct(at, fields))
        found = data.read_struct(self.groups[group][column], {3: meta})[0].get(3, {})
        values, length, start = (found.get(field, -1) for field in (5, 7, 9))
        if 0 < found.get(11, 0) < start:  # a dictionary lies before the data
            start = found[11]
        if min(values, length, start) < 0 or start + length > self.size:
            raise ValueError("a column does not say where it lies")
        return ColumnChunk(values, start, start + length, found.get(4, -1))


def read_footer(path: Path) -> Footer:
    """What the footer says; ValueError if it is damaged."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END))
        end = file.read(_END)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != _MAGIC or length > size - _END - len(_MAGIC):
            raise ValueError("its footer is not where it should be")
        require_room(_PER_BYTE * length, path, hint=_HINT)
        file.seek(size - _END - length)
        data = Thrift(file.read(length))
    try:
        found = _read_outline(data)
    except IndexError as error:
        raise ValueError("its footer ends too early") from error
    except ValueError as error:
        raise ValueError(f"its footer is damaged: {error}") from error
    groups, columns = found.get(_GROUPS, ()), found.get(_SCHEMA, 0)
    chunks = sum(len(chunks) for _, chunks in groups)
    needed = _PER_BYTE * length + _PER_COLUMN * columns + _PER_CHUNK * (chunks + len(groups))
    require_room(needed, path, hint=_HINT)
    rows = tuple(rows for rows, _ in groups)
    return Footer(rows, tuple(chunks for _, chunks in groups), size, data)


_SCHEMA, _GROUPS = 2, 4


def _read_outline(data: Thrift) -> dict[int, Any]:
    """How many columns there are, and for every group of rows its rows and its chunks."""
    chunks = (LIST, lambda at: data.read_structs(at, data.note_struct))
    rows = (I64, data.read_i64)

    def read_group(at: int) -> tuple[tuple[int, tuple[int, ...]], int]:
        found, end = data.read_struct(at, {1: chunks, 3: rows})
        if found.get(3, -1) < 0:
            raise ValueError("a group of rows does not say how many there are")
        return (found[3], tuple(found.get(1, ()))), end

    groups = (LIST, lambda at: data.read_structs(at, read_group))
    return data.read_struct(0, {_SCHEMA: (LIST, data.count_items), _GROUPS: groups})[0]
