"""TVR: every rule by hand, and all of them together against a literal implementation."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.moments.tvr_by_hand import by_the_rules, entry, opened, query, submission
from tests.examples import examples

A, B = 0, 1
"""Indices of the videos."""


def numbers(folder: Path, sent: Any, truth: Any, **options: Any) -> Any:
    return opened(folder, sent, truth, **options).official()


def one(folder: Path, task: str, *predictions: Any, **of_query: Any) -> Any:
    """The numbers of one query's predictions."""
    sent = submission(**{task: [entry(1, *predictions)]})
    return numbers(folder, sent, [query(1, **of_query)])[task]


# Videos


def test_vcmr_needs_the_right_video_and_time(tmp_path: Path) -> None:
    found = one(tmp_path, "VCMR", (B, 0, 10), (A, 20, 30), (A, 0, 10))

    # Rank 1 has the time in another video, rank 2 the video at another time, rank 3 both.
    assert found["0.5-r1"] == 0.0
    assert found["0.5-r5"] == 100.0


def test_svmr_leaves_other_videos_out_before_it_counts(tmp_path: Path) -> None:
    ranked = [(B, 0, 10)] * 7 + [(A, 0, 10)]

    assert one(tmp_path, "VCMR", *ranked)["0.5-r5"] == 0.0  # it is the eighth
    assert one(tmp_path, "SVMR", *ranked)["0.5-r1"] == 100.0  # it is the first of its video


def test_vr_does_not_remove_repeats(tmp_path: Path) -> None:
    ranked = [(B, 0, 0)] * 5 + [(A, 0, 0)]

    found = one(tmp_path, "VR", *ranked)

    # Video a is the second different one, and the sixth prediction.
    assert found == {"r1": 0.0, "r5": 0.0, "r10": 100.0, "r100": 100.0}


def test_vr_ignores_times(tmp_path: Path) -> None:
    assert one(tmp_path, "VR", (A, 50, 60))["r1"] == 100.0


def test_an_index_that_is_no_video_is_a_wrong_one(tmp_path: Path) -> None:
    assert one(tmp_path, "VCMR", (99, 0, 10), (A, 0, 10))["0.5-r1"] == 0.0


def test_indices_beyond_float32_are_confused_as_in_the_official_script(tmp_path: Path) -> None:
    sent = {"video2idx": {"a": 2**24 + 1}, "VR": [entry(1, (2**24, 0, 0))]}

    assert numbers(tmp_path, sent, [query(1)])["VR"]["r1"] == 100.0


# Times


def test_an_overlap_is_intersection_over_the_whole_stretch(tmp_path: Path) -> None:
    # [0, 10] and [5, 15]: 5 / 15 = 0.33. [0, 10] and [2, 12]: 8 / 12 = 0.67.
    assert one(tmp_path, "VCMR", (A, 5, 15))["0.5-r1"] == 0.0
    assert one(tmp_path, "VCMR", (A, 2, 12)) == {
        **dict.fromkeys(("0.5-r1", "0.5-r5", "0.5-r10", "0.5-r100"), 100.0),
        **dict.fromkeys(("0.7-r1", "0.7-r5", "0.7-r10", "0.7-r100"), 0.0),
    }


@pytest.mark.parametrize(
    ("wanted", "found", "name"),
    [
        # In float32 the hull gives exactly the threshold; length + length - intersection gives a
        # last digit less: 0.49999997 and 0.6999999.
        ((16.7, 47.1), (20.4, 35.6), "0.5-r1"),
        ((6.9, 14.3), (4.7, 19.5), "0.5-r1"),
        ((7.9, 23.3), (3.6, 25.6), "0.7-r1"),
        ((19.3, 57.3), (18.3, 46.6), "0.7-r1"),
    ],
)
def test_the_union_is_the_hull_and_not_the_sum_of_lengths(
    tmp_path: Path, wanted: tuple[float, float], found: tuple[float, float], name: str
) -> None:
    start, end, wanted_start, wanted_end = map(np.float32, (*found, *wanted))
    inside = min(end, wanted_end) - max(start, wanted_start)
    by_lengths = inside / ((end - start) + (wanted_end - wanted_start) - inside)
    assert by_lengths < np.float32(name[:3])

    assert one(tmp_path, "VCMR", (A, *found), ts=wanted)[name] == 100.0


def test_an_overlap_of_exactly_the_threshold_counts_in_float32(tmp_path: Path) -> None:
    # 7 / 10 in float32 is 0.699999988, as is the threshold; 0.7 in float64 is more.
    assert float(np.float32(7) / np.float32(10)) < 0.7

    assert one(tmp_path, "VCMR", (A, 0, 7))["0.7-r1"] == 100.0
    assert one(tmp_path, "VCMR", (A, 0, 5))["0.5-r1"] == 100.0


def test_an_overlap_just_below_the_threshold_does_not_count(tmp_path: Path) -> None:
    assert one(tmp_path, "VCMR", (A, 0, 6.99999))["0.7-r1"] == 0.0


