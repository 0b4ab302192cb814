"""What the footer of a parquet file says of its columns, read without Arrow.

Arrow checks the metadata of a column when it is first asked for them, and ends the whole process
if they are not in order. What is needed to estimate memory is therefore read here, from Thrift's
compact protocol, where damage is a `ValueError` and nothing worse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

_END = 8
"""Bytes after the footer: its length, and the magic."""
_MAGIC = b"PAR1"
_LONGEST_NUMBER = 10
"""Bytes of a number of 64 bits."""
_DEEPEST = 100
_BOOLEANS, _BYTE, _NUMBERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (
    (1, 2),
    3,
    (4, 5, 6),
    7,
    8,
    (9, 10),
    12,
)
_NOT_PLAIN = frozenset((2, 5, 6, 7, 8))
"""Encodings that refer to a dictionary, or to the value before."""


@dataclass(frozen=True, slots=True)
class ColumnChunk:
    """The part of a column that is in one group of rows.

    plain  every value stands there in full
    """

    num_values: int
    total_uncompressed_size: int
    plain: bool
    has_dictionary_page: bool


RowGroups: TypeAlias = tuple[tuple[ColumnChunk, ...], ...]
"""The chunks of every group of rows, in the order of the columns."""


def read_row_groups(path: Path) -> RowGroups:
    """What the footer says; ValueError if it is damaged."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END))
        end = file.read(_END)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != _MAGIC or length > size - _END - len(_MAGIC):
            raise ValueError("its footer is not where it should be")
        file.seek(size - _END - length)
        footer = _Thrift(file.read(length))
    try:
        fields = footer.read_struct({4: lambda: footer.read_list(lambda: _read_group(footer))})
    except IndexError as error:
        raise ValueError("its footer ends too early") from error
    return tuple(fields.get(4, ()))


def _read_group(footer: _Thrift) -> tuple[ColumnChunk, ...]:
    return tuple(
        footer.read_struct({1: lambda: footer.read_list(lambda: _read_chunk(footer))}).get(1, ())
    )


def _read_chunk(footer: _Thrift) -> ColumnChunk:
    number = footer.read_number
    wanted = {2: lambda: footer.read_list(number), 5: number, 6: number, 11: number}
    found = footer.read_struct({3: lambda: footer.read_struct(wanted)}).get(3, {})
    values, size = found.get(5, -1), found.get(6, -1)
    if values < 0 or size < 0:
        raise ValueError("a column does not say how much it holds")
    return ColumnChunk(values, size, _NOT_PLAIN.isdisjoint(found.get(2, ())), 11 in found)


class _Thrift:
    """Values of Thrift's compact protocol, one after the other; IndexError where they end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._depth = 0

    def read_struct(self, wanted: Mapping[int, Callable[[], Any]]) -> dict[int, Any]:
        """The fields that are wanted, each read as it says; the others are passed over."""
        self._descend()
        found: dict[int, Any] = {}
        field = 0
        while kind := self._read_byte():
            step, kind = kind >> 4, kind & 15
            field = field + step if step else self.read_number()
            if field in wanted:
                found[field] = wanted[field]()
            elif kind not in _BOOLEANS:  # which have no other bytes
                self._skip(kind)
        self._depth -= 1
        return found

    def read_list(self, read: Callable[[], Any]) -> list[Any]:
        count, _ = self._read_count()
        return [read() for _ in range(count)]

    def read_number(self) -> int:
        """A number whose sign is its last bit."""
        number = self._read_unsigned()
        return (number >> 1) ^ -(number & 1)

    def _read_byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _read_unsigned(self) -> int:
        number = 0
        for place in range(_LONGEST_NUMBER):
            byte = self._read_byte()
            number |= (byte & 127) << 7 * place
            if byte < 128:
                return number
        raise ValueError("a number of its footer has no end")

    def _read_count(self) -> tuple[int, int]:
        """How many values a list has, and of which kind."""
        head = self._read_byte()
        count = head >> 4 if head >> 4 < 15 else self._read_unsigned()
        if count > len(self._data) - self._at:  # each takes a byte at least
            raise IndexError
        return count, head & 15

    def _skip(self, kind: int) -> None:
        if kind in _NUMBERS:
            self._read_unsigned()
        elif kind in (_BYTE, *_BOOLEANS):  # a truth value in a list has a byte
            self._at += 1
        elif kind == _DOUBLE:
            self._at += 8
        elif kind == _BINARY:
            length = self._read_unsigned()  # which moves on by itself
            self._at += length
        elif kind in _LISTS:
            self._skip_list()
        elif kind == _STRUCT:
            self.read_struct({})
        else:  # a map, of which parquet has none
            raise ValueError("its footer holds what parquet does not know")

    def _skip_list(self) -> None:
        self._descend()
        count, kind = self._read_count()
        for _ in range(count):
            self._skip(kind)
        self._depth -= 1

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("its footer is nested too deeply")
