"""Moments on one or two queries, small enough to be worked out in the head."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.moments.failures.classes import CLASSES, PREDICTION_MARKS
from engine.moments.failures.explanation import explain_class, measure_shared_seconds
from engine.moments.failures.failures import explain, mark_predictions
from engine.moments.failures.task_analysis import (
    analyse_task,
    compute_recall_curve,
    split_by_length,
)
from engine.moments.judged_predictions import JudgedPredictions, Predictions
from engine.moments.moments_source import MOST_PREDICTIONS
from engine.moments.tasks import HitRule, Task
from engine.moments.tvr.scoring import compute_task_numbers, drop_copies, judge_predictions
from engine.report.moments.moment_detail import find_moment_detail, find_row
from engine.report.moments.numbers import collect_official_numbers
from engine.report.moments.tables import build_class_table
from tests.engine.moments.moments_by_hand import Query, Span, truth_of

Found = Sequence[tuple[str, float, float]]
WANTED = ("a", [(10, 20)])
AT = HitRule(0.5, 1)


def judged(task: Task, *queries: tuple[tuple[str, Sequence[Span]], Found]) -> JudgedPredictions:
    """Per query the right video with its spans, and the predictions, best first."""
    truth = truth_of([Query(video, spans, found) for (video, spans), found in queries])
    rows = [row for _, found in queries for row in found]
    names = dict.fromkeys([*truth.videos, *(video for video, _, _ in rows)])
    indices = {name: index for index, name in enumerate(names)}
    predictions = Predictions(
        offsets=np.cumsum([0, *(len(found) for _, found in queries)]),
        videos=np.array([indices[video] for video, _, _ in rows], np.int64),
        spans=np.array([span for _, *span in rows], np.float64).reshape(-1, 2),
        scores=None,
        names={index: name for name, index in indices.items()},
    )
    right = np.array([indices[video] for video in truth.videos], np.int64)
    return judge_predictions(task, truth, predictions, right, MOST_PREDICTIONS)


def test_the_overlap_counts_in_the_right_video_alone() -> None:
    found = judged("VCMR", (WANTED, [("b", 10, 20), ("a", 10, 15)]))
    assert found.ious.tolist() == [0.0, 0.5] and found.ious.dtype == np.float32


def test_the_rank_of_the_first_overlap_that_is_large_enough() -> None:
    found = judged("VCMR", (WANTED, [("b", 10, 20), ("a", 10, 14), ("a", 10, 20)]))
    assert found.first_ranks(0.5).tolist() == [3]


def test_copies_are_dropped_within_a_video() -> None:
    found = judged("VCMR", (("a", []), [("a", 10, 20), ("a", 11, 20), ("b", 11, 20)]))
    assert drop_copies(found.predictions, 0.5).spans.tolist() == [[10.0, 20.0], [11.0, 20.0]]


def test_the_percentages_of_a_task() -> None:
    found = judged("VCMR", (WANTED, [("b", 10, 20), ("a", 10, 20)]))
    assert compute_task_numbers(found, (0.5,), (1, 5)) == ({"0.5-r1": 0.0, "0.5-r5": 100.0}, {})


def test_why_queries_fail() -> None:
    found = judged(
        "VCMR",
        (WANTED, [("a", 10, 14), ("a", 10, 20)]),
        (("b", [(10, 20)]), [("a", 10, 20)]),
    )
    failures = explain(found, AT)
    assert [CLASSES[code] for code in failures.classes] == ["ranked low", "wrong video"]
    assert failures.hit_ranks.tolist() == [2, 0]


def test_what_each_prediction_is() -> None:
    found = judged("VCMR", (WANTED, [("b", 10, 20), ("a", 10, 14), ("a", 10, 20)]))
    marks = mark_predictions(explain(found, AT), slice(0, 3))
    assert [PREDICTION_MARKS[code] for code in marks] == [
        "wrong video",
        "nearly right",
        "ranked low",
    ]


def test_the_seconds_that_a_prediction_shares() -> None:
    assert measure_shared_seconds(judged("VCMR", (WANTED, [("a", 12, 30)])), 0, 0) == 8.0


def test_a_class_in_words() -> None:
    found = judged("VCMR", (WANTED, [("b", 10, 20), ("a", 10, 20)]))
    assert explain_class(explain(found, AT), 0) == "a right moment is at rank 2, after 1."


def test_recall_by_the_length_of_the_moment() -> None:
    found = judged("VCMR", (WANTED, [("a", 10, 20)]), (("b", [(10, 40)]), [("a", 10, 20)]))
    bins = split_by_length(explain(found, AT), found.truth.moment_lengths, edges=(0, 15, 60))
    assert [(one.low, one.high, one.n, one.recall) for one in bins] == [
        (0.0, 15.0, 1, 1.0),
        (15.0, 60.0, 1, 0.0),
    ]


def test_the_analysis_of_a_task() -> None:
    found = judged("VCMR", (WANTED, [("b", 10, 20), ("a", 10, 20)]))
    analysis = analyse_task(explain(found, AT), (1, 5))
    assert (analysis.task, analysis.curve.ks) == ("VCMR", (1, 5))
    assert [(one.low, one.n) for one in analysis.by_moment] == [(10.0, 1)]


def test_recall_over_k_and_overlap() -> None:
    found = judged("VCMR", (WANTED, [("b", 10, 20), ("a", 10, 16)]))
    curve = compute_recall_curve(found, ks=(1, 5), ious=(0.5, 0.7))
    assert curve.values.tolist() == [[0.0, 0.0], [1.0, 0.0]]


def test_a_query_is_found_by_its_id_as_text() -> None:
    truth = judged("VR", (("a", []), []), (("b", []), [])).truth
    assert find_row(truth, f" {truth.ids[1]} ") == 1


def test_the_predictions_of_a_query_that_are_shown() -> None:
    found = judged("VCMR", (WANTED, [("b", 0, 9), ("a", 10, 14)]))
    one = find_moment_detail(explain(found, AT), 0, most=1)
    assert one.kind == "nearly right"
    assert [(found.place, found.iou, found.mark) for found in one.shown] == [
        (1, None, "wrong video"),
        (2, 0.4, "nearly right"),
    ]


def test_the_table_of_classes() -> None:
    found = judged("VR", (("a", []), [("a", 0, 0)]), (("b", []), []))
    table = build_class_table(explain(found, HitRule(None, 1)))
    assert table.caption == "Why queries fail at r1 (VR)"
    assert [cell.text for cell in table.rows[0][:3]] == ["hit", "50.00", "1"]


def test_the_official_numbers_one_by_one() -> None:
    truth = judged("VCMR", (WANTED, [])).truth
    (number,) = collect_official_numbers({"VCMR": {"0.5-r1": 20.0}}, "tvr", truth)
    assert (number.id, number.iou, number.k) == ("VCMR/0.5-r1", 0.5, 1)
    assert (number.value, number.n) == (20.0, 1)
