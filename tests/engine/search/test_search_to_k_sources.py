"""Searching until every query has results of k sources: the same as cutting the whole ranking."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.arrays import AnyFloats
from engine.base.ranking import NO_ITEM, Ranking
from engine.search import FaissIndex, search_in_chunks
from engine.search import one_per_search as module
from engine.search.one_per_search import search_one_per_source
from engine.search.one_per_source import keep_one_per_source


@pytest.fixture(autouse=True)
def few_queries_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUERIES_AT_ONCE", 7)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    clips=st.integers(1, 60),
    sources=st.integers(1, 20),
    k=st.integers(1, 25),
    own=st.booleans(),
)
def test_it_equals_the_whole_ranking_made_one_per_source(
    seed: int, clips: int, sources: int, k: int, own: bool
) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (clips, 3)).astype(np.float32) + np.float32(0.1)  # many ties
    numbers = np.sort(rng.integers(sources, size=clips))
    asking = rng.integers(clips, size=20)
    index = FaissIndex(vectors)
    mine = numbers[asking] if own else None

    parts = list(
        search_one_per_source(
            lambda queries, depth: search_in_chunks(index, queries, depth, chunk_size=3),
            vectors[asking],
            k,
            numbers,
            mine,
        )
    )

    assert [part.start for part, _ in parts] == [0, 7, 14]
    found = np.concatenate([ranking.indices for _, ranking in parts])
    scores = np.concatenate([ranking.scores for _, ranking in parts])
    whole = keep_one_per_source(index.search(vectors[asking], clips), numbers, mine, k)
    width = whole.indices.max(axis=0, initial=NO_ITEM) != NO_ITEM
    assert found.tolist() == whole.indices[:, width].tolist()
    assert scores.tolist() == whole.scores[:, width].tolist()


def test_it_searches_no_deeper_than_it_must() -> None:
    vectors = np.eye(40, dtype=np.float32)
    index, depths = FaissIndex(vectors), []

    def search(queries: AnyFloats, depth: int) -> Iterator[tuple[slice, Ranking]]:
        depths.append(depth)
        return search_in_chunks(index, queries, depth)

    list(search_one_per_source(search, vectors[:20], 3, np.arange(40)))

    assert depths == [6, 6, 6]


def test_the_depth_that_most_need_is_searched_at_once_for_the_next() -> None:
    vectors = np.repeat(np.eye(2, dtype=np.float32), 32, axis=0)  # all of a source are alike
    index, depths = FaissIndex(vectors), []

    def search(queries: AnyFloats, depth: int) -> Iterator[tuple[slice, Ranking]]:
        depths.append(depth)
        return search_in_chunks(index, queries, depth)

    list(search_one_per_source(search, vectors[:21], 2, np.arange(64) // 32))

    assert depths == [4, 8, 16, 32, 64, 64, 64]
