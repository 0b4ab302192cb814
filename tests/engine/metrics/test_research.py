"""RetrievalMetrics: by hand, against other libraries, and the batch against the loop."""

from __future__ import annotations

import csv
import json
import math
import statistics as python_statistics
from collections.abc import Mapping
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import f1_score, ndcg_score

from engine.base.errors import InputError
from engine.metrics import Measure, QueryMetrics, RetrievalMetrics
from tests.examples import examples

EXACT = 1e-9

TOP_FIVE = [120, 300, 450, 600, 780]
SCORES = [0.95, 0.89, 0.87, 0.82, 0.80]
RELEVANT = [120, 450, 780, 1200]

JUDGED = (
    "top_k_retrieval_percentage precision_at_k recall_at_k f1_at_k average_precision "
    "reciprocal_rank ndcg_at_k success_at_k"
).split()
SIMILARITIES = ["average_similarity", "max_similarity", "min_similarity"]
COUNTS = ["num_relevant", "num_retrieved", "k"]

TREC = {
    "precision_at_k": "P_{k}",
    "recall_at_k": "recall_{k}",
    "average_precision": "map",
    "reciprocal_rank": "recip_rank",
    "ndcg_at_k": "ndcg_cut_{k}",
    "success_at_k": "success_{k}",
}


def of_one(*arguments: Any, **options: Any) -> QueryMetrics:
    return RetrievalMetrics().evaluate_query(*arguments, **options)


def test_three_of_four_relevant_frames_in_the_top_five_by_hand() -> None:
    found = of_one(TOP_FIVE, SCORES, RELEVANT, k=5)

    dcg = 1 + 1 / log2(4) + 1 / log2(6)
    ideal = 1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5)
    assert found == pytest.approx(
        {
            "top_k_retrieval_percentage": 75,
            "precision_at_k": 0.60,
            "recall_at_k": 0.75,
            "f1_at_k": 2 * 0.6 * 0.75 / (0.6 + 0.75),
            "average_precision": (1 + 2 / 3 + 3 / 5) / 4,
            "reciprocal_rank": 1,
            "ndcg_at_k": dcg / ideal,
            "success_at_k": 1,
            "average_similarity": sum(SCORES) / 5,
            "max_similarity": 0.95,
            "min_similarity": 0.80,
            "num_relevant": 4,
            "num_retrieved": 5,
            "k": 5,
        },
        abs=EXACT,
    )
    assert (found.ground_truth, found.has_ground_truth) == ("given", True)


def test_the_first_relevant_item_at_rank_two_has_the_reciprocal_rank_one_half() -> None:
    assert of_one([300, 120], [0.9, 0.8], [120], k=5)["reciprocal_rank"] == 0.5


def test_what_stands_below_k_counts_in_ap_and_rr_and_nowhere_else() -> None:
    found = of_one([1, 2, 3, 4], [0.9, 0.8, 0.7, 0.6], [4], k=2)

    assert (found["average_precision"], found["reciprocal_rank"]) == (0.25, 0.25)
    assert found["precision_at_k"] == found["ndcg_at_k"] == found["success_at_k"] == 0
    assert found["min_similarity"] == pytest.approx(0.8)


def test_with_fewer_than_k_results_the_denominator_stays_k() -> None:
    found = of_one([1, 2], [0.9, 0.8], [1, 2], k=5)

    assert (found["precision_at_k"], found["recall_at_k"]) == (0.4, 1.0)
    assert found["num_retrieved"] == 2


def test_the_order_of_the_items_is_the_ranking_whatever_the_scores() -> None:
    found = of_one([7, 5], [0.1, 0.9], [5], k=1)

    assert found["reciprocal_rank"] == 0.5
    assert found["max_similarity"] == found["min_similarity"] == pytest.approx(0.1)


def test_similarities_are_as_precise_as_they_were_given() -> None:
    assert of_one([1], [0.95], None, k=1)["max_similarity"] == 0.95