def test_spans_of_no_length_overlap_by_nothing(tmp_path: Path) -> None:
    assert one(tmp_path, "VCMR", (A, 5, 5), ts=(5, 5))["0.5-r1"] == 0.0


def test_a_prediction_that_ends_before_it_starts_overlaps_by_nothing(tmp_path: Path) -> None:
    assert one(tmp_path, "VCMR", (A, 10, 0))["0.5-r1"] == 0.0


# Several spans

FOUR = [[0, 10], [0, 11], [50, 60], [70, 80]]


def test_of_four_spans_two_must_be_overlapped(tmp_path: Path) -> None:
    # [0, 10] covers the first by 1 and the second by 10 / 11; [50, 60] covers one only.
    assert one(tmp_path, "VCMR", (A, 0, 10), ts=FOUR)["0.7-r1"] == 100.0
    assert one(tmp_path, "VCMR", (A, 50, 60), ts=FOUR)["0.5-r1"] == 0.0


def test_the_two_overlaps_must_both_reach_the_threshold(tmp_path: Path) -> None:
    # 6 / 10 and 6 / 11: both over 0.5, but the first alone reaches 0.55 and neither 0.7.
    found = numbers(
        tmp_path,
        submission(VCMR=[entry(1, (A, 0, 6))]),
        [query(1, ts=FOUR)],
        ious=(0.5, 0.55, 0.7),
    )["VCMR"]

    assert [found[f"{iou}-r1"] for iou in (0.5, 0.55, 0.7)] == [100.0, 0.0, 0.0]


@pytest.mark.parametrize("spans", [FOUR[1:], FOUR[2:], [[50, 60]]])
def test_of_fewer_spans_one_is_enough(tmp_path: Path, spans: list[list[float]]) -> None:
    assert one(tmp_path, "VCMR", (A, 50, 60), ts=spans)["0.7-r1"] == 100.0


def test_queries_with_one_span_and_with_many_are_told_apart(tmp_path: Path) -> None:
    truth = [query(1), query(2, ts=FOUR), query(3, ts=[*FOUR, [51, 61]])]
    sent = submission(VCMR=[entry(n, (A, 50, 60)) for n in (1, 2, 3)])

    # Only the third has two spans near [50, 60]: 1 of 3.
    assert numbers(tmp_path, sent, truth)["VCMR"]["0.5-r1"] == 33.33


# Cuts


def test_a_hit_beyond_the_first_hundred_does_not_count(tmp_path: Path) -> None:
    for rank, percent in ((100, 100.0), (101, 0.0)):
        ranked = [(B, 0, 10)] * (rank - 1) + [(A, 0, 10)]
        assert one(tmp_path, "VCMR", *ranked)["0.5-r100"] == percent
        # SVMR leaves the others out, but after the list was cut at 100.
        assert one(tmp_path, "SVMR", *ranked)["0.5-r1"] == percent
        assert one(tmp_path, "VR", *ranked)["r100"] == percent


def test_more_predictions_can_be_used(tmp_path: Path) -> None:
    sent = submission(VCMR=[entry(1, *[(B, 0, 10)] * 150, (A, 0, 10))])

    found = numbers(tmp_path, sent, [query(1)], most=200, ks=(150, 151))["VCMR"]

    assert (found["0.5-r150"], found["0.5-r151"]) == (0.0, 100.0)


def test_the_order_of_the_list_is_the_ranking_whatever_the_scores(tmp_path: Path) -> None:
    sent = submission(VCMR=[entry(1)])
    sent["VCMR"][0]["predictions"] = [[B, 0, 10, 0.1], [A, 0, 10, 0.9]]

    assert numbers(tmp_path, sent, [query(1)])["VCMR"]["0.5-r1"] == 0.0


def test_a_query_without_prediction_counts_0_and_is_reported(tmp_path: Path) -> None:
    source = opened(
        tmp_path, submission(VCMR=[entry(1), entry(2, (A, 0, 10))]), [query(1), query(2)]
    )

    assert source.official()["VCMR"]["0.5-r1"] == 50.0
    assert source.notes == ("VCMR: 1 of 2 queries have no prediction: they count 0",)


# The document


def test_the_document_is_that_of_the_official_script(tmp_path: Path) -> None:
    truth = [query(1, type="v"), query(2, type="t"), query(3, type="v"), query(4, type="vt")]
    hit, miss = (A, 0, 10), (B, 0, 10)
    sent = submission(
        VR=[entry(n, hit if n < 4 else miss) for n in (1, 2, 3, 4)],
        VCMR=[entry(1, hit), entry(2, miss, hit), entry(3, miss), entry(4, miss)],
    )

    document = numbers(tmp_path, sent, truth, ious=(0.5,), ks=(1, 5))

    assert json.dumps(document, indent=4) == json.dumps(
        {
            "VCMR": {"0.5-r1": 25.0, "0.5-r5": 50.0},
            "VR": {"r1": 75.0, "r5": 75.0},
            "VCMR_by_type": {
                "v-0.5-r1": 50.0,
                "v-0.5-r5": 50.0,
                "t-0.5-r1": 0.0,
                "t-0.5-r5": 100.0,
                "vt-0.5-r1": 0.0,
                "vt-0.5-r5": 0.0,
                "desc_type_ratio": "v 50.0 t 25.0 vt 25.0",
            },
            "VR_by_type": {
                "v-r1": 100.0,
                "v-r5": 100.0,
                "t-r1": 100.0,
                "t-r5": 100.0,
                "vt-r1": 0.0,
                "vt-r5": 0.0,
                "desc_type_ratio": "v 50.0 t 25.0 vt 25.0",
            },
        },
        indent=4,
    )


