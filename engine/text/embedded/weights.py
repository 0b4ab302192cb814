"""Weights of a model in a safetensors file, read where they lie: nothing is copied.

The file begins with the length of a JSON header (8 bytes, little endian) and the header, which
says of every array its type, its shape, and where it begins and ends in what follows.
"""

from __future__ import annotations

import json
import mmap
import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

_LENGTH = struct.Struct("<Q")


class WeightFile:
    """The float32 arrays of one file, by name. Only what is used of them takes memory."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (length,) = _LENGTH.unpack_from(self._bytes)
        self._first = _LENGTH.size + length
        self._entries = json.loads(self._bytes[_LENGTH.size : self._first])

    def __getitem__(self, name: str) -> Array:
        entry = self._entries[name]
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(self._bytes, "<f4", (end - begin) // 4, self._first + begin)
        return flat.reshape(entry["shape"])
