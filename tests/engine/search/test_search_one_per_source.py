"""One result per source: the best-ranked clip of each recording, and none of the query's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.ranking import NO_ITEM, Ranking
from engine.search.one_per_source import NO_SOURCE, count_kept, keep_one_per_source


def keep_naively(indices: list[int], sources: list[int], own: int) -> list[int]:
    seen, kept = {own}, []
    for item in indices:
        if item != NO_ITEM and sources[item] not in seen:
            seen.add(sources[item])
            kept.append(item)
    return kept


def rank(rows: list[list[int]]) -> Ranking:
    depth = len(rows[0]) if rows else 0
    indices = np.array(rows, np.int64).reshape(len(rows), depth)
    scores = -np.broadcast_to(np.arange(indices.shape[1], dtype=np.float32), indices.shape)
    return Ranking(indices, scores)


def test_the_best_clip_of_each_source_stays_by_hand() -> None:
    #  clips 0, 1 and 4 are of drive 10, clips 2 and 3 of drive 11, clip 5 of drive 12
    sources = np.array([10, 10, 11, 11, 10, 12])

    kept = keep_one_per_source(rank([[4, 0, 3, 1, 2, 5], [5, 2, 3, 0, 1, NO_ITEM]]), sources)

    assert kept.indices.tolist() == [[4, 3, 5], [5, 2, 0]]
    assert kept.scores.tolist() == [[0, -2, -5], [0, -1, -3]]


def test_nothing_of_the_own_source_stays_and_the_rest_is_filled() -> None:
    sources = np.array([10, 10, 11, 12])

    kept = keep_one_per_source(
        rank([[0, 1, 2, 3], [0, 1, 2, 3]]), sources, own_sources=np.array([10, NO_SOURCE])
    )

    assert kept.indices.tolist() == [[2, 3, NO_ITEM], [0, 2, 3]]
    assert kept.scores[0].tolist() == [-2, -3, -np.inf]
    assert count_kept(kept).tolist() == [2, 3]


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[int]]:
    items = draw(st.integers(1, 12))
    depth = draw(st.integers(0, items))
    numbers = st.integers(0, 5)
    sources = draw(st.lists(numbers, min_size=items, max_size=items))
    rows = []
    for _ in range(draw(st.integers(0, 4))):
        order = draw(st.permutations(range(items)))[:depth]
        there = draw(st.integers(0, depth))
        rows.append(order[:there] + [NO_ITEM] * (depth - there))
    own = draw(st.lists(st.integers(NO_SOURCE, 5), min_size=len(rows), max_size=len(rows)))
    return rows, sources, own


@given(rankings(), st.none() | st.integers(1, 12))
def test_it_equals_a_plain_loop(
    given_: tuple[list[list[int]], list[int], list[int]], depth: int | None
) -> None:
    rows, sources, own = given_
    found = keep_one_per_source(rank(rows), np.array(sources), np.array(own, np.int64), depth)

    assert len(found) == len(rows)
    for row, mine, kept in zip(rows, own, found.indices.tolist(), strict=True):
        expected = keep_naively(row, sources, mine)[:depth]
        assert kept == expected + [NO_ITEM] * (found.depth - len(expected))


@given(rankings())
def test_keeping_again_changes_nothing_and_a_shorter_list_keeps_a_beginning(
    given_: tuple[list[list[int]], list[int], list[int]],
) -> None:
    rows, sources, own = given_
    numbers, mine = np.array(sources), np.array(own, np.int64)
    whole = keep_one_per_source(rank(rows), numbers, mine)
    again = keep_one_per_source(whole, numbers, mine)
    half = keep_one_per_source(rank(rows).cut(whole.depth // 2), numbers, mine)

    assert again.indices.tolist() == whole.indices.tolist()
    for short, long in zip(half.indices, whole.indices, strict=True):
        assert short[short >= 0].tolist() == long[: (short >= 0).sum()].tolist()


def test_own_sources_belong_to_the_queries() -> None:
    with pytest.raises(ValueError, match="own sources"):
        keep_one_per_source(rank([[0]]), np.array([1]), np.array([1, 2]))
