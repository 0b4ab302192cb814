"""Search equals a brute-force float64 ranking, ties included, whatever the batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.base.errors import InputError
from engine.base.ranking import Ranking
from engine.base.similarity import SIMILARITIES, Similarity, parse_similarity
from engine.search import FaissIndex, build_index
from engine.search.exhaustive import scale_to_unit, search_exactly
from engine.search.packed_keys import pack_keys, unpack_keys
from tests.examples import examples

SMALL = st.integers(-2, 2).map(float)


def oracle(queries: np.ndarray, vectors: np.ndarray, metric: Similarity, k: int) -> Ranking:
    """Pairs one by one in float64, sorted by (−score, row)."""
    if metric == "cosine":
        queries, vectors = unit(queries), unit(vectors)
    queries, vectors = queries.astype(np.float64), vectors.astype(np.float64)
    if metric == "l2":
        pairs = [[-np.sqrt(((q - v) ** 2).sum()) for v in vectors] for q in queries]
    else:
        pairs = [[(q * v).sum() for v in vectors] for q in queries]
    scores = np.array(pairs).astype(np.float32)
    order = [sorted(range(len(vectors)), key=lambda row: (-line[row], row)) for line in scores]
    best = np.array(order)[:, :k]
    return Ranking(best, np.take_along_axis(scores, best, axis=1))


def unit(vectors: np.ndarray) -> np.ndarray:
    wide = vectors.astype(np.float64)
    return (wide / np.sqrt((wide**2).sum(axis=1, keepdims=True))).astype(np.float32)


def rows_of(ranking: Ranking, start: int, stop: int) -> Ranking:
    """The queries `start` … `stop - 1`."""
    return Ranking(ranking.indices[start:stop], ranking.scores[start:stop])


def assert_same(found: Ranking, expected: Ranking) -> None:
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.scores, expected.scores)


def with_ones(vectors: np.ndarray) -> np.ndarray:
    """No row is zero, so cosine is defined."""
    return np.hstack([vectors, np.ones((len(vectors), 1), np.float32)])


@examples(150)
@given(
    vectors=arrays(np.float32, st.tuples(st.integers(1, 150), st.just(3)), elements=SMALL),
    queries=arrays(np.float32, st.tuples(st.integers(1, 4), st.just(3)), elements=SMALL),
    metric=st.sampled_from(SIMILARITIES),
    k=st.integers(1, 160),
)
def test_small_integer_vectors_tie_often_and_are_ordered_by_score_then_row(
    vectors: np.ndarray, queries: np.ndarray, metric: Similarity, k: int
) -> None:
    vectors, queries = with_ones(vectors), with_ones(queries)
    found = FaissIndex(vectors, metric).search(queries, k)
    assert_same(found, oracle(queries, vectors, metric, k))


@pytest.mark.parametrize("metric", SIMILARITIES)
def test_duplicated_random_vectors_tie_across_every_batch_size_and_path(metric: Similarity) -> None:
    rng = np.random.default_rng(3)
    few = rng.standard_normal((60, 100)).astype(np.float32)
    vectors = few[rng.integers(0, 60, 700)]
    index = FaissIndex(vectors, metric)
    expected = oracle(few[:8], vectors, metric, 700)
    for k in (1, 4, 25, 700):
        assert_same(index.search(few[:8], k), expected.cut(k))
        for row in range(8):
            own = rows_of(expected.cut(k), row, row + 1)
            assert_same(index.search(few[row : row + 1], k), own)
        many = index.search(np.tile(few, (40, 1)), k)
        assert_same(rows_of(many, 0, 8), expected.cut(k))


@pytest.mark.parametrize("metric", SIMILARITIES)
def test_random_vectors_rank_as_in_float64(metric: Similarity) -> None:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((3000, 48)).astype(np.float32)
    queries = rng.standard_normal((40, 48)).astype(np.float32)
    index = FaissIndex(vectors, metric)
    expected = exact_by_matrix(queries, vectors, metric)
    for k in (1, 10, 1000):
        np.testing.assert_array_equal(index.search(queries, k).indices, expected[:, :k])


def exact_by_matrix(queries: np.ndarray, vectors: np.ndarray, metric: Similarity) -> np.ndarray:
    q, v = queries.astype(np.float64), vectors.astype(np.float64)
    if metric == "cosine":
        q, v = unit(queries).astype(np.float64), unit(vectors).astype(np.float64)
    scores = q @ v.T
    if metric == "l2":
        scores = -np.linalg.norm(q[:, None] - v, axis=2)
    return np.argsort(-scores.astype(np.float32), axis=1, kind="stable")


def test_l2_keeps_its_digits_far_from_the_origin() -> None:
    rng = np.random.default_rng(5)
    vectors = (1000 + rng.standard_normal((400, 8)) / 100).astype(np.float32)
    index = FaissIndex(vectors, "l2")
    expected = oracle(vectors[:5], vectors, "l2", 400)
    assert_same(index.search(vectors[:5], 3), expected.cut(3))
    np.testing.assert_array_equal(index.search(vectors[:5], 400).indices, expected.indices)
    assert index.search(vectors[:5], 1).scores.tolist() == [[0.0]] * 5


def test_a_block_wise_search_keeps_the_best_of_all_blocks() -> None:
    rng = np.random.default_rng(6)
    vectors = rng.integers(-3, 4, (9000, 4)).astype(np.float32)
    found = search_exactly(vectors[:3], vectors, "ip", 7)
    assert found.indices.tolist() == exact_by_matrix(vectors[:3], vectors, "ip")[:, :7].tolist()


def test_scores_of_each_metric_by_hand() -> None:
    vectors = np.array([[3, 4], [0, 2]], np.float32)
    query = np.array([[0, 1]], np.float32)
    expected = {"cosine": [1.0, 0.8], "ip": [4.0, 2.0], "l2": [-1.0, -(18**0.5)]}
    for metric in SIMILARITIES:
        found = FaissIndex(vectors, metric).search(query, 2)
        np.testing.assert_allclose(found.scores, [expected[metric]], rtol=1e-6)


def test_more_than_the_collection_gives_the_collection() -> None:
    index = FaissIndex(np.eye(3, dtype=np.float32))
    found = index.search(np.eye(3, dtype=np.float32)[:1], 50)
    assert found.indices.tolist() == [[0, 1, 2]]


def test_no_queries_give_no_rows() -> None:
    index = FaissIndex(np.random.default_rng(0).standard_normal((500, 4)).astype(np.float32))
    for k in (2, 500):
        assert index.search(np.empty((0, 4), np.float32), k).indices.shape == (0, k)


def test_a_read_only_memory_map_is_searched_where_it_lies(tmp_path: Path) -> None:
    vectors = np.random.default_rng(0).standard_normal((500, 4)).astype(np.float32)
    np.save(tmp_path / "m.npy", vectors)
    mapped = np.load(tmp_path / "m.npy", mmap_mode="r")
    index = FaissIndex(mapped, "l2")
    assert np.shares_memory(index._vectors, mapped)
    assert index.search(mapped[:3], 1).indices.tolist() == [[0], [1], [2]]


@pytest.mark.parametrize("metric", SIMILARITIES)
def test_queries_of_another_dimension_name_both(metric: Similarity) -> None:
    index = FaissIndex(np.ones((2, 3), np.float32), metric)
    with pytest.raises(InputError, match="the queries have 5 dimensions, the collection has 3"):
        index.search(np.ones((1, 5), np.float32), 1)


@pytest.mark.parametrize("metric", SIMILARITIES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_query_that_is_not_finite_is_named(metric: Similarity, bad: float) -> None:
    index = FaissIndex(np.ones((2, 2), np.float32), metric)
    with pytest.raises(InputError, match="query 1 "):
        index.search(np.array([[1, 1], [1, bad]]), 1)


def test_zero_vectors_have_no_cosine() -> None:
    with pytest.raises(InputError, match=r"vector 1 .*all zeros"):
        FaissIndex(np.array([[1, 0], [0, 0]], np.float32), "cosine")
    with pytest.raises(InputError, match=r"query 0 .*all zeros"):
        FaissIndex(np.ones((2, 2), np.float32)).search(np.zeros((1, 2), np.float32), 1)
    FaissIndex(np.zeros((2, 2), np.float32), "l2").search(np.zeros((1, 2), np.float32), 1)


@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_vectors_too_large_for_float32_scores_are_refused(metric: Similarity) -> None:
    index = FaissIndex(np.full((2, 2), 1e30, np.float32), metric)
    with pytest.raises(InputError, match="overflow"):
        index.search(np.full((1, 2), 1e30, np.float32), 1)


def test_a_collection_that_is_not_finite_is_refused() -> None:
    with pytest.raises(InputError, match="NaN"):
        FaissIndex(np.full((2, 2), np.nan, np.float32), "ip")


def test_k_below_one_is_refused() -> None:
    with pytest.raises(InputError, match="K is 0"):
        FaissIndex(np.ones((2, 2), np.float32)).search(np.ones((1, 2), np.float32), 0)


@pytest.mark.parametrize(
    ("word", "metric"),
    [
        ("cosine", "cosine"),
        (" Cosine ", "cosine"),
        ("inner product", "ip"),
        ("inner_product", "ip"),
        ("IP", "ip"),
        ("L2", "l2"),
        ("Euclidean", "l2"),
    ],
)
def test_metrics_have_aliases(word: str, metric: Similarity) -> None:
    assert parse_similarity(word) == metric


def test_an_unknown_metric_or_index_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="choose one of cosine, ip, l2"):
        parse_similarity("manhattan")
    with pytest.raises(InputError, match="choose one of faiss"):
        build_index(np.ones((2, 2), np.float32), kind="annoy")


def test_unit_rows_of_tiny_and_huge_vectors_have_length_one() -> None:
    units = scale_to_unit(np.array([[1e-30, 1e-30], [1e30, -1e30]], np.float32))
    np.testing.assert_allclose(np.linalg.norm(units, axis=1), 1, rtol=1e-6)


def test_the_two_zeros_are_one_score() -> None:
    keys = pack_keys(np.array([[0.0, -0.0, 0.0]], np.float32), np.arange(3)[::-1])
    assert unpack_keys(np.sort(keys)).indices.tolist() == [[0, 1, 2]]
    assert not np.signbit(unpack_keys(keys).scores).any()


def test_products_that_float32_cannot_add_up_are_searched_exactly() -> None:
    rng = np.random.default_rng(12)
    vectors, queries = (
        (rng.normal(size=(rows, 8)) * 1e-20).astype(np.float32) for rows in (600, 5)
    )

    found = FaissIndex(vectors, "ip").search(queries, 4)

    assert found.indices.tolist() == oracle(queries, vectors, "ip", 4).indices.tolist()