def test_grades_count_in_ndcg_and_are_relevant_above_zero() -> None:
    found = of_one([1, 2, 3], [0.9, 0.8, 0.7], {1: 1, 2: 3, 3: 0, 4: -1, 5: 2}, k=3)

    dcg, ideal = 1 + 3 / log2(3), 3 + 2 / log2(3) + 1 / log2(4)
    assert found["ndcg_at_k"] == pytest.approx(dcg / ideal, abs=EXACT)
    assert (found["num_relevant"], found["recall_at_k"]) == (3, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("retrieved", "relevant"),
    [
        ([5, 12, 8], [5, 9]),
        ((5, 12, 8), {9, 5}),
        (np.array([5, 12, 8]), np.array([5, 9, 5])),
        (np.array([5, 12, 8], np.uint8), frozenset({5, 9})),
        ([np.int32(5), 12, 8, -1], {5: 1.0, 9: 1.0}),
        (["five", "twelve", "eight"], ["five", "nine"]),
        (np.array(["five", "twelve", "eight"]), {"five": 1, "nine": 1}),
    ],
)
def test_items_come_in_many_forms(retrieved: Any, relevant: Any) -> None:
    scores = [0.9, 0.8, 0.7, -math.inf][: len(retrieved)]  # FAISS fills with -1 and -infinity

    assert of_one(retrieved, scores, relevant, k=2) == pytest.approx(
        dict(of_one([5, 12, 8], [0.9, 0.8, 0.7], [5, 9], k=2)), abs=EXACT
    )


def test_without_ground_truth_there_are_similarities_and_a_key_error_that_says_why() -> None:
    found = of_one([1, 2], [0.5, 0.25], None, k=5)

    assert dict(found) == {
        "average_similarity": 0.375,
        "max_similarity": 0.5,
        "min_similarity": 0.25,
        "num_retrieved": 2,
        "k": 5,
    }
    assert (found.ground_truth, found.has_ground_truth) == ("none", False)
    with pytest.raises(KeyError, match="recall_at_k: this query has no ground truth"):
        found["recall_at_k"]
    with pytest.raises(KeyError, match="colour"):
        found["colour"]


def test_an_empty_list_says_that_there_is_no_relevant_item() -> None:
    found = of_one([1, 2], [0.5, 0.25], [], k=5)

    assert found.ground_truth == "empty"
    assert all(math.isnan(found[key]) for key in JUDGED)
    assert (found["average_similarity"], found["num_relevant"]) == (0.375, 0)


def test_a_query_that_found_nothing_has_zeros_and_no_similarity() -> None:
    found = of_one([], [], [1], k=5)

    assert [found[key] for key in JUDGED] == [0] * len(JUDGED)
    assert all(math.isnan(found[key]) for key in SIMILARITIES)


def test_the_aggregate_by_hand() -> None:
    metrics = RetrievalMetrics()
    metrics.evaluate_query([1, 2], [0.9, 0.7], [1], k=2)  # RR 1, P 1/2
    metrics.evaluate_query([1, 2], [0.8, 0.6], [2], k=2)  # RR 1/2, P 1/2
    metrics.evaluate_query([1, 2], [0.7, 0.5], [9], k=2)  # RR 0, P 0
    metrics.evaluate_query([1, 2], [0.6, 0.4], [], k=2)
    metrics.evaluate_query([1, 2], [0.5, 0.3], None, k=2)

    numbers = metrics.get_aggregate_metrics()

    ranks, similarities = [1, 0.5, 0], [0.8, 0.7, 0.6, 0.5, 0.4]
    assert numbers["mean_reciprocal_rank"] == numbers["mrr"] == pytest.approx(0.5)
    assert numbers["std_reciprocal_rank"] == pytest.approx(python_statistics.stdev(ranks))
    assert (numbers["min_reciprocal_rank"], numbers["max_reciprocal_rank"]) == (0, 1)
    assert numbers["median_precision_at_k"] == 0.5
    assert numbers["map"] == numbers["mean_average_precision"] == pytest.approx(0.5)
    assert numbers["mean_average_similarity"] == pytest.approx(0.6)
    assert numbers["std_average_similarity"] == pytest.approx(python_statistics.stdev(similarities))
    assert numbers["mean_num_relevant"] == 0.75
    assert {key: value for key, value in numbers.items() if key.startswith("num_")} == {
        "num_queries": 5,
        "num_scored": 3,
        "num_without_relevant": 1,
        "num_without_ground_truth": 1,
    }
    assert set(numbers) == {
        *(
            f"{name}_{key}"
            for name in ("mean", "std", "min", "max", "median")
            for key in (*JUDGED, *SIMILARITIES, "num_relevant", "num_retrieved")
        ),
        *("map", "mrr", "num_queries", "num_scored", "k"),
        *("num_without_relevant", "num_without_ground_truth"),
    }


