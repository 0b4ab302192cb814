"""MR-R1 and MR-mAP of QVHighlights: every rule by hand. Times are chosen so that overlaps are plain
fractions: [0, 10] and [0, 5] overlap by 5 / 10 = 0.5."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.moments.moments_source import MomentsRequest
from engine.moments.qvh.source import open_qvh
from engine.moments.spans import find_best_overlaps
from tests.engine.moments.qvh_by_hand import Entry, prediction, truth_entry, written

Rows = Sequence[Sequence[float]]
FAR = [100, 110]
"""A place where no span of these tests is."""


def scored(folder: Path, predictions: list[Entry], truth: list[Entry]) -> dict[str, Any]:
    request = MomentsRequest(
        written(folder / "predictions.jsonl", predictions), written(folder / "truth.jsonl", truth)
    )
    return open_qvh(request).official()


@pytest.fixture
def one(tmp_path: Path) -> Any:
    """The full scores of one query with these windows and spans."""

    def score(windows: Rows, spans: Rows) -> dict[str, dict[str, float]]:
        document = scored(tmp_path, [prediction(1, windows)], [truth_entry(1, spans)])
        full: dict[str, dict[str, float]] = document["full"]
        return full

    return score


# MR-R1 ---------------------------------------------------------------------------------------


def test_the_first_window_counts_not_the_one_with_the_best_score(one: Any) -> None:
    full = one([[*FAR, 0.1], [0, 10, 0.9]], [[0, 10]])

    assert full["MR-R1"]["0.5"] == 0.0
    assert full["MR-mAP"]["0.5"] == 100.0  # in the order of scores the hit comes first


def test_an_overlap_of_exactly_the_threshold_is_enough(one: Any) -> None:
    r1 = one([[0, 10, 1]], [[0, 5]])["MR-R1"]

    assert (r1["0.5"], r1["0.55"]) == (100.0, 0.0)  # 5 / 10


def test_the_best_of_several_spans_counts(one: Any) -> None:
    r1 = one([[0, 10, 1]], [[0, 5], [0, 7], [8, 10]])["MR-R1"]

    assert (r1["0.7"], r1["0.75"]) == (100.0, 0.0)  # 7 / 10


def test_the_hull_is_compared_with_the_threshold_and_rounds_by_itself(one: Any) -> None:
    # [10.6, 25.9] and [15.7, 31.0] share 10.2 of 20.4 seconds. As float64, the hull
    # 31.0 − 10.6 = 20.4 gives 0.5; the lengths 15.3 + 15.3 − 10.2 give 0.4999999999999999.
    full = one([[10.6, 25.9, 1]], [[15.7, 31.0]])

    assert full["MR-R1"]["0.5"] == 100.0
    assert full["MR-mAP"]["0.5"] == 0.0


def test_of_equal_true_overlaps_the_first_span_is_compared(one: Any) -> None:
    # [8.8, 23.2] overlaps [7.2, 21.6] and [10.4, 24.8] by a true 12.8 / 16.0 = 0.8 each. As
    # float64 the hull of the first gives 0.8, that of the second 0.7999999999999999.
    assert one([[8.8, 23.2, 1]], [[7.2, 21.6], [10.4, 24.8]])["MR-R1"]["0.8"] == 100.0
    assert one([[8.8, 23.2, 1]], [[10.4, 24.8], [7.2, 21.6]])["MR-R1"]["0.8"] == 0.0


def test_r1_is_the_share_of_queries_with_two_decimals(tmp_path: Path) -> None:
    predictions = [prediction(1, [[0, 10, 1]]), *(prediction(i, [[*FAR, 1]]) for i in (2, 3))]
    truth = [truth_entry(i, [[0, 10]]) for i in (1, 2, 3)]

    assert scored(tmp_path, predictions, truth)["full"]["MR-R1"]["0.95"] == 33.33


# MR-mAP --------------------------------------------------------------------------------------


def test_a_hit_at_place_two_has_precision_one_half(one: Any) -> None:
    assert one([[*FAR, 0.9], [0, 10, 0.5]], [[0, 10]])["MR-mAP"]["0.5"] == 50.0


def test_windows_of_equal_score_stay_in_the_order_of_the_list(one: Any) -> None:
    assert one([[*FAR, 0.5], [0, 10, 0.5]], [[0, 10]])["MR-mAP"]["0.5"] == 50.0
    assert one([[0, 10, 0.5], [*FAR, 0.5]], [[0, 10]])["MR-mAP"]["0.5"] == 100.0


def test_the_list_is_cut_at_ten_before_it_is_sorted(one: Any) -> None:
    misses = [[*FAR, 0.1]] * 9

    assert one([*misses, [0, 10, 0.9]], [[0, 10]])["MR-mAP"]["0.5"] == 100.0
    assert one([*misses, [*FAR, 0.1], [0, 10, 0.9]], [[0, 10]])["MR-mAP"]["0.5"] == 0.0


def test_average_precision_adds_precision_per_step_of_recall(one: Any) -> None:
    # Hits at places 1 and 3 of two spans: 1/2 · 1/1 + 1/2 · 2/3 = 5/6.
    windows = [[0, 10, 0.9], [*FAR, 0.8], [20, 30, 0.7]]

    assert one(windows, [[0, 10], [20, 30]])["MR-mAP"]["0.5"] == 83.33


def test_precision_is_the_best_at_this_recall_or_later(one: Any) -> None:
    # Hits at places 2 and 3: precisions 1/2 and 2/3, so 1/2 · 2/3 + 1/2 · 2/3 = 2/3.
    windows = [[*FAR, 0.9], [0, 10, 0.8], [20, 30, 0.7]]

    assert one(windows, [[0, 10], [20, 30]])["MR-mAP"]["0.5"] == 66.67


def test_a_span_that_was_taken_is_not_found_again(one: Any) -> None:
    # One hit for two spans: 1/2 · 1.
    assert one([[0, 10, 0.9], [0, 10, 0.8]], [[0, 10], [20, 30]])["MR-mAP"]["0.5"] == 50.0


def test_a_window_takes_the_best_span_that_is_free(one: Any) -> None:
    # Both windows overlap [0, 10] by 1 and [0, 8] by 0.8. The second has to take the latter.
    ap = one([[0, 10, 0.9], [0, 10, 0.8]], [[0, 10], [0, 8]])["MR-mAP"]

    assert (ap["0.8"], ap["0.85"]) == (100.0, 50.0)


def test_of_equal_overlaps_the_later_span_is_taken(one: Any) -> None:
    # [0, 10] overlaps both halves by 0.5 and takes [5, 10], so that the second window misses it;
    # 1/2 · 1. Had it taken [0, 5], both would be hits.
    ap = one([[0, 10, 0.9], [5, 10, 0.8]], [[0, 5], [5, 10]])["MR-mAP"]

    assert ap["0.5"] == 50.0
    # Above 0.5 the first window is a miss, the second a hit: 1/2 · 1/2.
    assert ap["0.55"] == 25.0


def test_nothing_divided_by_nothing_is_a_hit_for_map_and_none_for_r1(one: Any) -> None:
    # Span and window have no length: 0 of 0 seconds. Their hull is 7 − 5 = 2 seconds: 0 / 2.
    full = one([[7, 7, 1]], [[5, 5]])

    assert full["MR-mAP"]["0.95"] == 100.0
    assert full["MR-R1"]["0.5"] == 0.0


def test_a_window_that_ends_before_it_starts_can_cancel_a_span(one: Any) -> None:
    # −5 + 5 − 0 = 0 seconds are covered, 0 are shared.
    assert one([[40, 35, 1]], [[5, 10]])["MR-mAP"]["0.95"] == 100.0
    assert one([[40, 36, 1]], [[5, 10]])["MR-mAP"]["0.5"] == 0.0


def test_the_average_is_the_mean_over_ten_ious(one: Any) -> None:
    # An overlap of 0.7 is a hit for 0.5, 0.55, 0.6, 0.65 and 0.7: five of ten.
    assert one([[0, 10, 1]], [[0, 7]])["MR-mAP"]["average"] == 50.0


def test_the_mean_is_taken_in_the_order_of_the_predictions(tmp_path: Path) -> None:
    # 32 queries, five with a hit, at places 2, 6, 9, 9 and 9: 1/2 + 1/6 + 3 · 1/9 = 1, and
    # 1 / 32 is 3.125 %. In one order float64 adds up to 1, in another to a little more.
    def score(*places: int) -> float:
        hits = [prediction(p, [[*FAR, 1]] * (p - 1) + [[0, 10, 0]]) for p in places]
        for number, entry in enumerate(hits):
            entry["qid"] = number
        misses = [prediction(number, [[*FAR, 1]]) for number in range(len(places), 32)]
        truth = [truth_entry(number, [[0, 10]]) for number in reversed(range(32))]
        full: float = scored(tmp_path, hits + misses, truth)["full"]["MR-mAP"]["0.5"]
        return full

    assert score(2, 6, 9, 9, 9) == 3.12
    assert score(2, 9, 9, 9, 6) == 3.13


def test_a_query_without_a_window_counts_zero_and_a_note_says_so(tmp_path: Path) -> None:
    predictions = written(
        tmp_path / "p.jsonl", [prediction(1, [[0, 10, 1]]), prediction(2, []), prediction(3, [])]
    )
    truth = written(tmp_path / "t.jsonl", [truth_entry(i, [[0, 10]]) for i in (1, 2, 3)])

    source = open_qvh(MomentsRequest(predictions, truth))

    full = source.official()["full"]
    assert (full["MR-R1"]["0.5"], full["MR-mAP"]["0.5"]) == (33.33, 33.33)
    assert source.notes == ("p.jsonl: 2 queries without a window: 0 in MR-R1 and MR-mAP (first 2)",)


# Ranges --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "range_"),
    [
        (0.5, "short"),
        (10, "short"),
        (10.5, "middle"),
        (30, "middle"),
        (30.5, "long"),
        (150, "long"),
    ],
)
def test_a_span_belongs_to_the_range_of_its_length(
    tmp_path: Path, length: float, range_: str
) -> None:
    windows, spans = [[0, length, 1]], [[0, length]]

    document = scored(tmp_path, [prediction(1, windows)], [truth_entry(1, spans)])

    for name in ("short", "middle", "long"):
        value = document[name]["MR-mAP"]["average"]
        assert value == 100.0 if name == range_ else math.isnan(value)
    assert document["full"]["MR-mAP"]["average"] == 100.0


@pytest.mark.parametrize("length", [0, 150.5])
def test_spans_of_other_lengths_count_in_full_alone(tmp_path: Path, length: float) -> None:
    document = scored(tmp_path, [prediction(1, [[0, length, 1]])], [truth_entry(1, [[0, length]])])

    assert document["full"]["MR-mAP"]["average"] == 100.0
    for name in ("short", "middle", "long"):
        assert all(map(math.isnan, document[name]["MR-mAP"].values()))
        assert all(map(math.isnan, document[name]["MR-R1"].values()))
        assert math.isnan(document["brief"][f"MR-{name}-mAP"])


def test_a_range_looks_at_its_own_spans_of_a_query(tmp_path: Path) -> None:
    # Spans of 10 and 40 seconds; the first window finds the long one, the second the short one.
    windows = [[20, 60, 0.9], [0, 10, 0.8]]
    document = scored(tmp_path, [prediction(1, windows)], [truth_entry(1, [[0, 10], [20, 60]])])

    def of(name: str) -> tuple[float, float]:
        return document[name]["MR-mAP"]["0.5"], document[name]["MR-R1"]["0.5"]

    assert of("full") == (100.0, 100.0)
    assert of("long") == (100.0, 100.0)
    assert of("short") == (50.0, 0.0)  # at place 2; the first window is not in a short span


def test_windows_and_spans_are_paired_in_blocks_and_too_many_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    offsets = np.array([0, 3, 4, 9])
    queries = np.sort(rng.integers(0, 3, 50))
    windows, spans = (np.sort(rng.uniform(0, 60, (n, 2)), axis=1) for n in (50, 9))
    whole = find_best_overlaps(windows, queries, offsets, spans)

    monkeypatch.setattr("engine.moments.spans._PAIRS_AT_ONCE", 7)
    np.testing.assert_array_equal(find_best_overlaps(windows, queries, offsets, spans), whole)
    monkeypatch.setattr("engine.moments.spans.MOST_PAIRS", 60)
    with pytest.raises(InputError, match="pairs of predicted windows"):
        find_best_overlaps(windows, queries, offsets, spans)
