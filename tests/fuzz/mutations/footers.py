"""Footers of parquet files that lie: taken apart, changed, and written again.

What is not sound any more is still whole, so that it gets as far as the readers' estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

I32, I64, LIST, STRUCT = 5, 6, 9, 12
NUM_VALUES, UNCOMPRESSED, COMPRESSED, DATA_AT = 5, 6, 7, 9
ENCODINGS, ROW_GROUPS = 2, 4

Fields: TypeAlias = list[list[Any]]
"""A struct of Thrift: number, kind and value of each field."""


def split_footer(data: bytes) -> tuple[bytes, Fields]:
    """All before the footer, and what the footer says."""
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:start], read_struct(data, start)[0]


def join_footer(body: bytes, footer: Fields) -> bytes:
    written = write_struct(footer)
    return body + written + len(written).to_bytes(4, "little") + b"PAR1"


def find_field(fields: Fields, number: int) -> list[Any]:
    return next(field for field in fields if field[0] == number)


def find_chunks(footer: Fields) -> Iterator[Fields]:
    """The metadata of every chunk of a column; where a writer gave up, some chunks have none."""
    for group in find_field(footer, ROW_GROUPS)[2][1]:
        for chunk in find_field(group, 1)[2][1]:
            yield from (value for number, _, value in chunk if number == 3)


def change_chunks(data: bytes, change: Callable[[Fields], object]) -> bytes:
    """The file with other metadata for each chunk."""
    body, footer = split_footer(data)
    for chunk in find_chunks(footer):
        change(chunk)
    return join_footer(body, footer)


def say_plain(chunk: Fields) -> None:
    """No dictionary, and next to no bytes."""
    find_field(chunk, ENCODINGS)[2] = (I32, [0, 3])
    find_field(chunk, UNCOMPRESSED)[2] = 10


def say_twice(chunk: Fields) -> None:
    """A second count, which Arrow passes over."""
    chunk.append([NUM_VALUES, I32, 1])


def say_far_away(chunk: Fields) -> None:
    """Another count, in a field that is the same one in 16 bits."""
    chunk.append([65_536 + NUM_VALUES, I64, find_field(chunk, NUM_VALUES)[2]])
    find_field(chunk, NUM_VALUES)[2] = 1


def say_one_value(chunk: Fields) -> None:
    find_field(chunk, NUM_VALUES)[2] = 1


def lie(data: bytes, rng: Random) -> bytes:
    """One number of the footer, or one way to write it, that is not so."""
    if rng.random() < 0.5:
        return change_chunks(data, rng.choice((say_plain, say_twice, say_far_away, say_one_value)))
    field = rng.choice((NUM_VALUES, UNCOMPRESSED, COMPRESSED, DATA_AT))
    odd = rng.choice((-1, 0, 1, 4, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1))

    def change(chunk: Fields) -> None:
        find_field(chunk, field)[1:] = rng.choice((I64, I64, I32)), odd

    return change_chunks(data, change)


def read_number(data: bytes, at: int) -> tuple[int, int]:
    number = place = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << place
        at, place = at + 1, place + 7
        if byte < 128:
            return number, at


def write_number(number: int) -> bytes:
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def read_struct(data: bytes, at: int) -> tuple[Fields, int]:
    fields: Fields = []
    number = 0
    while head := data[at]:
        at += 1
        if not head >> 4:
            raise ValueError("a field whose number comes by itself")
        number += head >> 4
        value, at = (None, at) if head & 15 in (1, 2) else _read(data, at, head & 15)
        fields.append([number, head & 15, value])
    return fields, at + 1


def _read(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind == STRUCT:
        return read_struct(data, at)
    if kind == LIST:
        count, item, at = data[at] >> 4, data[at] & 15, at + 1
        if count == 15:
            count, at = read_number(data, at)
        items = []
        for _ in range(count):
            value, at = (data[at], at + 1) if item in (1, 2) else _read(data, at, item)
            items.append(value)
        return (item, items), at
    number, at = read_number(data, at)
    if kind == 8:
        return data[at : at + number], at + number
    return (number >> 1) ^ -(number & 1), at


def write_struct(fields: Fields) -> bytes:
    written = bytearray()
    last = 0
    for number, kind, value in fields:
        if 0 < number - last < 16:
            written.append(number - last << 4 | kind)
        else:
            written.append(kind)
            written += _write(I64, number)
        written += b"" if kind in (1, 2) else _write(kind, value)
        last = number
    return bytes(written) + b"\0"


def _write(kind: int, value: Any) -> bytes:
    if kind == STRUCT:
        return write_struct(value)
    if kind == LIST:
        item, items = value
        head = (
            bytes([len(items) << 4 | item])
            if len(items) < 15
            else (bytes([0xF0 | item]) + write_number(len(items)))
        )
        parts = (bytes([one]) if item in (1, 2) else _write(item, one) for one in items)
        return head + b"".join(parts)
    if kind == 8:
        return write_number(len(value)) + bytes(value)
    return write_number(((value << 1) ^ (value >> 63)) & (2**64 - 1))
