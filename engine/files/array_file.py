"""Arrays in a safetensors file, read where they lie: nothing is copied.

The file begins with the length of a JSON header (8 bytes, little endian) and the header, which
says of every array its type, its shape, and where it begins and ends in what follows.
"""

from __future__ import annotations

import json
import mmap
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_LENGTH = struct.Struct("<Q")
_TYPES = {"F32": "<f4", "F16": "<f2", "U8": "u1", "U16": "<u2", "U32": "<u4", "I64": "<i8"}


class ArrayFile:
    """The arrays of one file, by name. Only what is used of them takes memory."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (length,) = _LENGTH.unpack_from(self._bytes)
        self._first = _LENGTH.size + length
        self._entries = json.loads(self._bytes[_LENGTH.size : self._first])

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        entry = self._entries[name]
        begin, end = entry["data_offsets"]
        kind = np.dtype(_TYPES[entry["dtype"]])
        count = (end - begin) // kind.itemsize
        flat = np.frombuffer(self._bytes, kind, count, self._first + begin)
        return flat.reshape(entry["shape"])

    def give_back(self, name: str) -> None:
        """Give the memory back that looking into an array took: it is read from the file again,
        which the system mostly still has at hand, as soon as it is looked into again."""
        begin, end = (self._first + offset for offset in self._entries[name]["data_offsets"])
        first_page = begin - begin % mmap.PAGESIZE
        self._bytes.madvise(mmap.MADV_DONTNEED, first_page, end - first_page)
