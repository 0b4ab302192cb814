"""Why queries fail: every rule by hand, all of them against loops, and the sentence of each."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.moments.failures.classes import (
    CLASS_MEANINGS,
    CLASSES,
    NOT_COUNTED,
    PREDICTION_MARKS,
    VIDEO_CLASS_MEANINGS,
    WRONG_VIDEO,
)
from engine.moments.failures.explanation import explain_class, format_overlap, shorten_number
from engine.moments.failures.failures import Failures, explain, mark_predictions
from engine.moments.moments_source import MomentsRequest, choose_hit_rule
from engine.moments.tasks import HitRule, Task, choose_near_iou
from tests.engine.moments.moments_by_hand import Query, Span, assess, class_of

HALF = HitRule(0.5, 1)
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
    assert names(explain(assess("VCMR", [query(*predictions)]), HALF)) == [expected]


def test_a_hit_may_be_at_any_of_the_first_k_ranks() -> None:
    judged = assess("VCMR", [query(("b", GOOD), ("a", GOOD))])

    assert names(explain(judged, HALF)) == ["ranked low"]
    assert names(explain(judged, HitRule(0.5, 2))) == ["hit"]


def test_a_higher_overlap_asked_for_makes_of_a_hit_a_near_miss() -> None:
    judged = assess("VCMR", [query(("a", (10.0, 16.0)))])

    assert names(explain(judged, HitRule(0.6, 1))) == ["hit"]
    assert names(explain(judged, HitRule(0.7, 1))) == ["nearly right"]
    assert names(explain(judged, HitRule(0.7, 1), near=0.65)) == ["wrong time"]


def test_other_videos_do_not_take_ranks_where_the_video_is_given() -> None:
    queries = [query(("b", GOOD), ("c", GOOD), ("a", GOOD)), query(("b", GOOD))]

    assert names(explain(assess("SVMR", queries), HALF)) == ["hit", "wrong video"]
    assert names(explain(assess("VCMR", queries), HALF)) == ["ranked low", "wrong video"]


def test_times_mean_nothing_where_videos_are_searched() -> None:
    queries = [query(("a", NONE)), query(("b", NONE), ("a", NONE)), query(("b", GOOD))]

    failures = explain(assess("VR", queries), HALF)

    assert names(failures) == ["hit", "ranked low", "wrong video"]
    assert str(failures.at) == "r1"
    assert np.isnan(failures.best).all()
    assert np.isnan(failures.best_at_k).all()
    assert [CLASSES[code] for code in failures.possible] == list(VIDEO_CLASS_MEANINGS)


def test_predictions_that_are_not_used_explain_nothing() -> None:
    late = query(*[("b", GOOD)] * 3, ("a", GOOD))

    assert names(explain(assess("VCMR", [late], most=3), HALF)) == ["wrong video"]


def test_of_four_spans_the_second_best_overlap_decides() -> None:
    spans: list[Span] = [(10, 20), (10, 13), (40, 50), (70, 80)]

    four, one = (assess("VCMR", [query(("a", GOOD), spans=own)]) for own in (spans, spans[:1]))

    # An overlap of 1 with one span alone does not do; 0.3 with a second one is near.
    assert names(explain(four, HALF)) == ["nearly right"]
    assert names(explain(one, HALF)) == ["hit"]


def test_ranks_and_overlaps_are_kept_beside_the_class() -> None:
    found = [("b", GOOD), ("a", POOR), ("a", FAIR), ("a", GOOD)]

    failures = explain(assess("VCMR", [query(*found), query(("b", GOOD))]), HitRule(0.5, 3))

    assert failures.right_ranks.tolist() == [2, 0]
    assert failures.hit_ranks.tolist() == [4, 0]
    assert failures.best_at_k.tolist() == pytest.approx([0.4, 0.0])
    assert failures.best.tolist() == [1.0, 0.0]


def test_counts_and_rows_have_every_query_once() -> None:
    queries = [query(("a", GOOD)), query(("b", GOOD)), query(("a", FAIR)), query(("a", GOOD))]

    failures = explain(assess("VCMR", queries), HALF)

    assert failures.counts().tolist() == [2, 0, 1, 0, 1]
    assert [failures.rows_of(code).tolist() for code in range(5)] == [[0, 3], [], [2], [], [1]]
    assert failures.recall == 0.5
    assert failures.shares.tolist() == [0.5, 0, 0.25, 0, 0.25]


def test_without_queries_nothing_is_defined() -> None:
    failures = explain(assess("VCMR", []), HALF)

    assert failures.counts().tolist() == [0] * 5
    assert np.isnan(failures.shares).all()
    assert math.isnan(failures.recall)


@pytest.mark.parametrize("near", [0.5, 0.7, 0.0, -1.0, math.nan])
def test_what_is_nearly_right_lies_below_what_is_right(near: float) -> None:
    with pytest.raises(InputError, match=r"not between 0 and the IoU 0\.5"):
        explain(assess("VCMR", [query(("a", GOOD))]), HALF, near)


def test_moments_need_an_overlap() -> None:
    with pytest.raises(InputError, match=r"r5 has no IoU, which SVMR needs; write it as 0\.5-r5"):
        explain(assess("SVMR", [query(("a", GOOD))]), HitRule(None, 5))


@given(st.none() | st.floats(0, 1, exclude_min=True), st.integers(1, 10**6))
@example(0.5, 1)
@example(1e-05, 1)  # written with an exponent, as the official script would
def test_official_names_are_read_and_written_back(iou: float | None, k: int) -> None:
    assert HitRule.parse(str(HitRule(iou, k))) == HitRule(iou, k)


@pytest.mark.parametrize("name", ["0.5-r1", "0.7-r100", "0.55-r10", "1.0-r5", "r1", "1e-05-r1"])
def test_a_name_that_was_read_is_the_name_that_is_written(name: str) -> None:
    assert str(HitRule.parse(name)) == name


@pytest.mark.parametrize(
    ("at", "near"),
    [
        (HitRule(0.5, 1), 0.3),
        (HitRule(0.31, 1), 0.3),
        (HitRule(0.3, 1), 0.15),
        (HitRule(0.2, 5), 0.1),
    ],
)
def test_what_is_nearly_right_follows_the_overlap_of_a_hit(at: HitRule, near: float) -> None:
    failures = explain(assess("VCMR", [query(("a", GOOD))]), at)

    assert failures.near == near == choose_near_iou(at)


def test_the_usual_recall_is_the_smallest_that_was_asked_for() -> None:
    request = MomentsRequest(Path("p"), Path("t"), ious=(0.7, 0.3), ks=(10, 5))

    assert choose_hit_rule(request) == HitRule(0.3, 5)


@pytest.mark.parametrize(
    "name", ["", "0.5", "0.5-1", "0.5-r0", "1.5-r1", "0-r1", "r", "x-r1", "rr"]
)
def test_what_is_no_official_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="names no recall"):
        HitRule.parse(name)


def test_every_class_has_a_sentence() -> None:
    assert list(CLASS_MEANINGS) == list(CLASSES)


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
    assert explain_class(explain(assess(task, [query(*predictions)]), HALF), 0) == sentence


def test_the_sentence_tells_of_the_second_best_of_four_spans_and_of_late_predictions() -> None:
    spans: list[Span] = [(10, 20), (10, 13), (40, 50), (70, 80)]
    four = explain(
        assess("VCMR", [query(("a", s), spans=spans) for s in (GOOD, (70.0, 80.0))]), HALF
    )
    late = explain(assess("VCMR", [query(*[("b", GOOD)] * 2, ("a", GOOD))], most=2), HALF)

    assert "overlap is 0.300 (with the second best of its moments), 0.5" in explain_class(four, 0)
    assert explain_class(four, 1).endswith("but no time in it overlaps two of its moments.")
    assert explain_class(late, 0) == "the right video comes only after the predictions that count."


def test_highlights_never_ask_for_two_moments() -> None:
    spans: list[Span] = [(10, 20), (10, 13), (40, 50), (70, 80)]
    judged = assess("VCMR", [query(("a", FAIR), spans=spans), query(("a", (90, 99)), spans=spans)])

    near, never = (
        explain_class(explain(replace(judged, task="MR"), HitRule(0.9, 1)), row) for row in (0, 1)
    )

    assert "second best" not in near
    assert never.endswith("no window overlaps its moments.")


def test_an_overlap_just_below_what_is_needed_never_reads_like_it() -> None:
    short = query(("a", (10.0, 14.9998)))  # 0.49998

    sentence = explain_class(explain(assess("VCMR", [short]), HALF), 0)

    assert "the best overlap is 0.499, 0.5 is needed" in sentence


@given(
    st.floats(0, 1, width=32) | st.floats(0, 1), st.lists(st.sampled_from([0.3, 0.5, 0.7, 0.4567]))
)
@example(float(np.float32(0.7)), [0.7])
def test_no_limit_lies_between_an_overlap_and_its_text(value: float, limits: list[float]) -> None:
    for overlap in (value, np.float32(value)):
        text = float(format_overlap(shorten_number(overlap), limits))

        assert [text >= limit for limit in limits] == [bool(overlap >= limit) for limit in limits]
        assert (text > 0) == bool(overlap > 0)


def test_every_prediction_has_its_mark() -> None:
    found = [("b", GOOD), ("a", GOOD), ("a", FAIR), ("a", POOR), ("a", GOOD), ("a", GOOD)]
    failures = explain(assess("VCMR", [query(*found)], most=5), HitRule(0.5, 2))

    marked = [PREDICTION_MARKS[code] for code in mark_predictions(failures, slice(0, 6))]

    assert marked == [
        "wrong video", "hit", "nearly right", "wrong time", "ranked low", "not counted",
    ]  # fmt: skip


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
    at = HitRule(iou, k)

    judged = assess(task, queries, most)

    failures = explain(judged, at, near)

    assert names(failures) == [class_of(task, one, at, near, most) for one in queries]
    assert set(failures.classes.tolist()) <= set(failures.possible)
    for row in range(len(queries)):
        assert explain_class(failures, row).endswith(".")
        # A query is of the best class that one of its predictions is of; without any, wrong video.
        counted = mark_predictions(failures, judged.predictions.of(row))
        counted = counted[counted != NOT_COUNTED]
        assert failures.classes[row] == min(counted.tolist(), default=WRONG_VIDEO)
