"""A vector that asks, from a file: whatever has made it, if it lies in the space of the clips."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.base.arrays import Vectors
from engine.base.errors import InputError
from engine.base.visible import spell_hidden
from engine.files.npy import read_npy, reading_array
from engine.files.reader import reads

_DIGEST_SHOWN = 12
_HINT = "give one vector: np.save(path, vector)"


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """A vector in plain values, so that it can be saved: its file need not be there any more.

    name   the file that it came from, and the beginning of the digest of its numbers
    data   its float32 numbers, lowest byte first, in base64

    >>> asked = VectorQuery.of(np.float32([1, 0.5]), "probe.npy")
    >>> asked.name, asked.vector.tolist()
    ('probe.npy b09540ff36f4', [1.0, 0.5])
    """

    name: str
    data: str

    @classmethod
    def of(cls, vector: Vectors, file: str) -> VectorQuery:
        octets = np.ascontiguousarray(vector, "<f4").tobytes()
        digest = hashlib.sha256(octets).hexdigest()[:_DIGEST_SHOWN]
        return cls(f"{spell_hidden(file)} {digest}", base64.b64encode(octets).decode("ascii"))

    @property
    def vector(self) -> Vectors:
        """Its numbers; `InputError` if what was saved of them is damaged."""
        try:
            octets = base64.b64decode(self.data, validate=True)
            found = np.frombuffer(octets, "<f4").astype(np.float32)
        except ValueError:  # no base64, or no whole number of floats
            found = np.empty(0, np.float32)
        if not len(found) or not np.isfinite(found).all():
            raise InputError(
                f"the vector of {self.name} is damaged", hint="ask again with --vector FILE"
            )
        return found


@reads("a query vector")
def read_query_vector(path: Path) -> VectorQuery:
    """The one vector of an .npy file: (dimension,) or (1, dimension)."""
    with reading_array(path):
        found = read_npy(path, convert=_HINT.partition(": ")[2])
        if found.dtype.kind not in "fiu":
            raise InputError(f"has values of type {found.dtype}, not numbers", path, hint=_HINT)
        if found.ndim == 2 and len(found) > 1:
            rows = len(found)
            hint = "save one of them: np.save(path, vectors[0])"
            raise InputError(f"has {rows:,} vectors, and a search asks with one", path, hint=hint)
        if found.ndim not in (1, 2) or not found.size:
            raise InputError(f"has the shape {found.shape}, not of a vector", path, hint=_HINT)
        with np.errstate(over="ignore"):
            vector = np.array(found, np.float32).reshape(-1)
    wrong = np.flatnonzero(~np.isfinite(vector))
    if len(wrong):
        raise InputError(
            f"value {int(wrong[0])} (counted from 0) is NaN, infinite or too large for float32",
            path,
            hint="make it again",
        )
    if not vector.any():
        raise InputError("is all zeros: it has no direction", path, hint="make it again")
    return VectorQuery.of(vector, path.name)
