"""Search speed: our reproducible search against bare FAISS, measured side by side."""

from __future__ import annotations

import resource
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

Result = tuple[str, float, float, str, str]

ITEMS, DIMENSION, K = 20_000, 384, 5


def run() -> list[Result]:
    """Every claim as (claim, measured ratio, goal, "at least" or "at most", detail)."""
    import faiss

    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((ITEMS, DIMENSION)).astype(np.float32)
    bare = faiss.IndexFlatIP(DIMENSION)
    bare.add(vectors)

    before = _peak_resident()
    ours, theirs = _best_of(3, lambda: _search_others(vectors), lambda: bare.search(vectors, K))
    grown = _peak_resident() - before
    allocated = _peak_allocated(lambda: _search_others(vectors))
    square = ITEMS * ITEMS * 4
    setting = f"{ITEMS:,} × {DIMENSION}, all as queries, K = {K}"
    return [
        (
            "video-to-video search (build, normalise, drop self, settle ties) / bare IndexFlatIP",
            ours / theirs,
            1.25,
            "at most",
            f"{setting}: {ours:.2f} s / {theirs:.2f} s",
        ),
        (
            "peak extra memory of the search / one N×N float32 matrix",
            allocated / square,
            0.2,
            "at most",
            f"{allocated / 2**20:.0f} MB allocated by numpy, resident peak grew by "
            f"{grown / 2**20:.0f} MB with FAISS; N×N is {square / 2**20:.0f} MB",
        ),
    ]


def _search_others(vectors: np.ndarray[Any, np.dtype[np.float32]]) -> None:
    from engine.search import FaissIndex, search_in_chunks

    index = FaissIndex(vectors, "cosine")
    for _part, _ranking in search_in_chunks(index, vectors, K, own_rows=np.arange(len(vectors))):
        pass


def _best_of(times: int, *contenders: Callable[[], object]) -> list[float]:
    """The best time of each; they take turns, so that a busy machine slows all alike."""
    best = [float("inf")] * len(contenders)
    for _ in range(times):
        for place, contender in enumerate(contenders):
            start = time.perf_counter()
            contender()
            best[place] = min(best[place], time.perf_counter() - start)
    return best


def _peak_allocated(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _peak_resident() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    for claim, ratio, goal, side, detail in run():
        print(f"{claim}: {ratio:.2f} ({side} {goal}); {detail}")
