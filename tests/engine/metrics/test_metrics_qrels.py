"""Hits against explicit relevant sets, and rankings that name an item twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import gains_from_sets, ideal_from_sets, qrels
from engine.metrics.qrels import require_unique


@st.composite
def lookups(draw: st.DrawFn) -> tuple[np.ndarray, list[dict[int, float]]]:
    queries, depth, items = draw(st.integers(0, 6)), draw(st.integers(0, 5)), 9
    row = st.lists(st.integers(NO_ITEM, items), min_size=depth, max_size=depth)
    ranking = np.array([draw(row) for _ in range(queries)], dtype=np.int64).reshape(queries, depth)
    grades = st.floats(0.5, 4)
    return ranking, [draw(st.dictionaries(st.integers(0, items), grades)) for _ in range(queries)]


@pytest.mark.parametrize("table_bytes", [0, 400, 1 << 22], ids=["keys", "rows at a time", "table"])
@pytest.mark.parametrize("graded", [False, True])
@given(case=lookups())
def test_hits_equal_a_lookup_in_python_sets(table_bytes: int, graded: bool, case) -> None:
    ranking, sets = case
    indptr = np.cumsum([0, *map(len, sets)])
    indices = np.array([item for own in sets for item in own], dtype=np.int64)
    grades = np.array([grade for own in sets for grade in own.values()])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qrels, "_TABLE_BYTES", table_bytes)
        patch.setattr(qrels, "_FEWEST_ROWS", 1)
        gains = gains_from_sets(ranking, indptr, indices, grades if graded else None)

    expected = [
        [own.get(int(item), 0.0) for item in row] for row, own in zip(ranking, sets, strict=True)
    ]
    expected = np.array(expected).reshape(ranking.shape)
    assert gains.dtype == (np.float64 if graded else np.bool_)
    np.testing.assert_array_equal(gains, expected if graded else expected > 0)


def test_a_collection_too_large_for_a_table_is_searched_by_key() -> None:
    far = 10**12

    gains = gains_from_sets(np.array([[far, 3]]), np.array([0, 1]), np.array([far]))

    assert gains.tolist() == [[True, False]]


def test_sets_that_do_not_fit_the_rankings_are_refused() -> None:
    with pytest.raises(ValueError, match="indptr"):
        gains_from_sets(np.array([[1]]), np.array([0]), np.array([], dtype=np.int64))
    with pytest.raises(ValueError, match="negative"):
        gains_from_sets(np.array([[1]]), np.array([0, 1]), np.array([-1]))


@given(st.lists(st.lists(st.floats(0, 4), max_size=5), min_size=1, max_size=5))
def test_the_ideal_is_every_querys_gains_from_high_to_low(gains: list[list[float]]) -> None:
    flat = np.array([gain for own in gains for gain in own])

    ideal = ideal_from_sets(np.cumsum([0, *map(len, gains)]), flat)

    for row, own in zip(ideal, gains, strict=True):
        assert row[: len(own)].tolist() == sorted(own, reverse=True)
        assert not row[len(own) :].any()


def ranking_of(*rows: list[int]) -> Ranking:
    indices = np.array(rows, dtype=np.int64)
    scores = np.tile(np.linspace(0.9, 0.1, indices.shape[1], dtype=np.float32), (len(rows), 1))
    return Ranking(indices, scores)


def test_an_item_ranked_twice_is_an_error_naming_query_and_item() -> None:
    twice = ranking_of([0, 1, 2], [2, 0, 2])

    with pytest.raises(InputError, match="query 1 ranks item 2 more than once"):
        require_unique(twice)
    with pytest.raises(InputError, match="query 'night' ranks item 'clip c' more than once"):
        require_unique(twice, ["day", "night"], ["clip a", "clip b", "clip c"])


def test_padding_is_no_repeated_item() -> None:
    padded = ranking_of([4, NO_ITEM, NO_ITEM])

    require_unique(padded)
