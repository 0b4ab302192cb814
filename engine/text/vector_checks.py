"""What a text encoder gave back: an array, whatever kind of tensor it was, and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.base.messages import quote
from engine.files.npy import as_embeddings


def as_array(vectors: Any) -> npt.NDArray[Any]:
    """An array, from an array, nested lists, or a torch tensor; torch is not imported for it."""
    if hasattr(vectors, "detach"):
        tensor = vectors.detach().cpu()
        try:
            vectors = tensor.numpy()
        except TypeError:  # bfloat16, which numpy does not know
            vectors = tensor.float().numpy()
    elif isinstance(vectors, list | tuple):
        vectors = [as_array(row) if hasattr(row, "detach") else row for row in vectors]
    try:
        return np.asarray(vectors)
    except ValueError as error:  # rows of different lengths
        raise InputError("the encoder's vectors have different lengths") from error


def require_vectors(vectors: Any, texts: list[str], place: Place | None = None) -> AnyFloats:
    """One finite row per text, float32 or float64 as it came; else an InputError that says why.

    >>> require_vectors([[1, 0]], ["a car"])
    array([[1., 0.]])
    """
    array = as_array(vectors)
    if array.dtype.kind not in "fiu":
        raise InputError(f"the encoder gave {array.dtype}, not numbers", place)
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(
            f"the encoder gave the shape {array.shape}; texts × dimensions is needed",
            place,
            hint="give one vector per text, also where there is one text alone",
        )
    if len(array) != len(texts):
        raise InputError(f"the encoder gave {len(array)} vectors for {len(texts)} texts", place)
    floats = as_embeddings(array)
    broken = np.flatnonzero(~(np.abs(floats) <= np.finfo(np.float32).max).all(axis=1))
    if len(broken):
        raise InputError(
            f"the encoder's vector of {quote(texts[broken[0]])} has a value that is NaN, "
            f"infinite or too large for float32 ({len(broken)} of {len(texts)} texts)",
            place,
            hint="look at the weights: training may have diverged",
        )
    return floats


def normalise_rows(
    vectors: AnyFloats, labels: tuple[str, ...] | list[str], place: Place
) -> AnyFloats:
    """Rows of length 1, computed in float64, of the type that came: v / ‖v‖.

    >>> normalise_rows(np.float32([[3, 4]]), ["Cooking"], Place())
    array([[0.6, 0.8]], dtype=float32)
    """
    rows = vectors.astype(np.float64)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest[:, 0] == 0)
    if len(zero):
        raise InputError(
            f"row {zero[0]} (counted from 0), a prototype of {quote(labels[zero[0]])}, is a zero "
            "vector, which has no direction",
            place,
            hint="encode it again, or leave it out",
        )
    rows /= largest  # squares of very large or small numbers would not fit
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(vectors.dtype)
