"""The bytes of a text file of any size: unpacked, checked to be text, with plain line ends."""

from __future__ import annotations

import gzip
import io
import math
import zlib
from functools import partial
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.budget import measure_limit, require_room
from engine.files.reading import guard_reading
from engine.files.text_cost import LINES_COST, PART, estimate_file, estimate_parsing

_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
_PIECE = 2**24
_LOOKED_AHEAD = 2**28
"""Bytes that are unpacked, not kept, only to say how many there are: within a second."""
_UNPACK = "unpack it and split it"


def read_data(path: Path) -> bytes:
    """The whole file as UTF-8 without byte order mark; lines end in "\\n", as many as there were.

    A gzip file is unpacked, whatever it is called.
    """
    data = read_unpacked(path)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    _require_text(path, data)
    LINES_COST.require(data, path)
    return data


def read_unpacked(path: Path) -> bytes:
    """The bytes of a file that is not empty, unpacked and without byte order mark."""
    data = read_raw(path)
    if is_gzip(data):
        data = unpack_gzip(path, data)
    data = data.removeprefix(_UTF8_MARK)
    if not data or data.isspace():
        raise InputError("is empty", path)
    return data


def read_raw(path: Path) -> bytes:
    """The bytes as they are on disk."""
    with guard_reading(path) as size:
        require_room(2 * size, path, later=partial(estimate_file, path, size))
        return path.read_bytes()


def is_gzip(data: bytes | memoryview) -> bool:
    """Whether data begin as gzip data do."""
    return bytes(data[:2]) == _GZIP_MAGIC


def unpack_gzip(path: Path, data: bytes | memoryview) -> bytes:
    """What was packed, as far as there is room for it."""
    most = measure_limit(path) // LINES_COST.per_byte
    pieces: list[bytes] = []
    size = 0
    try:
        with gzip.open(io.BytesIO(data)) as file:
            while piece := file.read(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    later = partial(_estimate_rest, file, pieces, path)
                    require_room(LINES_COST.per_byte * size, path, hint=_UNPACK, later=later)
    except EOFError as error:
        line = b"".join(pieces).count(b"\n") + 1
        raise InputError(
            "ends in the middle of the gzip data", Place(path, line), hint="copy the file again"
        ) from error
    except (gzip.BadGzipFile, zlib.error, OSError) as error:
        reason = str(error).partition(" (b")[0]  # without the bytes that Python quotes
        message = f"is a damaged gzip file ({reason})"
        raise InputError(message, path, hint="copy the file again") from error
    return b"".join(pieces)


def _estimate_rest(file: gzip.GzipFile, pieces: list[bytes], path: Path) -> float:
    """What parsing all of it will take, by the beginning of every piece, if the end is near."""
    size = sum(map(len, pieces))
    far = size + _LOOKED_AHEAD
    sample = bytearray().join(piece[:PART] for piece in pieces)
    pieces.clear()  # they are not needed any more, and take the room that there is
    try:
        while size < far and (piece := file.read(_PIECE)):
            size += len(piece)
            sample += piece[:PART]
    except (EOFError, OSError, zlib.error):  # a damaged one is too large all the same
        return math.inf
    if size >= far:
        return math.inf
    return estimate_parsing(memoryview(sample), path) * size / len(sample)


def _require_text(path: Path, data: bytes) -> None:
    zero = data.find(b"\0")
    if zero >= 0:
        raise InputError(
            "is not a text file",
            Place(path, find_line_number(data, zero)),
            hint="save it as UTF-8 text",
        )
    if data.isascii():
        return
    try:
        str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 (byte 0x{data[error.start]:02x})",
            Place(path, find_line_number(data, error.start)),
            hint="save it as UTF-8 text",
        ) from error


def find_line_number(data: bytes, offset: int) -> int:
    """The number of the line in which the byte at `offset` stands, from 1.

    >>> find_line_number(b"a\\nbc\\n", 3)
    2
    """
    return data.count(b"\n", 0, offset) + 1
