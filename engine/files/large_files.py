"""The bytes of a text file of any size: unpacked, checked to be text, with plain line ends."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.reading import guard_reading

_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
# Runs shrink to a tenth; an archive that grows like this is an accident or an attack.
_MOST_GROWTH = 200
_ALWAYS_FINE = 2**30
_PIECE = 2**24


def read_data(path: Path) -> bytes:
    """The whole file as UTF-8 without byte order mark; lines end in "\\n", as many as there were.

    A gzip file is unpacked, whatever it is called.
    """
    data = read_unpacked(path)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    _require_text(path, data)
    return data


def read_unpacked(path: Path) -> bytes:
    """The bytes of a file that is not empty, unpacked and without byte order mark."""
    data = _unpack(path, read_raw(path)).removeprefix(_UTF8_MARK)
    if not data or data.isspace():
        raise InputError("is empty", path)
    return data


def read_raw(path: Path) -> bytes:
    """The bytes as they are on disk."""
    with guard_reading(path) as size:
        _require_room(path, size)
        return path.read_bytes()


def _require_room(path: Path, size: int) -> None:
    """Refuse at once what would drive the machine out of memory only after minutes."""
    room = measure_memory()
    if size > room:
        raise InputError(
            f"has {size >> 20:,} MB, more than this machine's memory ({room >> 20:,} MB)",
            path,
            hint="split it, or use a larger machine",
        )


def measure_memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _unpack(path: Path, data: bytes) -> bytes:
    if not data.startswith(_GZIP_MAGIC):
        return data
    most = min(max(_ALWAYS_FINE, _MOST_GROWTH * len(data)), measure_memory() // 2)
    pieces: list[bytes] = []
    size = 0
    try:
        with gzip.open(io.BytesIO(data)) as file:
            while piece := file.read(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise InputError(
                        f"unpacks to more than {most >> 20:,} MB",
                        path,
                        hint="unpack it yourself if that is right",
                    )
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
