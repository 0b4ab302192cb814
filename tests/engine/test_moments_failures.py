"""Why queries fail: every rule by hand, all of them against loops, and the sentence of each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.moments.assessed import Task
from engine.moments.failures import ABOUT, ABOUT_VIDEOS, CLASSES, At, Failures, explain
from engine.moments.why import why
from tests.engine.moments_by_hand import Query, Span, assess, class_of

GOOD, FAIR, POOR, NONE = (10.0, 20.0), (10.0, 14.0), (10.0, 11.0), (50.0, 60.0)
"""Overlaps of 1, 0.4, 0.1 and 0 with the moment from 10 to 20."""


def query(*predictions: tuple[str, Span], spans: list[Span] | None = None) -> Query:
    return Query("a", spans or [(10, 20)], [(video, *span) for video, span in predictions])


def names(failures: Failures) -> list[str]:
    return [CLASSES[code] for code in failures.classes]


@pytest.mark.parametrize(
    ("predictions", "expected"),
    [
        ([("a", GOOD)], "hit"),
        ([("a", (10.0, 15.0))], "hit"),  # exactly 0.5
        ([("b", GOOD), ("a", GOOD)], "ranked low"),
        ([("a", FAIR), ("a", GOOD)], "ranked low"),  # a later hit comes before a near miss
        ([("a", FAIR)], "nearly right"),
        ([("b", GOOD), ("a", NONE), ("a", (10.0, 13.0))], "nearly right"),  # exactly 0.3
        ([("a", POOR)], "wrong time"),
        ([("b", GOOD), ("a", NONE)], "wrong time"),
        ([("b", GOOD)], "wrong video"),
        ([], "wrong video"),
    ],
)
def test_the_first_rule_that_applies_is_the_class(
    predictions: list[tuple[str, Span]], expected: str
) -> None:
    assert names(explain(assess("VCMR", [query(*predictions)]))) == [expected]


def test_a_hit_may_be_at_any_of_the_first_k_ranks() -> None:
    assessed = assess("VCMR", [query(("b", GOOD), ("a", GOOD))])

    assert names(explain(assessed, At(0.5, 1))) == ["ranked low"]
    assert names(explain(assessed, At(0.5, 2))) == ["hit"]


def test_a_higher_overlap_asked_for_makes_of_a_hit_a_near_miss() -> None:
    assessed = assess("VCMR", [query(("a", (10.0, 16.0)))])

    assert names(explain(assessed, At(0.6, 1))) == ["hit"]
    assert names(explain(assessed, At(0.7, 1))) == ["nearly right"]
    assert names(explain(assessed, At(0.7, 1), near=0.65)) == ["wrong time"]


def test_other_videos_do_not_take_ranks_where_the_video_is_given() -> None:
    queries = [query(("b", GOOD), ("c", GOOD), ("a", GOOD)), query(("b", GOOD))]

    assert names(explain(assess("SVMR", queries))) == ["hit", "wrong video"]
    assert names(explain(assess("VCMR", queries))) == ["ranked low", "wrong video"]


def test_times_mean_nothing_where_videos_are_searched() -> None:
    queries = [query(("a", NONE)), query(("b", NONE), ("a", NONE)), query(("b", GOOD))]

    failures = explain(assess("VR", queries), At(0.5, 1))

    assert names(failures) == ["hit", "ranked low", "wrong video"]
    assert str(failures.at) == "r1"
    assert np.isnan(failures.best).all()
    assert np.isnan(failures.best_at_k).all()
    assert [CLASSES[code] for code in failures.possible] == list(ABOUT_VIDEOS)


def test_predictions_that_are_not_used_explain_nothing() -> None:
    late = query(*[("b", GOOD)] * 3, ("a", GOOD))

    assert names(explain(assess("VCMR", [late], most=3))) == ["wrong video"]


def test_of_four_spans_the_second_best_overlap_decides() -> None:
    spans: list[Span] = [(10, 20), (10, 13), (40, 50), (70, 80)]

    # An overlap of 1 with one span alone does not do; 0.3 with a second one is near.
    assert names(explain(assess("VCMR", [query(("a", GOOD), spans=spans)]))) == ["nearly right"]
    assert names(explain(assess("VCMR", [query(("a", GOOD), spans=spans[:1])]))) == ["hit"]


def test_ranks_and_overlaps_are_kept_beside_the_class() -> None:
    found = [("b", GOOD), ("a", POOR), ("a", FAIR), ("a", GOOD)]

    failures = explain(assess("VCMR", [query(*found), query(("b", GOOD))]), At(0.5, 3))

    assert failures.right_ranks.tolist() == [2, 0]
    assert failures.hit_ranks.tolist() == [4, 0]
    assert failures.best_at_k.tolist() == pytest.approx([0.4, 0.0])
    assert failures.best.tolist() == [1.0, 0.0]


def test_counts_and_rows_have_every_query_once() -> None:
    queries = [query(("a", GOOD)), query(("b", GOOD)), query(("a", FAIR)), query(("a", GOOD))]

    failures = explain(assess("VCMR", queries))

    assert failures.counts().tolist() == [2, 0, 1, 0, 1]
    assert [failures.rows_of(code).tolist() for code in range(5)] == [[0, 3], [], [2], [], [1]]
    assert failures.recall == 0.5


def test_without_queries_nothing_is_defined() -> None:
    failures = explain(assess("VCMR", []))

    assert failures.counts().tolist() == [0] * 5
    assert math.isnan(failures.recall)


@pytest.mark.parametrize("near", [0.5, 0.7, 0.0, -1.0, math.nan])
def test_what_is_nearly_right_lies_below_what_is_right(near: float) -> None:
    with pytest.raises(InputError, match=r"not between 0 and the IoU 0\.5"):
        explain(assess("VCMR", [query(("a", GOOD))]), At(0.5, 1), near)


def test_moments_need_an_overlap() -> None:
    with pytest.raises(InputError, match=r"r5 has no IoU, which SVMR needs; write it as 0\.5-r5"):
        explain(assess("SVMR", [query(("a", GOOD))]), At(None, 5))


@pytest.mark.parametrize("name", ["0.5-r1", "0.7-r100", "0.55-r10", "1.0-r5", "r1", "r10"])
def test_official_names_are_read_and_written_back(name: str) -> None:
    assert str(At.parse(name)) == name


@pytest.mark.parametrize(
    "name", ["", "0.5", "0.5-1", "0.5-r0", "1.5-r1", "0-r1", "r", "x-r1", "rr"]
)
def test_what_is_no_official_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="names no recall"):
        At.parse(name)


def test_every_class_has_a_sentence() -> None:
    assert list(ABOUT) == list(CLASSES)


@pytest.mark.parametrize(
    ("task", "predictions", "sentence"),
    [
        ("VCMR", [("a", GOOD)], "a right moment is at rank 1."),
        (
            "VCMR",
            [("b", GOOD), ("a", GOOD)],
            "a right moment is at rank 2, after 1.",
        ),
        (
            "VCMR",
            [("b", GOOD), ("a", FAIR)],
            "the right video is at rank 2; the best overlap is 0.400, 0.5 is needed.",
        ),
        (
            "SVMR",
            [("b", GOOD), ("a", POOR)],
            "the right video is at rank 1; the best overlap is 0.100, 0.5 is needed.",
        ),
        (
            "VCMR",
            [("a", NONE)],
            "the right video is at rank 1, but no time in it overlaps the moment.",
        ),
        ("VCMR", [("b", GOOD), ("c", GOOD)], "all 2 predictions are in other videos."),
        ("VR", [("b", GOOD)], "the only prediction is in another video."),
        ("VR", [("b", GOOD), ("a", NONE)], "the right video is at rank 2, after 1."),
        ("VR", [], "it has no predictions."),
    ],
)
def test_the_sentence_says_what_decided(
    task: Task, predictions: list[tuple[str, Span]], sentence: str
) -> None:
    assert why(explain(assess(task, [query(*predictions)])), 0) == sentence


def test_the_sentence_tells_of_the_second_best_of_four_spans_and_of_late_predictions() -> None:
    spans: list[Span] = [(10, 20), (10, 13), (40, 50), (70, 80)]
    four = explain(assess("VCMR", [query(("a", s), spans=spans) for s in (GOOD, (70.0, 80.0))]))
    late = explain(assess("VCMR", [query(*[("b", GOOD)] * 2, ("a", GOOD))], most=2))

    assert "overlap is 0.300 (with the second best of its moments), 0.5" in why(four, 0)
    assert why(four, 1).endswith("but no time in it overlaps two of its moments.")
    assert why(late, 0) == "the right video comes only after the predictions that count."


TIMES = st.integers(0, 12).map(float)
SPANS = st.tuples(TIMES, st.integers(1, 8).map(float)).map(lambda s: (s[0], s[0] + s[1]))
FOUND = st.tuples(st.sampled_from("abc"), SPANS).map(lambda one: (one[0], *one[1]))
QUERIES = st.builds(
    Query,
    st.sampled_from("ab"),
    st.lists(SPANS, min_size=1, max_size=5),
    st.lists(FOUND, max_size=8),
)


@given(
    st.sampled_from(["VCMR", "SVMR", "VR"]),
    st.lists(QUERIES, max_size=6),
    st.sampled_from([0.5, 0.6, 0.7, 1.0]),
    st.sampled_from([0.1, 0.25, 0.3, 0.49]),
    st.integers(1, 6),
    st.integers(1, 8),
)
def test_classes_equal_those_of_the_rules_read_one_by_one(
    task: Task, queries: list[Query], iou: float, near: float, k: int, most: int
) -> None:
    at = At(iou, k)

    failures = explain(assess(task, queries, most), at, near)

    assert names(failures) == [class_of(task, one, at, near, most) for one in queries]
    assert set(failures.classes.tolist()) <= set(failures.possible)
    for row in range(len(queries)):
        assert why(failures, row).endswith(".")