def test_one_query_has_no_standard_deviation() -> None:
    metrics = RetrievalMetrics()
    metrics.evaluate_query(TOP_FIVE, SCORES, RELEVANT, k=5)

    assert math.isnan(metrics.get_aggregate_metrics()["std_recall_at_k"])


def test_the_aggregate_without_any_ground_truth_is_of_similarities_alone() -> None:
    metrics = RetrievalMetrics()
    metrics.evaluate_query([1], [0.5], None, k=1)

    numbers = metrics.get_aggregate_metrics()

    assert numbers["mean_average_similarity"] == 0.5
    assert numbers["num_without_ground_truth"] == 1
    assert "map" not in numbers and "mean_recall_at_k" not in numbers


def test_means_of_different_cutoffs_are_never_mixed() -> None:
    metrics = RetrievalMetrics()
    for k in (1, 5):
        metrics.evaluate_query(TOP_FIVE, SCORES, RELEVANT, k=k)

    with pytest.raises(InputError, match=r"k = 1, 5: .* get_aggregate_metrics\(k=5\)"):
        metrics.get_aggregate_metrics()
    assert metrics.get_aggregate_metrics(k=1)["mean_precision_at_k"] == 1
    assert metrics.get_aggregate_metrics(k=5)["mean_precision_at_k"] == 0.6
    with pytest.raises(InputError, match="no query was evaluated at k = 3; there is k = 1, 5"):
        metrics.get_aggregate_metrics(k=3)


def test_reset_forgets_and_length_counts() -> None:
    metrics = RetrievalMetrics()
    metrics.evaluate_query(TOP_FIVE, SCORES, RELEVANT, k=5)
    metrics.evaluate_batch([[1], [2]], [[0.5], [0.4]], [{1}, {1}], k=5)
    assert len(metrics) == len(metrics.per_query) == 3
    assert [found["recall_at_k"] for found in metrics.per_query] == [0.75, 1, 0]

    metrics.reset()

    assert len(metrics) == 0 and metrics.per_query == ()
    assert metrics.get_aggregate_metrics() == {
        "num_queries": 0,
        "num_scored": 0,
        "num_without_relevant": 0,
        "num_without_ground_truth": 0,
    }


def test_every_key_names_a_metric_of_the_registry_with_its_formula() -> None:
    definitions = RetrievalMetrics.definitions(7)

    assert list(definitions) == [*JUDGED, *SIMILARITIES, *COUNTS]
    for key in (*JUDGED, *SIMILARITIES):
        assert Measure.parse(definitions[key].id).formula == definitions[key].formula
    assert definitions["f1_at_k"].id == "F1@7"
    assert definitions["num_relevant"].formula == "relevant items in the collection"