def test_percentages_have_two_decimals(tmp_path: Path) -> None:
    truth = [query(n) for n in range(7)]
    sent = submission(VR=[entry(n, (A if n < 2 else B, 0, 0)) for n in range(7)])

    assert numbers(tmp_path, sent, truth)["VR"]["r1"] == 28.57  # 2 / 7


def test_a_type_that_no_query_has_is_nan_as_in_the_official_script(tmp_path: Path) -> None:
    by_type = numbers(tmp_path, submission(VR=[entry(1, (A, 0, 0))]), [query(1, type="v")])
    found = by_type["VR_by_type"]

    assert math.isnan(found["t-r1"])
    assert found["desc_type_ratio"] == "v 100.0 t 0.0 vt 0.0"


def test_without_types_there_is_nothing_by_type(tmp_path: Path) -> None:
    sent = submission(VR=[entry(1, (A, 0, 0))])

    assert list(numbers(tmp_path, sent, [query(1)])) == ["VR"]
    assert list(numbers(tmp_path, sent, [query(1, type="v")], types=False)) == ["VR"]


def test_tasks_come_in_the_official_order_and_only_those_asked_for(tmp_path: Path) -> None:
    own = [entry(1, (A, 0, 10))]
    sent = submission(VR=own, SVMR=own, VCMR=own)

    assert list(numbers(tmp_path, sent, [query(1)])) == ["VCMR", "SVMR", "VR"]
    assert list(numbers(tmp_path, sent, [query(1)], tasks=("VR", "VCMR"))) == ["VCMR", "VR"]


def test_entries_may_stand_in_another_order_than_the_truth(tmp_path: Path) -> None:
    truth = [query(n, type=t) for n, t in ((1, "v"), (2, "t"), (3, "vt"))]
    sent = submission(VR=[entry(3, (A, 0, 0)), entry(1, (B, 0, 0), (A, 0, 0)), entry(2, (B, 0, 0))])

    found = numbers(tmp_path, sent, truth)

    assert found == by_the_rules(sent, truth)
    assert found["VR_by_type"]["vt-r1"] == 100.0


def test_of_repeated_entries_the_last_counts_and_that_is_reported(tmp_path: Path) -> None:
    sent = submission(VR=[entry(1, (B, 0, 0)), entry(1, (A, 0, 0))])
    source = opened(tmp_path, sent, [query(1, video="c"), query(1)])

    assert source.official()["VR"]["r1"] == 100.0
    assert source.notes == (
        "truth.jsonl: 1 of 2 lines repeat a desc_id; the last of each counts",
        "VR: 1 entry repeats a desc_id; the last of each counts",
    )


# All rules together

SECONDS = st.integers(0, 120).map(lambda tenths: tenths / 10)


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[Any, Any]:
    """Small numbers, so that hits, ties with the thresholds and empty overlaps are common."""
    typed = draw(st.booleans())
    truth = []
    for number in range(draw(st.integers(1, 6))):
        spans = draw(st.integers(1, 6))
        several = [sorted(draw(st.tuples(SECONDS, SECONDS))) for _ in range(spans)]
        ts = several[0] if spans == 1 and draw(st.booleans()) else several
        more = {"type": draw(st.sampled_from(["v", "t", "vt"]))} if typed else {}
        truth.append(query(number, draw(st.sampled_from("abc")), ts, **more))
    tasks = draw(st.lists(st.sampled_from(["VCMR", "SVMR", "VR"]), min_size=1, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))  # long lists are slow to draw

    def predictions() -> Any:
        count = rng.choice([0, 1, 3, 12, 99, 100, 103])
        times = rng.integers(0, 121, (count, 2)) / 10
        return zip(rng.integers(0, 4, count).tolist(), *times.T.tolist(), strict=True)

    sent = submission(
        **{
            task: [entry(own["desc_id"], *predictions()) for own in draw(st.permutations(truth))]
            for task in tasks
        }
    )
    return sent, truth


@given(evaluations())
@examples(150)
def test_every_document_is_that_of_the_rules(made: tuple[Any, Any]) -> None:
    sent, truth = made
    ious, ks = (0.3, 0.5, 0.7, 1.0), (1, 2, 5, 100)

    with tempfile.TemporaryDirectory() as folder:
        found = numbers(Path(folder), sent, truth, ious=ious, ks=ks)

    assert json.dumps(found) == json.dumps(by_the_rules(sent, truth, ious, ks))
