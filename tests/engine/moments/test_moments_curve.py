"""Recall over k and IoU, and by length: by hand, and against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.moments.failures.failures import explain
from engine.moments.failures.task_analysis import CURVE_IOUS, compute_recall_curve, split_by_length
from engine.moments.tasks import HitRule, Task
from tests.engine.moments.moments_by_hand import Query, assess, class_of

HALF, WHOLE = ("a", 10.0, 15.0), ("a", 10.0, 20.0)
OTHER = ("b", 10.0, 20.0)


def query(*predictions: tuple[str, float, float], duration: float = 100.0) -> Query:
    return Query("a", [(10, 20)], predictions, duration)


def test_recall_grows_with_k_and_falls_with_the_overlap() -> None:
    queries = [query(HALF, OTHER, WHOLE), query(OTHER, HALF), query(OTHER), query(WHOLE)]

    curve = compute_recall_curve(assess("VCMR", queries), (1, 2, 3), (0.5, 0.7))

    assert curve.values.tolist() == [[0.5, 0.25], [0.75, 0.25], [0.75, 0.5]]
    assert (curve.ks, curve.ious) == ((1, 2, 3), (0.5, 0.7))


def test_the_usual_overlaps_are_nine() -> None:
    curve = compute_recall_curve(assess("VCMR", [query(HALF)]), (1,))

    assert curve.ious == CURVE_IOUS == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    assert curve.values.tolist() == [[1, 1, 1, 1, 1, 0, 0, 0, 0]]  # 0.5 itself is enough


def test_where_videos_are_searched_no_overlap_is_needed() -> None:
    curve = compute_recall_curve(assess("VR", [query(OTHER, ("a", 90, 91))]), (1, 2), (0.5, 0.9))

    assert curve.values.tolist() == [[0, 0], [1, 1]]


def test_a_curve_without_queries_is_undefined() -> None:
    assert np.isnan(compute_recall_curve(assess("VCMR", []), (1, 5)).values).all()


def bins(queries: list[Query], lengths: list[float], edges: list[float] | None = None) -> list[str]:
    failures = explain(assess("VCMR", queries), HitRule(0.5, 1))
    found = split_by_length(failures, np.array(lengths), edges)
    return [f"{b.low:g} to {b.high:g}: {b.recall:g} of {b.n}" for b in found]


def test_queries_are_cut_into_quarters_by_length() -> None:
    hit, miss = query(WHOLE), query(OTHER)

    # Of 0 … 8 the quartiles are 0, 2, 4, 6 and 8; a bin has its low edge, the last one both.
    found = bins([hit, miss, hit, hit, miss, miss, miss, hit, miss], [0, 1, 2, 3, 4, 5, 6, 7, 8])

    assert found == ["0 to 2: 0.5 of 2", "2 to 4: 1 of 2", "4 to 6: 0 of 2",
                     f"6 to 8: {1 / 3:g} of 3"]  # fmt: skip


def test_equal_edges_are_one() -> None:
    hit, miss = query(WHOLE), query(OTHER)

    assert bins([hit, miss, hit], [7, 7, 7]) == ["7 to 7: 0.666667 of 3"]
    assert bins([hit, miss, hit, hit], [1, 1, 1, 5]) == ["1 to 2: 0.666667 of 3", "2 to 5: 1 of 1"]


def test_unknown_lengths_are_a_last_bin() -> None:
    found = bins([query(WHOLE), query(OTHER)], [3.0, math.nan])

    assert found == ["3 to 3: 1 of 1", "nan to nan: 0 of 1"]
    assert bins([query(WHOLE)], [math.nan]) == ["nan to nan: 1 of 1"]


def test_given_edges_are_kept_and_nothing_beyond_them_is_lost() -> None:
    queries = [query(WHOLE), query(OTHER), query(WHOLE)]

    assert bins(queries, [5, 15, 25], [0, 10, 20, 30]) == [
        "0 to 10: 1 of 1", "10 to 20: 0 of 1", "20 to 30: 1 of 1"]  # fmt: skip
    assert bins(queries, [5, 15, 25], [10, 20]) == [
        "-inf to 10: 1 of 1", "10 to 20: 0 of 1", "20 to inf: 1 of 1"]  # fmt: skip
    assert bins(queries[:1], [5], [0, 10, 20]) == ["0 to 10: 1 of 1", "10 to 20: nan of 0"]


def test_a_bin_counts_its_classes() -> None:
    queries = [query(WHOLE), query(OTHER, WHOLE), query(("a", 10, 14)), query(OTHER)]

    (one,) = split_by_length(explain(assess("VCMR", queries), HitRule(0.5, 1)), np.full(4, 9.0))

    assert one.counts.tolist() == [1, 1, 1, 0, 1]


LENGTHS = st.one_of(st.integers(0, 9).map(float), st.just(math.nan))
FOUND = st.tuples(st.sampled_from("ab"), st.integers(0, 15), st.integers(1, 15)).map(
    lambda one: (one[0], float(one[1]), float(one[1] + one[2]))
)
QUERIES = st.lists(st.lists(FOUND, max_size=5).map(lambda found: query(*found)), max_size=12)


@given(
    st.sampled_from(["VCMR", "SVMR", "VR"]),
    QUERIES,
    st.lists(st.integers(1, 6), min_size=1, max_size=3),
)
def test_a_curve_equals_counting_queries_one_by_one(
    task: Task, queries: list[Query], ks: list[int]
) -> None:
    curve = compute_recall_curve(assess(task, queries), ks, (0.3, 0.5, 0.8))

    for row, k in enumerate(ks):
        for column, iou in enumerate((0.3, 0.5, 0.8)):
            hits = sum(class_of(task, one, HitRule(iou, k), 0.1) == "hit" for one in queries)
            expected = hits / len(queries) if queries else math.nan
            assert curve.values[row, column] == pytest.approx(expected, nan_ok=True)


@given(QUERIES, st.data())
def test_every_query_is_in_one_bin_and_the_bins_are_of_nearly_equal_size(
    queries: list[Query], data: st.DataObject
) -> None:
    lengths = data.draw(st.lists(LENGTHS, min_size=len(queries), max_size=len(queries)))
    failures = explain(assess("VCMR", queries), HitRule(0.5, 1))

    found = split_by_length(failures, np.array(lengths, np.float64))

    assert sum(one.n for one in found) == len(queries)
    assert sum((one.counts for one in found), np.zeros(5)).tolist() == failures.counts().tolist()
    known = [one for one in found if one.known]
    assert len(known) <= 4
    for place, one in enumerate(known):
        last = place == len(known) - 1
        inside = [n for n in lengths if one.low <= n < one.high or (last and n == one.high)]
        assert one.n == len(inside)
