"""The first hit of every query against a full sort, also where the search stops before it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from engine.base.ranking import Ranking
from engine.dataset.collection import Collection
from engine.dataset.embeddings.read import EmbeddingSet, align_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.model_spec import ModelSpec
from engine.dataset.query_set import build_video_queries
from engine.keywords.evaluate import evaluate
from engine.keywords.searching import FIRST_QUERIES
from engine.metrics import Measure
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.results.first_hits import FirstHits
from engine.search import FaissIndex

RECALL = (Measure.parse("P@5"),)


def make_collection(labels: list[list[str]], seed: int = 3) -> Collection:
    ids = [f"clip_{n:04}" for n in range(len(labels))]
    truth = GroundTruth.from_columns(ids, {"label": labels})
    vectors = np.random.default_rng(seed).standard_normal((len(ids), 6)).astype(np.float32)
    embedded = EmbeddingSet("m", truth.ids, vectors)
    rows = align_rows(embedded, truth.ids)
    return Collection(ModelSpec("m", Path("m.npy")), truth, embedded.vectors, rows)


def find(
    collection: Collection, policies: Policies = KEYWORD_POLICIES, depth: int | None = None
) -> FirstHits:
    truth = collection.truth
    queries = build_video_queries(truth, truth.words.select(), np.arange(len(truth)))
    found = evaluate(collection, queries, RECALL, k=5, policies=policies, depth=depth).first_hits
    assert found is not None
    return found


def sort_all(collection: Collection) -> tuple[list[list[int]], np.ndarray]:
    """Every clip's other clips, the most similar first, by a full sort."""
    vectors = collection.vectors.astype(np.float64)
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similar = vectors @ vectors.T
    orders = [[j for j in np.argsort(-row).tolist() if j != i] for i, row in enumerate(similar)]
    return orders, similar


def expect_rank(collection: Collection, labels: list[list[str]], clip: int, most: int) -> int:
    order = sort_all(collection)[0][clip][:most]
    return next((n for n, j in enumerate(order, 1) if set(labels[clip]) <= set(labels[j])), 0)


@pytest.mark.parametrize("ties", ["insertion", "docid_desc", "expected"])
def test_the_rank_is_that_of_the_whole_ranking(ties: str) -> None:
    rng = np.random.default_rng(1)
    labels = [[f"l{n}"] for n in rng.integers(0, 60, 300)]
    labels[0] = ["only here"]
    collection = make_collection(labels)
    found = find(collection, Policies(ties=ties))  # type: ignore[arg-type]
    expected = [expect_rank(collection, labels, clip, 299) for clip in range(300)]
    assert found.ranks.tolist() == expected
    assert not found.beyond.any()
    assert found.describe(0) == "" and max(expected) > 50


def test_beyond_500_is_said_and_not_guessed() -> None:
    rng = np.random.default_rng(2)
    labels = [[f"l{n}"] for n in rng.integers(0, 400, 900)]
    collection = make_collection(labels)
    found = find(collection)
    relevant = {clip for clip in range(900) if labels.count(labels[clip]) > 1}
    far = int(np.argmax(found.beyond))
    for clip in (far, *range(0, 900, 6)):  # each is sorted and searched naively
        rank = expect_rank(collection, labels, clip, 500)
        assert found.ranks[clip] == rank
        assert found.beyond[clip] == (500 if clip in relevant and not rank else 0)
    assert found.describe(far) == ">500"


def test_what_does_not_count_as_retrieved_is_no_first_hit() -> None:
    labels = [[f"l{n % 20}"] for n in range(200)]
    collection = make_collection(labels)
    found = find(collection, Policies(min_similarity=0.5))
    orders, similar = sort_all(collection)
    for clip in range(200):
        near = [j for j in orders[clip] if similar[clip, j] >= 0.5]
        rank = next((n for n, j in enumerate(near, 1) if labels[j] == labels[clip]), 0)
        assert found.ranks[clip] == rank
        assert found.beyond[clip] == 0


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """How many queries were searched how deep, search by search."""
    calls: list[tuple[int, int]] = []
    search = FaissIndex.search

    def spy(index: FaissIndex, queries: npt.NDArray[np.floating], k: int) -> Ranking:
        calls.append((len(queries), k))
        return search(index, queries, k)

    monkeypatch.setattr(FaissIndex, "search", spy)
    return calls


def test_a_search_goes_deep_at_once_where_the_first_queries_had_to(
    searched: list[tuple[int, int]],
) -> None:
    count = 2 * FIRST_QUERIES
    labels = [[f"pair {n // 2}"] for n in range(count)]  # one relevant clip each: far, at random
    collection = make_collection(labels)
    orders, _ = sort_all(collection)
    found = find(collection)

    *first, rest = searched
    assert sum(queries for queries, _ in first) > FIRST_QUERIES
    assert rest == (FIRST_QUERIES, 501)  # one more for the query clip, which is left out
    ranks = [orders[clip].index(clip ^ 1) + 1 for clip in range(count)]
    assert found.ranks.tolist() == [rank if rank <= 500 else 0 for rank in ranks]
    assert found.beyond.tolist() == [0 if rank <= 500 else 500 for rank in ranks]


def test_easy_queries_are_searched_once_and_no_deeper_than_k(
    searched: list[tuple[int, int]],
) -> None:
    collection = make_collection([["all"] for _ in range(2 * FIRST_QUERIES)])

    assert find(collection).ranks.tolist() == [1] * len(collection)
    assert searched == [(FIRST_QUERIES, 6)] * 2