def test_the_table_of_the_docstring_is_what_is_computed() -> None:
    text = RetrievalMetrics.__doc__ or ""

    for key, what in RetrievalMetrics.definitions(123).items():
        row = next(line for line in text.splitlines() if f"`{key}`" in line)
        if key not in COUNTS:
            assert f"`{what.id.replace('123', 'k')}` | {what.formula.replace('123', 'k')}" in row


NAN, INFINITY = math.nan, math.inf


@pytest.mark.parametrize(
    ("retrieved", "scores", "relevant", "k", "message"),
    [
        ([1, 2], [0.5], [1], 5, "retrieved_indices has 2 items and similarity_scores 1; give one"),
        ([1, 2, 1], [3, 2, 1], [1], 5, "item 1 is ranked twice, at 1 and at 3; give every item"),
        ([1, 2], [0.5, NAN], [1], 5, "the score at rank 2 is nan; give finite numbers"),
        ([1, 2], [INFINITY, 0.5], [1], 5, "the score at rank 1 is inf; give finite numbers"),
        ([1], [0.5], [1], 0, "k is 0; give a whole number from 1 on"),
        ([1], [0.5], [1], -3, "k is -3; give a whole number from 1 on"),
        ([1], [0.5], [1], 2.5, "k is 2.5; give a whole number from 1 on"),
        ([1], [0.5], [1], True, "k is True; give a whole number from 1 on"),
        ([1], [0.5], ["1"], 5, "some items are numbers and some are texts, which never match; "),
        ([1.5], [0.5], [1], 5, "retrieved_indices holds 1.5, which is neither a whole number"),
        ([1], ["high"], [1], 5, "similarity_scores holds something that is not a number; "),
        ("abc", [1, 2, 3], [1], 5, "retrieved_indices is not a list of items; "),
        (np.ones((2, 2), int), [1, 2], [1], 5, "retrieved_indices is not a list of items; "),
        ([1], [[0.5]], [1], 5, "similarity_scores is not a list of numbers; "),
        ([1], [0.5], np.array([True]), 5, "relevant_indices holds True, which is neither"),
        ([1], [0.5], 7, 5, "relevant_indices is not a list of items; "),
        ([1], [0.5], {1: NAN}, 5, "relevant_indices gives item 1 the grade nan; give finite"),
        ([-1, 2], [0.5, 0.4], [1], 5, "item -1 is negative; indices count from 0; -1 (nothing)"),
        ([2], [0.5], [-7], 5, "item -7 is negative; indices count from 0"),
    ],
)
def test_bad_input_is_reported_in_one_line_and_leaves_nothing_behind(
    retrieved: Any, scores: Any, relevant: Any, k: Any, message: str
) -> None:
    metrics = RetrievalMetrics()

    with pytest.raises(InputError) as error:
        metrics.evaluate_query(retrieved, scores, relevant, k)

    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
    assert len(metrics) == 0


TWO = [[1, 2], [3, 4]]
FALLING = [[0.9, 0.8], [0.9, 0.8]]


@pytest.mark.parametrize(
    ("retrieved", "scores", "relevant", "message"),
    [
        ([[1, 2], [3]], FALLING, None, "the rankings differ in length; fill the short ones"),
        ([1, 2], [0.9, 0.8], None, "retrieved is no table of item indices (shape (2,), int64)"),
        (np.eye(2), FALLING, None, "retrieved is no table of item indices (shape (2, 2), float"),
        (TWO, [[0.9, 0.8]], None, "retrieved has the shape (2, 2) and scores (1, 2); "),
        ([[1, 2], [3, 3]], FALLING, None, "query 1 ranks item 3 more than once; "),
        ([[1, 2], [-1, 3]], FALLING, None, "query 1 has an item at rank 2 after -1 (nothing); "),
        ([[1, 2], [3, -9]], FALLING, None, "item -9 is no index; "),
        (TWO, [[0.9, 0.8], [0.9, NAN]], None, "the score at rank 2 of query 1 is nan; "),
        (TWO, FALLING, [{1}], "retrieved has 2 rows, relevant 1; give one entry for each query"),
        (TWO, FALLING, [{1}, {"a"}], "the relevant item 'a' of query 1 is no index; "),
        (TWO, FALLING, [{1}, {-1}], "the relevant item -1 of query 1 is no index; "),
        (TWO, FALLING, [1, 2], "the relevant items of query 0 is not a list of items; "),
        (TWO, FALLING, [{1}, {2: NAN}], "the relevant items of query 1 gives item 2 the grade"),
        (TWO, FALLING, np.zeros((2, 4)), "item 4 is ranked, but relevant has 4 columns; "),
        (TWO, FALLING, np.full((2, 5), NAN), "relevant holds NaN or infinity; "),
    ],
)
def test_bad_batches_are_reported_in_one_line(
    retrieved: Any, scores: Any, relevant: Any, message: str
) -> None:
    with pytest.raises(InputError) as error:
        RetrievalMetrics().evaluate_batch(retrieved, scores, relevant, k=2)

    assert str(error.value).startswith(message)


