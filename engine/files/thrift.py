"""Thrift's compact protocol, in which parquet writes its footer and the headers of its pages.

Arrow reads the same bytes, with a parser that forgives much: it passes over a field of the wrong
kind, takes the last of several, and cuts numbers to the bits that it expects. Whoever writes a
file could so show one thing to us and another to Arrow. Therefore all that Arrow might read
otherwise is a `ValueError` here, and no sound file has any of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

TRUE, I32, I64, BINARY, LIST, STRUCT = 1, 5, 6, 8, 9, 12
"""Kinds of values that parquet is made of, as they are written."""

_FALSE, _BYTE, _DOUBLE, _SET = 2, 3, 7, 10
_BOOLEANS = frozenset((TRUE, _FALSE))
_NUMBERS = frozenset((4, I32, I64))
_DEEPEST = 60
_LAST_FIELD = 32_767


def _one_of(kind: int) -> bytes:
    """What a field of this kind begins with, if its number follows closely on the one before."""
    return b"[" + b"".join(b"\\x%x%x" % (step, kind) for step in range(1, 16)) + b"]"


def _sized(pieces: Iterable[tuple[int, bytes]]) -> bytes:
    """One of several pieces, each behind the byte that announces it."""
    return b"(?:" + b"|".join(b"\\x%02x%b" % piece for piece in pieces) + b")"


@cache
def _compile_common_fields() -> re.Pattern[bytes]:
    """Fields in a row, of the kinds and lengths that nearly all fields of a footer have.

    Passing over a footer is most of the work, and this does it several times as fast as looking at
    each field. No repetition gives back what it took (`*+`), so no bytes make it slow.
    """
    text = _sized((length, b".{%d}" % length) for length in range(33))
    lists = [
        (count << 4 | kind, b"(?:%b){%d}" % (_NUMBER, count))
        for count in range(5)
        for kind in (I32, I64)
    ]
    flat = b"%b|%b|(?:%b|%b)%b|%b%b|%b%b" % (
        *(_one_of(1), _one_of(2), _one_of(I32), _one_of(I64), _NUMBER),
        *(_one_of(BINARY), text, _one_of(LIST), _sized([*lists, (0x10 | BINARY, text)])),
    )
    struct = b"(?:%b)*+\\x00" % flat
    structs = _sized((count << 4 | STRUCT, b"(?:%b){%d}+" % (struct, count)) for count in (2, 3))
    return re.compile(
        b"(?s:%b|%b%b|%b%b)*+" % (flat, _one_of(STRUCT), struct, _one_of(LIST), structs)
    )


_NUMBER = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
_match_number = re.compile(_NUMBER).match
_LONG = 1 << 17
"""Bytes that take longer to read field by field than the pattern takes to compile."""


ValueHook: TypeAlias = Callable[[int], tuple[Any, int]]
"""Reads the value that begins somewhere; it and where it ends."""
FieldHooks: TypeAlias = Mapping[int, tuple[int, ValueHook]]


class Thrift:
    """Values that lie in bytes, each found by where it begins; IndexError where the bytes end."""

    __slots__ = ("_data", "_match_common_fields")

    def __init__(self, data: bytes) -> None:
        self.load(data)

    def load(self, data: bytes) -> None:
        """Look into other bytes from now on; what reads values of the ones before goes on."""
        self._data = data
        self._match_common_fields = _compile_common_fields().match if len(data) > _LONG else None

    def read_struct(self, at: int, wanted: FieldHooks) -> tuple[dict[int, Any], int]:
        """The fields that are wanted, and where the struct ends.

        wanted  the kind of each field, and what reads it
        """
        data = self._data
        found: dict[int, Any] = {}
        field = 0
        while head := data[at]:
            kind, step = head & 15, head >> 4
            at += 1
            if step:
                field += step
            else:
                field, at = self._read_number(at, 16)
            if not 0 < field <= _LAST_FIELD:  # Arrow would count on from the other end
                raise ValueError("a field has an odd number")
            if field not in wanted:
                at = at if kind in _BOOLEANS else self._skip(kind, at, 0)
                continue
            expected, read = wanted[field]
            is_false = kind == _FALSE and expected == TRUE
            if (kind != expected and not is_false) or field in found:
                raise ValueError("a field is there twice, or is not what it should be")
            found[field], at = (False, at) if is_false else read(at)
        return found, at + 1

    def read_structs(self, at: int, read: ValueHook) -> tuple[list[Any], int]:
        """A list of structs, each read so."""
        count, kind, at = self._read_count(at)
        if count and kind != STRUCT:
            raise ValueError("a list is not what it should be")
        values = []
        for _ in range(count):
            value, at = read(at)
            values.append(value)
        return values, at

    def note_struct(self, at: int) -> tuple[int, int]:
        """Where a struct begins, to be read later, and where it ends."""
        return at, self._skip_struct(at, 0)

    def count_items(self, at: int) -> tuple[int, int]:
        """How many values a list has, and where it ends."""
        return self._read_count(at)[0], self._skip_list(at, 0)

    def read_true(self, at: int) -> tuple[bool, int]:
        """A truth value has no bytes beside its kind."""
        return True, at

    def read_i32(self, at: int) -> tuple[int, int]:
        return self._read_number(at, 32)

    def read_i64(self, at: int) -> tuple[int, int]:
        return self._read_number(at, 64)

    def _read_number(self, at: int, bits: int) -> tuple[int, int]:
        """A number whose sign is its last bit, and where it ends."""
        number, at = self.read_unsigned(at)
        if number >> bits:
            raise ValueError("a number is too large")
        return (number >> 1) ^ -(number & 1), at

    def read_unsigned(self, at: int) -> tuple[int, int]:
        byte = self._data[at]
        if byte < 128:
            return byte, at + 1
        end = self._skip_number(at)
        number = 0
        for byte in reversed(self._data[at:end]):
            number = number << 7 | byte & 127
        return number, end

    def _skip_number(self, at: int) -> int:
        found = _match_number(self._data, at)
        if found is None:
            if len(self._data) - at > 9:
                raise ValueError("a number has no end")
            raise IndexError
        return found.end()

    def _read_count(self, at: int) -> tuple[int, int, int]:
        """How many values a list has, of which kind, and where they begin."""
        head = self._data[at]
        count, at = (head >> 4, at + 1) if head < 0xF0 else self.read_unsigned(at + 1)
        if count > len(self._data) - at:  # each takes a byte at least
            raise IndexError
        return count, head & 15, at

    def _skip_struct(self, at: int, depth: int) -> int:
        if depth > _DEEPEST:
            raise ValueError("it is nested too deeply")
        data, match = self._data, self._match_common_fields
        while True:
            if match is not None and (run := match(data, at)) is not None:
                at = run.end()
            head = data[at]
            at += 1
            if not head:
                return at
            if head < 16:  # the number of the field comes by itself
                at = self._skip_number(at)
            if head & 15 not in _BOOLEANS:
                at = self._skip(head & 15, at, depth)

    def _skip(self, kind: int, at: int, depth: int) -> int:
        """Where a value of this kind ends."""
        if kind == BINARY:
            length, at = self.read_unsigned(at)
            return at + length
        if kind == STRUCT:
            return self._skip_struct(at, depth + 1)
        if kind in _NUMBERS:
            return self._skip_number(at)
        if kind in (LIST, _SET):
            return self._skip_list(at, depth + 1)
        if kind == _BYTE or kind in _BOOLEANS:  # a truth value in a list has a byte
            return at + 1
        if kind == _DOUBLE:
            return at + 8
        raise ValueError("it holds what parquet does not know")  # a map, of which there is none

    def _skip_list(self, at: int, depth: int) -> int:
        if depth > _DEEPEST:
            raise ValueError("it is nested too deeply")
        count, kind, at = self._read_count(at)
        for _ in range(count):
            at = self._skip(kind, at, depth)
        return at
