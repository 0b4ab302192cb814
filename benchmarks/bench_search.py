"""Search speed: our reproducible search against bare FAISS, measured side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.claim import Claim
from benchmarks.memory import growth_text, peak_allocated, peak_resident
from benchmarks.timing import best_in_turn

ITEMS, DIMENSION, K = 20_000, 384, 5


def run() -> Iterator[Claim]:
    import faiss

    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((ITEMS, DIMENSION)).astype(np.float32)
    bare = faiss.IndexFlatIP(DIMENSION)
    bare.add(vectors)

    before = peak_resident()
    ours, theirs = best_in_turn(3, lambda: _search_others(vectors), lambda: bare.search(vectors, K))
    grown = peak_resident() - before
    yield Claim(
        "video-to-video search (build, normalise, drop self, settle ties) / bare IndexFlatIP",
        ours / theirs,
        1.25,
        "at most",
        f"{ITEMS:,} × {DIMENSION}, all as queries, K = {K}: {ours:.2f} s / {theirs:.2f} s",
    )
    allocated = peak_allocated(lambda: _search_others(vectors))
    square = ITEMS * ITEMS * 4
    yield Claim(
        "peak extra memory of the search / one N×N float32 matrix",
        allocated / square,
        0.2,
        "at most",
        f"{allocated / 2**20:.0f} MB allocated by numpy; growth of the process's peak with FAISS "
        f"{growth_text(grown)}; N×N is {square / 2**20:.0f} MB",
    )


def _search_others(vectors: np.ndarray[Any, np.dtype[np.float32]]) -> None:
    from engine.search import FaissIndex, search_in_chunks

    index = FaissIndex(vectors, "cosine")
    for _part, _ranking in search_in_chunks(index, vectors, K, own_rows=np.arange(len(vectors))):
        pass