def test_a_batch_names_the_query_that_is_wrong() -> None:
    names = ["night drive", "rain"]

    with pytest.raises(InputError, match="query 'rain' ranks item 3 more than once"):
        RetrievalMetrics().evaluate_batch([[1, 2], [3, 3]], FALLING, None, k=2, queries=names)
    with pytest.raises(InputError, match="2 rows, and there are 1 names"):
        RetrievalMetrics().evaluate_batch(TWO, FALLING, None, k=2, queries=names[:1])


@dataclass(frozen=True)
class Case:
    """Random rankings, some shorter than others, and what is relevant to each, known or not."""

    indices: np.ndarray[Any, np.dtype[np.int64]]
    scores: np.ndarray[Any, np.dtype[np.float64]]
    relevant: list[set[int] | dict[int, int] | None]
    items: int
    k: int

    def ranking(self, query: int) -> list[int]:
        return [int(item) for item in self.indices[query] if item >= 0]


@st.composite
def cases(draw: st.DrawFn, graded: bool = True, known: bool = False) -> Case:
    items, queries = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    depth = draw(st.integers(1, items))
    offset = draw(st.sampled_from((0, 0, 1 << 40)))
    indices = np.full((queries, depth), -1, np.int64)
    for query in range(queries):
        length = draw(st.integers(0, depth))
        ranked = draw(st.permutations(range(items)))[:length]
        indices[query, :length] = np.array(ranked, np.int64) + offset
    item = st.integers(offset, offset + items - 1)
    judged: st.SearchStrategy[Any] = st.sets(item, min_size=int(known))
    if graded:
        judged |= st.dictionaries(item, st.integers(-1, 3))
    if not known:
        judged |= st.none()
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    return Case(
        indices,
        -np.sort(-rng.random((queries, depth)), axis=1),
        [draw(judged) for _ in range(queries)],
        items,
        draw(st.integers(1, items + 2)),
    )


