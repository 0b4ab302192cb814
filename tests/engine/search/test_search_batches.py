"""Self removal and piece-wise search."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine.base.ranking import Ranking
from engine.base.similarity import SIMILARITIES, Similarity
from engine.search import FaissIndex, search_excluding, search_in_chunks
from engine.search.batches import _chunk_size
from tests.examples import examples


def random_vectors(rows: int, dimension: int = 8) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((rows, dimension)).astype(np.float32)


@examples(100)
@given(
    vectors=arrays(
        np.float32,
        st.tuples(st.integers(2, 120), st.just(2)),
        elements=st.integers(1, 3).map(float),
    ),
    metric=st.sampled_from(SIMILARITIES),
    k=st.integers(1, 130),
)
def test_others_are_the_full_ranking_without_the_query(
    vectors: np.ndarray, metric: Similarity, k: int
) -> None:
    rows = np.arange(len(vectors))
    index = FaissIndex(vectors, metric)
    everything = index.search(vectors, len(vectors)).indices.tolist()
    expected = [[row for row in line if row != own][:k] for own, line in enumerate(everything)]

    found = search_excluding(index, vectors, k, rows)

    assert found.indices.tolist() == expected
    assert found.depth == min(k, len(vectors) - 1)


def test_a_query_that_duplicates_push_out_of_the_first_results_still_gets_k_others() -> None:
    vectors = np.ones((400, 3), np.float32)
    found = search_excluding(FaissIndex(vectors), vectors[300:], 5, np.arange(300, 400))
    assert found.indices.tolist() == [[0, 1, 2, 3, 4]] * 100


def test_a_duplicate_before_the_query_stays_and_the_query_goes() -> None:
    vectors = random_vectors(500)
    vectors[400] = vectors[10]
    found = search_excluding(FaissIndex(vectors), vectors[[10, 400]], 2, np.array([10, 400]))
    assert found.indices[:, 0].tolist() == [400, 10]
    assert found.scores[:, 0] == pytest.approx([1, 1])


def test_queries_may_be_any_subset_in_any_order() -> None:
    vectors = random_vectors(300)
    rows = np.array([250, 3, 77])
    index = FaissIndex(vectors)
    every = search_excluding(index, vectors, 4, np.arange(300))
    some = search_excluding(index, vectors[rows], 4, rows)
    np.testing.assert_array_equal(some.indices, every.indices[rows])
    np.testing.assert_array_equal(some.scores, every.scores[rows])


def test_a_lone_clip_has_no_others() -> None:
    vectors = np.ones((1, 2), np.float32)
    assert search_excluding(FaissIndex(vectors), vectors, 5, np.array([0])).depth == 0


def test_own_rows_must_match_the_queries() -> None:
    vectors = random_vectors(5)
    with pytest.raises(ValueError, match="own rows"):
        search_excluding(FaissIndex(vectors), vectors, 1, np.arange(4))


@pytest.mark.parametrize("own", [True, False])
def test_pieces_put_together_are_the_whole_search(own: bool) -> None:
    vectors = random_vectors(300)
    index = FaissIndex(vectors)
    rows = np.arange(300) if own else None
    whole = index.search(vectors, 6) if rows is None else search_excluding(index, vectors, 6, rows)

    parts = list(search_in_chunks(index, vectors, 6, own_rows=rows, chunk_size=70))

    assert [(part.start, part.stop) for part, _ in parts] == [
        (0, 70), (70, 140), (140, 210), (210, 280), (280, 300)
    ]  # fmt: skip
    np.testing.assert_array_equal(np.vstack([r.indices for _, r in parts]), whole.indices)
    np.testing.assert_array_equal(np.vstack([r.scores for _, r in parts]), whole.scores)


def test_nothing_is_searched_before_it_is_asked_for() -> None:
    class Counting(FaissIndex):
        searches = 0

        def search(self, queries: np.ndarray, k: int) -> Ranking:
            self.searches += 1
            return super().search(queries, k)

    index = Counting(random_vectors(100))
    pieces = search_in_chunks(index, random_vectors(100), 3, chunk_size=10)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert index.searches == 1


def test_pieces_shrink_as_the_ranking_deepens() -> None:
    index = FaissIndex(random_vectors(20_000, 2))
    assert _chunk_size(index, 5) == 4096
    assert _chunk_size(index, 20_000) * 20_000 * 12 <= 64 * 2**20


def test_full_rankings_in_pieces_never_hold_the_whole_matrix() -> None:
    vectors = random_vectors(3000, 4)
    index = FaissIndex(vectors)
    tracemalloc.start()
    for _part, ranking in search_in_chunks(index, vectors[:600], 3000, chunk_size=50):
        assert ranking.depth == 3000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 600 * 3000 * 12
