"""Curves are what a direct calculation over the saved results gives, and what the run reported."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics import Measure, find_profile
from engine.results.curves import (
    FAMILIES,
    MOST_CUTOFFS,
    choose_round_steps,
    compute_metric_by_k,
    count_similarities,
)
from engine.results.results import KeptResults, Results, number_queries
from tests.engine.report.report_by_hand import sample_document, saved


def results(
    hits: list[list[float]],
    relevant: list[int],
    scores: list[list[float]] | None = None,
    mode: str = "text",
) -> Results:
    """Queries with these hits, and a saved value each, so that all of them count."""
    n = len(hits)
    scores = scores or [[1 - 0.1 * place for place in range(len(row))] for row in hits]
    return Results(
        name="system",
        language=find_profile("ir"),
        measures=(Measure.parse("P@1"),),
        keys=number_queries([mode] * n, [f"query {i}" for i in range(n)]),
        values=np.zeros((n, 1)),
        keywords=((),) * n,
        relevant=np.array(relevant),
        ranked=tuple(
            KeptResults(tuple(f"d{i}" for i in range(len(row))), tuple(own), tuple(map(float, row)))
            for row, own in zip(hits, scores, strict=True)
        ),
    )


def test_metrics_by_k_are_what_a_hand_calculation_gives() -> None:
    found = compute_metric_by_k(results([[1, 0, 1], [0, 0, 1]], relevant=[4, 1]), "text")

    assert found.ks.tolist() == [1, 2, 3]
    assert found.of("P@k").tolist() == pytest.approx([1 / 2, 1 / 4, (2 / 3 + 1 / 3) / 2])
    assert found.of("R@k").tolist() == pytest.approx([1 / 8, 1 / 8, (2 / 4 + 1) / 2])
    assert found.of("Success@k").tolist() == [0.5, 0.5, 1.0]
    first = (1 + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2)
    assert found.of("nDCG@k")[2] == pytest.approx((first + 0.5) / 2)
    assert found.n.tolist() == [2, 2, 2, 2]


def test_metrics_by_k_are_those_of_an_independent_library() -> None:
    random = np.random.default_rng(7)
    hits = (random.random((25, 8)) < 0.4).astype(float)
    relevant = hits.sum(axis=1).astype(int) + random.integers(1, 6, 25)
    qrels, run = {}, {}
    for query, (row, count) in enumerate(zip(hits, relevant, strict=True)):
        judged = {f"d{i}": int(hit) for i, hit in enumerate(row)}
        unfound = {f"below{i}": 1 for i in range(count - int(row.sum()))}
        qrels[str(query)] = {**judged, **unfound}
        run[str(query)] = {f"d{i}": float(100 - i) for i in range(8)}

    found = compute_metric_by_k(results(hits.tolist(), relevant.tolist()), "text")

    names = {"P@k": "P", "R@k": "recall", "Success@k": "success", "nDCG@k": "ndcg_cut"}
    for family, name in names.items():
        ks = ",".join(map(str, range(1, 9)))
        oracle = pytrec_eval.RelevanceEvaluator(qrels, {f"{name}.{ks}"}).evaluate(run)
        for place, k in enumerate(range(1, 9)):
            mean = np.mean([values[f"{name}_{k}"] for values in oracle.values()])
            assert found.of(family)[place] == pytest.approx(mean, abs=1e-9), (family, k)


def test_at_the_cut_offs_of_a_run_the_curves_are_what_it_reported(tmp_path) -> None:
    from engine.results.read_results import read_results

    document = sample_document("alfa-0.1")
    found = compute_metric_by_k(read_results(saved(document, tmp_path / "run.json")), "video")

    checked = 0
    for row in document["metrics"]:
        family = row["id"].split("@")[0] + "@k"
        if family in FAMILIES:
            k = int(row["id"].split("@")[1])
            assert found.of(family)[k - 1] == pytest.approx(row["mean"], abs=1e-12)
            checked += 1
    assert checked == 9
    assert set(found.n.tolist()) == {document["queries"]["video"]["scored"]}


def test_a_query_that_does_not_count_is_left_out() -> None:
    three = results([[1, 1], [0, 0], []], relevant=[2, 2, 0])
    values = three.values.copy()
    values[2] = np.nan

    found = compute_metric_by_k(replace(three, values=values), "text", ["P@k"])

    assert found.n.tolist() == [2]
    assert found.values.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("relevant", [-1, 1])
def test_where_r_is_unknown_or_cannot_be_true_metrics_without_it_are_still_known(
    relevant: int,
) -> None:
    found = compute_metric_by_k(results([[1, 1], [1, 0]], relevant=[relevant, 4]), "text")

    assert found.of("P@k").tolist() == [1.0, 0.75]
    assert found.of("R@k").tolist() == [0.25, 0.25], "only the query whose R is known counts"
    assert found.n.tolist() == [2, 1, 2, 1]


def test_a_gain_above_0_is_a_hit_and_graded_results_have_no_ndcg() -> None:
    found = compute_metric_by_k(results([[3, 0, 0.5]], relevant=[5]), "text")

    assert found.of("P@k").tolist() == pytest.approx([1, 1 / 2, 2 / 3])
    assert np.isnan(found.of("nDCG@k")).all()


def test_the_policy_for_short_lists_is_that_of_the_run() -> None:
    short = results([[1], [1, 1]], relevant=[1, 4], scores=[[0.9], [0.9, 0.1]])

    assert compute_metric_by_k(short, "text", ["P@k"]).values.tolist() == [[1.0, 0.75]]
    adaptive = replace(short, policies=(("fewer_than_k", "adaptive"),))
    assert compute_metric_by_k(adaptive, "text", ["P@k"]).values.tolist() == [[1.0, 1.0]]


def test_of_deep_rankings_some_cut_offs_are_left_out_but_neither_end() -> None:
    found = compute_metric_by_k(results([[1.0] + [0.0] * 499], relevant=[1]), "text", ["P@k"])

    assert len(found.ks) <= MOST_CUTOFFS
    assert (found.ks[0], found.ks[-1]) == (1, 500)
    assert found.values[0] == pytest.approx(1 / found.ks)


def test_without_kept_results_there_is_no_curve() -> None:
    bare = replace(results([[1]], relevant=[1]), ranked=())

    assert len(compute_metric_by_k(bare, "text").ks) == 0
    assert count_similarities(bare, "text").hits.sum() == 0


def test_a_histogram_counts_hits_and_misses_of_its_mode_by_similarity() -> None:
    own = results([[1, 0], [2, 0]], [2, 2], [[0.95, 0.5], [0.55, 0.1]])

    found = count_similarities(own, "text", [0.0, 0.5, 1.0])

    assert found.hits.tolist() == [0, 2]
    assert found.misses.tolist() == [1, 1], "an edge belongs to the bin above it"
    assert count_similarities(own, "video").hits.sum() == 0


@given(st.lists(st.tuples(st.floats(-1, 1), st.booleans()), min_size=1, max_size=40))
def test_a_histogram_holds_every_result_once(pairs: list[tuple[float, bool]]) -> None:
    scores, hits = zip(*pairs, strict=True)
    own = results([[float(hit) for hit in hits]], [len(hits)], [list(scores)])

    found = count_similarities(own, "text", 12)

    assert found.hits.sum() == sum(hits)
    assert found.misses.sum() == len(hits) - sum(hits)
    assert found.edges[0] <= min(scores) and max(scores) <= found.edges[-1]


@given(st.floats(-1e6, 1e6), st.floats(1e-2, 1e6), st.integers(1, 40))
def test_round_steps_cover_the_limits_in_equal_round_steps(
    low: float, width: float, about: int
) -> None:
    steps = choose_round_steps(low, low + width, about)

    assert steps[0] <= low and steps[-1] >= low + width
    sizes = np.diff(steps)
    assert np.allclose(sizes, sizes[0], rtol=1e-3)
    mantissa = sizes[0] / 10 ** math.floor(math.log10(sizes[0]) + 1e-6)
    assert min(abs(mantissa - m) for m in (1, 2, 5, 10)) < 1e-2
    assert about / 2 - 1 <= len(sizes) <= 2 * about + 2


def test_limits_of_any_size_have_steps() -> None:
    assert len(choose_round_steps(-1e308, 1e308, 10)) < 30
    assert choose_round_steps(0.7, 0.7, 10).tolist() == [0.0, 1.0, 2.0]
    first, middle, last = choose_round_steps(1e17, 1e17, 10)
    assert first < middle < last