def assert_same(ours: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    assert dict(ours) == pytest.approx(dict(theirs), abs=1e-12, nan_ok=True)


@given(cases())
@examples(150)
def test_a_batch_is_the_loop_over_its_queries(case: Case) -> None:
    loop, batch = RetrievalMetrics(), RetrievalMetrics()
    for ranked, scores, relevant in zip(case.indices, case.scores, case.relevant, strict=True):
        loop.evaluate_query(ranked, scores, relevant, case.k)

    found = batch.evaluate_batch(case.indices, case.scores, case.relevant, case.k)

    assert len(found) == len(batch) == len(loop)
    for one, other in zip(found, loop.per_query, strict=True):
        assert one.ground_truth == other.ground_truth
        assert_same(one, other)
    assert_same(batch.get_aggregate_metrics(), loop.get_aggregate_metrics())


@given(cases(known=True))
@examples(75)
def test_dense_and_sparse_matrices_say_the_same_as_sets(case: Case) -> None:
    indices = np.where(case.indices >= 0, case.indices % (1 << 40), -1)
    grades = np.zeros((len(indices), case.items))
    for row, relevant in zip(grades, case.relevant, strict=True):
        entries = (
            relevant.items() if isinstance(relevant, dict) else ((i, 1) for i in relevant or ())
        )
        for item, grade in entries:
            row[item % (1 << 40)] = grade
    by_sets = RetrievalMetrics().evaluate_batch(
        indices,
        case.scores,
        [dict(enumerate(row.tolist())) for row in grades],
        case.k,
    )

    for matrix in (grades, csr_array(grades)):
        found = RetrievalMetrics().evaluate_batch(indices, case.scores, matrix, case.k)
        for one, other in zip(found, by_sets, strict=True):
            assert_same(one, other)


def test_a_matrix_of_booleans_is_read_as_relevant_or_not() -> None:
    mask = np.array([[False, True, True]])

    (found,) = RetrievalMetrics().evaluate_batch([[1, 0]], [[0.9, 0.8]], mask, k=2)

    assert (found["recall_at_k"], found["num_relevant"]) == (0.5, 2)


def test_an_item_graded_twice_in_a_sparse_matrix_is_an_error() -> None:
    twice = csr_array((np.array([1, 2]), np.array([0, 0]), np.array([0, 2])), shape=(1, 3))

    with pytest.raises(InputError, match="grades an item of a query twice"):
        RetrievalMetrics().evaluate_batch([[1]], [[0.9]], twice, k=1)


@given(cases())
@examples(100)
def test_every_metric_equals_trec_evals(case: Case) -> None:
    # trec_eval leaves out queries that returned nothing, and orders by float32 score.
    scores = np.tile(np.linspace(0.9, 0.1, case.indices.shape[1]), (len(case.indices), 1))
    found = RetrievalMetrics().evaluate_batch(case.indices, scores, case.relevant, case.k)
    asked = {"map", "recip_rank", *(f"{name}.{case.k}" for name in ("P", "recall", "success"))}
    asked.add(f"ndcg_cut.{case.k}")

    for query, (ours, relevant) in enumerate(zip(found, case.relevant, strict=True)):
        ranked = case.ranking(query)
        if ours.ground_truth != "given" or not ranked:
            continue
        grades = relevant if isinstance(relevant, dict) else dict.fromkeys(relevant or (), 1)
        run = {f"d{item}": float(s) for item, s in zip(ranked, scores[query], strict=False)}
        qrels = {f"d{item}": grade for item, grade in grades.items()}
        theirs = pytrec_eval.RelevanceEvaluator({"q": qrels}, asked).evaluate({"q": run})["q"]
        for key, name in TREC.items():
            assert ours[key] == pytest.approx(theirs[name.format(k=case.k)], abs=EXACT)
        assert ours["top_k_retrieval_percentage"] == pytest.approx(100 * ours["recall_at_k"])


@given(cases())
@examples(75)
def test_similarities_equal_numpys_over_the_first_k_results(case: Case) -> None:
    found = RetrievalMetrics().evaluate_batch(case.indices, case.scores, case.relevant, case.k)

    for query, ours in enumerate(found):
        top = case.scores[query, : len(case.ranking(query))][: case.k]
        if not len(top):
            assert all(math.isnan(ours[key]) for key in SIMILARITIES)
            continue
        assert ours["average_similarity"] == pytest.approx(np.mean(top), abs=EXACT)
        assert (ours["max_similarity"], ours["min_similarity"]) == (np.max(top), np.min(top))


@given(cases(graded=False, known=True))
@examples(75)
def test_f1_and_ndcg_equal_scikit_learns(case: Case) -> None:
    everything = np.arange(case.items) + (int(case.indices.max()) >= 1 << 40) * (1 << 40)
    found = RetrievalMetrics().evaluate_batch(case.indices, case.scores, case.relevant, case.k)

    for query, ours in enumerate(found):
        ranked, own = case.ranking(query), sorted(case.relevant[query] or ())
        if len(ranked) < max(case.k, 2):  # scikit-learn knows no list shorter than k
            continue
        truth = np.isin(everything, own)
        predicted = np.isin(everything, ranked[: case.k])
        assert ours["f1_at_k"] == pytest.approx(f1_score(truth, predicted), abs=EXACT)
        worth = {item: len(ranked) - place for place, item in enumerate(ranked)}
        order = [worth.get(int(item), 0) for item in everything]
        theirs = ndcg_score([truth], [order], k=case.k)
        assert ours["ndcg_at_k"] == pytest.approx(theirs, abs=EXACT)


def test_the_json_holds_definitions_values_aggregate_and_policies(tmp_path: Path) -> None:
    metrics = RetrievalMetrics()
    metrics.evaluate_query(TOP_FIVE, SCORES, RELEVANT, k=5, query="person walking\x9b31m")
    metrics.evaluate_query([1], [0.5], [], k=5)
    metrics.evaluate_query([1], [0.5], None, k=1)

    metrics.export_to_json(tmp_path / "metrics.json")

    text = (tmp_path / "metrics.json").read_text(encoding="utf-8")
    document = json.loads(text)
    assert "\x9b" not in text
    assert document["schema"] == "tui-eval/retrieval-metrics@2"
    assert document["policies"]["std_ddof"] == 1
    assert [entry["k"] for entry in document["cutoffs"]] == [1, 5]
    of_five = document["cutoffs"][1]
    assert of_five["definitions"]["recall_at_k"] == {"id": "R@5", "formula": "hits@5 / R"}
    assert of_five["definitions"]["map"]["formula"] == "mean over queries of Σ P@i · rel_i / R"
    assert of_five["aggregate"]["mean_recall_at_k"] == 0.75
    assert of_five["aggregate"]["std_recall_at_k"] is None
    first, empty, unknown = document["queries"]
    assert (first["query"], first["precision_at_k"]) == ("person walking\x9b31m", 0.6)
    assert (empty["ground_truth"], empty["recall_at_k"]) == ("empty", None)
    assert unknown["ground_truth"] == "none" and "recall_at_k" not in unknown


def test_the_csv_has_one_row_per_query_and_no_formula(tmp_path: Path) -> None:
    metrics = RetrievalMetrics()
    metrics.evaluate_query(TOP_FIVE, SCORES, RELEVANT, k=5, query="=HYPERLINK(1)")
    metrics.evaluate_query([1], [0.5], [], k=5, query='a "quoted", name\n@over two lines')
    metrics.evaluate_query([1], [0.5], None, k=5)

    metrics.export_to_csv(str(tmp_path / "metrics.csv"))

    with (tmp_path / "metrics.csv").open(encoding="utf-8", newline="") as file:
        first, empty, unknown = csv.DictReader(file)
    assert first["query"] == "'=HYPERLINK(1)"
    assert float(first["recall_at_k"]) == 0.75
    assert empty["query"] == 'a "quoted", name\\n@over two lines'
    assert (empty["recall_at_k"], empty["num_relevant"]) == ("", "0")
    assert (unknown["num_relevant"], unknown["ground_truth"]) == ("", "none")
    assert [row["number"] for row in (first, empty, unknown)] == ["1", "2", "3"]


@pytest.mark.parametrize("name", ["no/such/folder/m.json", "", "nul\0byte"])
def test_a_path_that_cannot_be_written_is_one_line(tmp_path: Path, name: str) -> None:
    metrics = RetrievalMetrics()

    for export in (metrics.export_to_json, metrics.export_to_csv):
        with pytest.raises(InputError, match="cannot be written") as error:
            export(f"{tmp_path}/{name}")
        assert "\n" not in str(error.value)
