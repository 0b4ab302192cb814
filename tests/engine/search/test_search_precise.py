"""The order of float64 scores, against comparing every pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.base.similarity import Similarity
from engine.search import PreciseIndex, build_index, search_excluding, search_in_chunks
from tests.engine.labels.labels_by_hand import order_of
from tests.examples import examples

Floats = npt.NDArray[np.floating]
METRICS: tuple[Similarity, ...] = ("cosine", "ip")


@st.composite
def vectors(draw: st.DrawFn, most: int = 60, dimension: int | None = None) -> Floats:
    """Random rows, whole numbers (which tie), or copies of a few rows."""
    seed, rows = draw(st.integers(0, 2**31)), draw(st.integers(1, most))
    width = dimension or draw(st.integers(1, 6))
    rng = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["random", "whole", "copies"]))
    if kind == "random":
        made = rng.normal(size=(rows, width))
    elif kind == "whole":
        made = rng.integers(-2, 3, (rows, width)).astype(np.float64)
        made[~made.any(axis=1), 0] = 1.0
    else:
        made = rng.normal(size=(4, width))[rng.integers(4, size=rows)]
    return made.astype(draw(st.sampled_from(["f4", "f8"])))


@examples(200)
@given(st.data(), st.sampled_from(METRICS), st.integers(1, 70))
def test_the_order_is_that_of_every_pair_compared(
    data: st.DataObject, metric: Similarity, k: int
) -> None:
    items = data.draw(vectors())
    queries = data.draw(vectors(most=10, dimension=items.shape[1]))

    found = PreciseIndex(items, metric).search(queries, k)

    expected = order_of(queries, items, cosine=metric == "cosine")[:, :k]
    assert found.indices.tolist() == expected.tolist()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("copied", [False, True])
def test_candidates_of_faiss_end_in_the_same_order(metric: Similarity, copied: bool) -> None:
    rng = np.random.default_rng(5)
    items = rng.normal(size=(3000, 24)).astype(np.float32)
    if copied:
        items = items[rng.integers(0, 900, 3000)]
    queries = rng.normal(size=(40, 24))

    found = PreciseIndex(items, metric).search(queries, 12)

    expected = order_of(queries, items, cosine=metric == "cosine")[:, :12]
    assert found.indices.tolist() == expected.tolist()


def test_scores_that_float32_cannot_tell_apart_keep_their_order() -> None:
    near = 1 + 1e-9 * np.arange(200)[::-1]
    items = np.column_stack([np.ones(200), near])

    found = PreciseIndex(items, "ip").search(np.array([[0.0, 1.0]]), 3)

    assert found.indices.tolist() == [[0, 1, 2]]
    assert len(set(found.scores[0].tolist())) == 1  # as float32 they are one number


def test_a_last_place_that_faiss_cannot_settle_is_searched_exhaustively() -> None:
    rng = np.random.default_rng(1)
    items = np.ones((4000, 3)) + rng.normal(size=(4000, 3)) * 1e-9
    queries = rng.normal(size=(5, 3))

    found = PreciseIndex(items, "ip").search(queries, 20)

    assert found.indices.tolist() == order_of(queries, items, cosine=False)[:, :20].tolist()


@examples(50)
@given(vectors(most=40), st.integers(1, 45))
def test_a_query_is_ranked_alike_alone_and_in_a_batch(items: Floats, k: int) -> None:
    index = PreciseIndex(items)

    together = index.search(items, k)
    alone = [index.search(items[row : row + 1], k) for row in range(len(items))]

    assert together.indices.tolist() == [one.indices[0].tolist() for one in alone]
    assert together.scores.tolist() == [one.scores[0].tolist() for one in alone]


def test_items_leave_themselves_out_also_among_copies() -> None:
    items = np.float32([[1, 0], [1, 0], [1, 0], [0, 1]])

    found = search_excluding(PreciseIndex(items), items, 2, np.arange(4))

    assert found.indices.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]


def test_chunks_give_what_one_search_gives() -> None:
    rng = np.random.default_rng(2)
    items, queries = rng.normal(size=(300, 8)), rng.normal(size=(50, 8))
    index = build_index(items, "cosine", "precise")

    parts = [r.indices for _, r in search_in_chunks(index, queries, 7, chunk_size=13)]

    assert np.concatenate(parts).tolist() == index.search(queries, 7).indices.tolist()


@pytest.mark.parametrize("scale", [1e-30, 1e-22, 1e25])
def test_inner_products_beyond_float32_are_still_ordered(scale: float) -> None:
    rng = np.random.default_rng(8)
    items, queries = rng.normal(size=(3000, 16)) * scale, rng.normal(size=(20, 16)) * scale

    found = PreciseIndex(items, "ip").search(queries, 10)

    assert found.indices.tolist() == order_of(queries, items, cosine=False)[:, :10].tolist()


@pytest.mark.parametrize("spread", [1e-2, 1e-4, 1e-6])
def test_vectors_that_nearly_point_one_way_are_told_apart(spread: float) -> None:
    rng = np.random.default_rng(9)
    way = rng.normal(size=24)
    items, queries = (way + spread * rng.normal(size=(rows, 24)) for rows in (2500, 12))

    found = PreciseIndex(items).search(queries, 15).indices

    # Where cosines differ by less than their own roundings no order is the right one.
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (queries, items)]
    cosines = units[0] @ units[1].T
    best = -np.sort(-cosines, axis=1)[:, :15]
    assert np.take_along_axis(cosines, found, axis=1) == pytest.approx(best, abs=1e-14, rel=0)


def test_a_cosine_does_not_depend_on_how_small_vectors_are() -> None:
    rng = np.random.default_rng(10)
    items, queries = rng.normal(size=(40, 6)), rng.normal(size=(5, 6))
    usual = PreciseIndex(items).search(queries, 10)

    tiny = PreciseIndex(items * 1e-200).search(queries * 1e-180, 10)

    assert tiny.indices.tolist() == usual.indices.tolist()
    assert tiny.scores.tolist() == usual.scores.tolist()


def test_a_query_of_no_length_finds_everything_alike_by_inner_product() -> None:
    items = np.random.default_rng(11).normal(size=(500, 3))

    found = PreciseIndex(items, "ip").search(np.zeros((1, 3)), 4)

    assert found.indices.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("bad", [np.zeros((1, 2)), np.array([[np.nan, 1.0]])])
def test_what_has_no_direction_is_refused(bad: Floats) -> None:
    with pytest.raises(InputError, match="all zeros or not finite"):
        PreciseIndex(np.concatenate([np.ones((1, 2)), bad]))
    with pytest.raises(InputError, match="query 0"):
        PreciseIndex(np.ones((1, 2))).search(bad, 1)


def test_queries_of_another_dimension_are_refused() -> None:
    with pytest.raises(InputError, match="have 3 dimensions, the collection has 2"):
        PreciseIndex(np.ones((1, 2))).search(np.ones((1, 3)), 1)
