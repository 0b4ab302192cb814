"""QvhSource: the official document, what each window is worth, suppression; all held against a
literal implementation of the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError
from engine.moments.moments_source import MomentsRequest, MomentsSource
from engine.moments.qvh.source import QvhSource, open_qvh
from tests.engine.moments import qvh_by_hand as by_hand
from tests.engine.moments.qvh_by_hand import Entry, prediction, rated, truth_entry, written
from tests.examples import examples

QUICKLY = examples(40)
SCORES = st.sampled_from([0, 0.25, 0.5, 0.5, 0.9, -1.5])


def opened(folder: Path, predictions: list[Entry], truth: list[Entry]) -> QvhSource:
    request = MomentsRequest(
        written(folder / "p.jsonl", predictions), written(folder / "t.jsonl", truth), "qvh"
    )
    return open_qvh(request)


@pytest.fixture
def source(tmp_path: Path) -> QvhSource:
    """Two queries: the first is found at once, the second by its second window."""
    return opened(
        tmp_path,
        [
            prediction("b", [[30, 40, 0.9], [0, 8, 0.8], [0, 10, 0.7]], [0.1, 0.9]),
            prediction("a", [[0, 10, 0.5]], [0.9, 0.1]),
        ],
        [
            truth_entry("a", [[0, 5], [0, 9]], **rated({0: (4, 2, 0)})),
            truth_entry("b", [[0, 10]], **rated({0: (3, 3, 3)})),
        ],
    )


# The source ----------------------------------------------------------------------------------


def test_a_source_says_what_it_is(source: QvhSource) -> None:
    promised: MomentsSource = source

    assert promised.benchmark == "qvh"
    assert promised.tasks == ("MR",)
    assert promised.truth.ids == ("a", "b")
    assert promised.notes == ()


def test_windows_have_their_place_as_rank_and_the_overlap_of_r1(source: QvhSource) -> None:
    found = source.judge("MR", scores=True)

    assert found.predictions.offsets.tolist() == [0, 1, 4]
    assert found.predictions.spans.tolist() == [[0, 10], [30, 40], [0, 8], [0, 10]]
    assert found.predictions.scores is not None
    assert found.predictions.scores.tolist() == [0.5, 0.9, 0.8, 0.7]
    assert [found.predictions.names[i] for i in found.predictions.videos.tolist()] == [
        "video a",
        *["video b"] * 3,
    ]
    assert found.right.all()
    assert found.ranks.tolist() == [1, 1, 2, 3]
    assert found.ious.tolist() == [0.9, 0.0, 0.8, 1.0]  # [0, 10] with the better [0, 9]: 9 / 10
    assert found.first_ranks(0.5).tolist() == [1, 2]
    assert found.first_ranks(0.85).tolist() == [1, 3]


def test_scores_are_given_when_they_are_asked_for(source: QvhSource) -> None:
    assert source.judge("MR").predictions.scores is None
    assert source.judge("MR", scores=True).predictions.scores is not None


@pytest.mark.parametrize("scores", [False, True])
def test_what_was_judged_is_kept(source: QvhSource, scores: bool) -> None:
    assert source.judge("MR", scores=scores) is source.judge("MR", scores=scores)


def test_windows_beyond_the_most_that_are_used_have_no_rank(source: QvhSource) -> None:
    few = open_qvh(replace(source.request, most=2))

    assert few.judge("MR").ranks.tolist() == [1, 1, 2, 0]


def test_average_precision_is_per_query_and_iou(source: QvhSource) -> None:
    # a, 0.5: one hit for two spans, 1/2. It takes [0, 9], so that 0.9 is still enough.
    # b, 0.5: hit at place 2, 1/2. At 0.85 the hit is at place 3: 1/3.
    ap = source.average_precision

    assert ap.shape == (2, 10)
    assert ap[:, 0].tolist() == [0.5, 0.5]
    assert ap[:, 7].tolist() == pytest.approx([0.5, 1 / 3])
    assert ap[0, 8:].tolist() == [0.5, 0.0]


def test_highlights_are_per_query_and_level(source: QvhSource) -> None:
    found = source.highlights

    assert found is not None
    assert found.best_clips.tolist() == [0, 1]
    assert found.hit1.tolist() == [[1, 1, 1], [0, 0, 0]]
    # a: raters give 4, 2 and 0 to the best clip. b: clips 2 to 9 get 0, the highlight is second.
    assert found.ap.ravel().tolist() == pytest.approx([2 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 0])


def test_a_file_without_windows_has_no_task(tmp_path: Path) -> None:
    source = opened(
        tmp_path,
        [prediction(1, saliency=[0.5])],
        [truth_entry(1, [[0, 1]], **rated({0: (4, 4, 4)}))],
    )

    assert source.tasks == ()
    assert list(source.official()) == ["brief", "HL-min-Fair", "HL-min-Good", "HL-min-VeryGood"]
    with pytest.raises(InputError, match="has no windows, which MR needs; add"):
        source.judge("MR")
    with pytest.raises(InputError, match="has no windows"):
        open_qvh(replace(source.request, tasks=("MR",)))


def test_a_file_without_saliency_has_no_highlights(tmp_path: Path) -> None:
    source = opened(tmp_path, [prediction(1, [[0, 1, 1]])], [truth_entry(1, [[0, 1]])])

    assert source.highlights is None
    assert list(source.official()) == ["brief", "full", "long", "middle", "short"]


def test_other_tasks_are_refused(source: QvhSource) -> None:
    with pytest.raises(InputError, match="'VCMR' is no task of QVHighlights; ask for MR"):
        open_qvh(replace(source.request, tasks=("VCMR",)))
    with pytest.raises(InputError, match="'VR' is no task of QVHighlights"):
        source.judge("VR")


# The document --------------------------------------------------------------------------------


def test_the_document_has_the_official_keys_in_the_official_order(source: QvhSource) -> None:
    document = source.official()

    assert list(document) == [
        *("brief", "HL-min-Fair", "HL-min-Good", "HL-min-VeryGood"),
        *("full", "long", "middle", "short"),
    ]
    assert list(document["brief"]) == [
        *("MR-full-R1@0.5", "MR-full-R1@0.7"),
        *("MR-full-mAP", "MR-full-mAP@0.5", "MR-full-mAP@0.75"),
        *("MR-long-mAP", "MR-middle-mAP", "MR-short-mAP"),
        *("HL-min-Fair-mAP", "HL-min-Fair-Hit1"),
        *("HL-min-Good-mAP", "HL-min-Good-Hit1"),
        *("HL-min-VeryGood-mAP", "HL-min-VeryGood-Hit1"),
    ]
    ious = ["0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95"]
    assert list(document["full"]) == ["MR-mAP", "MR-R1"]
    assert list(document["full"]["MR-mAP"]) == [*ious, "average"]
    assert list(document["full"]["MR-R1"]) == ious
    assert list(document["HL-min-Fair"]) == ["HL-mAP", "HL-Hit1"]


def test_the_numbers_are_percentages_with_two_decimals(source: QvhSource) -> None:
    document = source.official()

    # (1/2 + 1/3) / 2 = 0.41666…; R1 has one hit in two.
    assert document["full"]["MR-mAP"]["0.85"] == 41.67
    assert document["brief"]["MR-full-R1@0.5"] == 50.0
    # (2/3 + 1/2) / 2 = 0.58333…
    assert document["brief"]["HL-min-Fair-mAP"] == 58.33
    assert document["brief"]["HL-min-VeryGood-Hit1"] == 50.0


# Few places, so that windows and spans meet often, overlap equally and leave each other's hull.
TIMES = [0, 2.5, 5, 10, 10.5, 12, 20, 45]
SPANS = [[start, end] for start in TIMES for end in TIMES if start <= end]
WINDOWS = [[start, end, s] for start in TIMES for end in TIMES for s in (0.25, 0.5, 0.5, -1.5)]
CLIPS = [(clip, (a, b, c)) for clip in range(10) for a, b, c in ((4, 3, 2), (0, 2, 4), (1, 1, 1))]


@st.composite
def files(draw: st.DrawFn) -> tuple[list[Entry], list[Entry]]:
    """Predictions and ground truth with many ties, odd windows and odd lengths."""
    truth, predictions = [], []
    for qid in range(draw(st.integers(1, 4))):
        spans = draw(st.lists(st.sampled_from(SPANS), min_size=1, max_size=12))
        duration = draw(st.sampled_from([2, 3, 7.5, 20]))
        clips = draw(st.lists(st.sampled_from(CLIPS), max_size=8))
        ratings = {clip: row for clip, row in clips if clip < int(duration / 2)} or {0: (2, 0, 3)}
        truth.append(truth_entry(qid, spans, duration=duration, **rated(ratings)))
        windows = draw(st.lists(st.sampled_from(WINDOWS), max_size=13))
        saliency = draw(st.lists(SCORES, min_size=1, max_size=12))
        predictions.append(prediction(qid, windows, saliency))
    return draw(st.permutations(predictions)), truth


@pytest.mark.slow
@given(files())
def test_the_document_is_that_of_the_literal_rules(
    drawn: tuple[list[Entry], list[Entry]],
) -> None:
    predictions, truth = drawn
    with TemporaryDirectory() as folder:
        document = opened(Path(folder), predictions, truth).official()

    assert json.dumps(document, indent=4) == json.dumps(
        by_hand.document(predictions, truth), indent=4
    )


@QUICKLY
@given(files())
def test_average_precision_is_that_of_the_literal_rules_to_the_last_bit(
    drawn: tuple[list[Entry], list[Entry]],
) -> None:
    predictions, truth = drawn
    windows = {entry["qid"]: entry["pred_relevant_windows"] for entry in predictions}
    with TemporaryDirectory() as folder:
        ap = opened(Path(folder), predictions, truth).average_precision

    for row, entry in enumerate(truth):
        spans = entry["relevant_windows"]
        ranked = sorted(windows[entry["qid"]][:10], key=lambda window: -window[2])
        expected = [
            by_hand.window_ap(by_hand.hits_of(ranked, spans, iou), len(spans))
            for iou in by_hand.IOUS
        ]
        assert ap[row].tolist() == expected


def test_eight_hits_and_more_are_added_as_numpy_adds_them(tmp_path: Path) -> None:
    # Sums of eight numbers and more are taken in another order than those of seven.
    for found in range(1, 11):
        for wanted in range(found, 14):
            spans = [[20 * i, 20 * i + 10] for i in range(wanted)]
            windows = [[*span, -float(i)] for i, span in enumerate(spans[:found])]
            source = opened(tmp_path, [prediction(1, windows)], [truth_entry(1, spans)])
            expected = by_hand.window_ap([True] * found, wanted)
            assert source.average_precision[0, 9] == expected


@QUICKLY
@given(files())
def test_r1_counts_the_queries_with_a_hit_at_rank_one(
    drawn: tuple[list[Entry], list[Entry]],
) -> None:
    with TemporaryDirectory() as folder:
        source = opened(Path(folder), *drawn)
        found, document = source.judge("MR"), source.official()

    for name, share in document["full"]["MR-R1"].items():
        at_one = found.first_ranks(float(name)) == 1
        assert float(f"{100 * np.mean(at_one):.2f}") == share


# Suppression ---------------------------------------------------------------------------------


def test_suppression_comes_before_the_cut_at_ten(source: QvhSource, tmp_path: Path) -> None:
    copies = [[50, 60, 0.5]] * 12
    entries = [prediction(1, [*copies, [0, 10, 0.4]])], [truth_entry(1, [[0, 10]])]
    source = opened(tmp_path, *entries)

    assert source.official()["full"]["MR-mAP"]["0.5"] == 0.0
    kept = open_qvh(replace(source.request, nms=0.5))
    assert kept.official()["full"]["MR-mAP"]["0.5"] == 50.0  # the second of two that remain


def test_what_remains_is_in_the_order_of_scores(source: QvhSource, tmp_path: Path) -> None:
    windows = [[0, 10, 0.1], [20, 30, 0.9], [20, 24, 0.95], [20, 25, 0.2]]
    source = opened(tmp_path, [prediction(1, windows)], [truth_entry(1, [[20, 30]])])

    kept = open_qvh(replace(source.request, nms=0.5)).judge("MR", scores=True)

    # [20, 24] is the best. [20, 30] overlaps it by 0.4 and stays; [20, 25] overlaps it by 0.8.
    assert kept.predictions.spans.tolist() == [[20, 24], [20, 30], [0, 10]]
    assert kept.ranks.tolist() == [1, 2, 3]


def test_an_overlap_of_exactly_the_limit_stays(tmp_path: Path) -> None:
    windows = [[0, 10, 0.9], [0, 5, 0.8]]
    source = opened(tmp_path, [prediction(1, windows)], [truth_entry(1, [[0, 5]])])

    assert len(open_qvh(replace(source.request, nms=0.5)).judge("MR").ranks) == 2
    assert len(open_qvh(replace(source.request, nms=0.49)).judge("MR").ranks) == 1


def suppressed(windows: list[list[float]], most: float) -> Iterator[list[float]]:
    kept: list[list[float]] = []
    for window in sorted(windows, key=lambda window: -window[2]):
        if all(by_hand.hull_iou(window, better) <= most for better in kept):
            kept.append(window)
            yield window


@QUICKLY
@given(files(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_suppression_scores_the_windows_that_a_loop_would_keep(
    drawn: tuple[list[Entry], list[Entry]], most: float
) -> None:
    predictions, truth = drawn
    kept = [
        entry | {"pred_relevant_windows": list(suppressed(entry["pred_relevant_windows"], most))}
        for entry in predictions
    ]
    with TemporaryDirectory() as folder:
        source = opened(Path(folder), predictions, truth)
        document = open_qvh(replace(source.request, nms=most)).official()

    assert json.dumps(document) == json.dumps(by_hand.document(kept, truth))
