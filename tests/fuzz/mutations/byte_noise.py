"""Mutations that know nothing of a format: bytes flipped, moved, doubled, cut."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

ByteMutation: TypeAlias = Callable[[bytes, Random], bytes]

_NUMBERS = (0, 1, -1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, -(1 << 31), (1 << 63) - 1,
            -(1 << 63), 1 << 40, 10**9)  # fmt: skip
_LAYOUTS = ("<b", "<h", ">h", "<i", ">i", "<q", ">q")
_PIECES = (b"\0", b"\0" * 64, b"\xff" * 8, b"\xef\xbb\xbf", b"\xff\xfe", b"\x1b[31m", b"\r",
           b"\n\n",
           b"PK\x03\x04", b"PAR1", b"\x1f\x8b", b"\x93NUMPY", b"\x80\x04", b"\xed\xa0\x80",
           b"\xf4\x90\x80\x80", b"%n%s", b"\"", b"'", b"\\")  # fmt: skip


def _place(data: bytes, rng: Random) -> int:
    """Anywhere; heads and tails, where formats keep what they are, more often."""
    near = rng.choice((32, 512, len(data)))
    if rng.random() < 0.3:
        return max(0, len(data) - 1 - rng.randrange(max(1, min(near, len(data)))))
    return rng.randrange(max(1, min(near, len(data))))


def _stretch(data: bytes, rng: Random) -> tuple[int, int]:
    begin = _place(data, rng)
    return begin, min(len(data), begin + rng.choice((1, 2, 4, 8, 40, 400, len(data))))


def flip_bits(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[_place(data, rng)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite_number(data: bytes, rng: Random) -> bytes:
    """An integer that somebody forgot, wherever one may stand: lengths, counts, offsets."""
    layout = rng.choice(_LAYOUTS)
    size = struct.calcsize(layout)
    number = rng.choice(_NUMBERS) & ((1 << 8 * size) - 1)
    packed = number.to_bytes(size, "little" if layout[0] == "<" else "big")
    begin = _place(data, rng)
    return data[:begin] + packed + data[begin + size :]


def insert_piece(data: bytes, rng: Random) -> bytes:
    begin = _place(data, rng)
    return data[:begin] + rng.choice(_PIECES) + data[begin:]


def delete_stretch(data: bytes, rng: Random) -> bytes:
    begin, end = _stretch(data, rng)
    return data[:begin] + data[end:]


def repeat_stretch(data: bytes, rng: Random) -> bytes:
    begin, end = _stretch(data, rng)
    times = rng.choice((1, 2, 50)) if end - begin < 4096 else 1
    return data[:end] + data[begin:end] * times + data[end:]


def move_stretch(data: bytes, rng: Random) -> bytes:
    begin, end = _stretch(data, rng)
    rest, to = data[:begin] + data[end:], _place(data, rng)
    return rest[:to] + data[begin:end] + rest[to:]


def cut_end(data: bytes, rng: Random) -> bytes:
    return data[: _place(data, rng)]


def cut_start(data: bytes, rng: Random) -> bytes:
    return data[_place(data, rng) :]


def add_rubbish(data: bytes, rng: Random) -> bytes:
    return data + rng.randbytes(rng.choice((1, 16, 4096)))


def make_rubbish(data: bytes, rng: Random) -> bytes:
    """Nothing but noise, behind a beginning that may promise more."""
    return data[: rng.choice((0, 4, 8, 16))] + rng.randbytes(rng.choice((0, 1, 3, 100, 5000)))


def splice(data: bytes, other: bytes, rng: Random) -> bytes:
    """The beginning of one file and the end of another."""
    return data[: _place(data, rng)] + other[_place(other, rng) :]


BYTE_MUTATIONS: Sequence[ByteMutation] = (
    flip_bits,
    flip_bits,
    overwrite_number,
    overwrite_number,
    insert_piece,
    delete_stretch,
    repeat_stretch,
    move_stretch,
    cut_end,
    cut_start,
    add_rubbish,
    make_rubbish,
)
