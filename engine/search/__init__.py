"""Nearest-neighbour search: one protocol, one file per kind of index."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.base.errors import InputError
from engine.base.similarity import Similarity
from engine.search.batches import search_excluding, search_in_chunks
from engine.search.flat import FaissIndex
from engine.search.index import Index
from engine.search.precise import PreciseIndex

__all__ = [
    "INDEXES",
    "FaissIndex",
    "Index",
    "PreciseIndex",
    "build_index",
    "search_excluding",
    "search_in_chunks",
]

INDEXES: dict[str, Callable[[npt.NDArray[np.floating], Similarity], Index]] = {
    "faiss": FaissIndex,
    "precise": PreciseIndex,
}
"""Every kind of index by its name. Their libraries are imported when an index is first used."""


def build_index(
    vectors: npt.NDArray[np.floating], metric: Similarity = "cosine", kind: str = "faiss"
) -> Index:
    """An index of the given kind over `vectors`.

    >>> build_index(np.eye(3, dtype=np.float32), "l2").size
    3
    """
    if kind not in INDEXES:
        raise InputError(f"unknown index {kind!r}", hint=f"choose one of {', '.join(INDEXES)}")
    return INDEXES[kind](vectors, metric)
