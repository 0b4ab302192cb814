"""What is read of QVHighlights files, and every way in which they can be wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.moments.qvh.files import QvhFiles, read_qvh
from tests.engine.moments.qvh_by_hand import Entry, prediction, rated, truth_entry, written

RATED = rated({3: (2, 3, 4), 4: (0, 1, 2)})
TRUTH = truth_entry(1, [[0, 4], [6, 8]], **RATED)
PREDICTION = prediction(1, [[0, 4, 0.9], [5, 9, 0.5]], [0.1, 0.2, 0.3])


def read(folder: Path, predictions: list[Entry], truth: list[Entry]) -> QvhFiles:
    return read_qvh(written(folder / "p.jsonl", predictions), written(folder / "t.jsonl", truth))


def refused(folder: Path, predictions: list[Entry], truth: list[Entry]) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, predictions, truth)
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(str(folder) + "/", "")


def with_(entry: Entry, **changes: Any) -> Entry:
    return entry | changes


def without(entry: Entry, key: str) -> Entry:
    return {name: value for name, value in entry.items() if name != key}


# What is read --------------------------------------------------------------------------------


def test_truth_has_the_queries_of_the_ground_truth_in_its_order(tmp_path: Path) -> None:
    truth = [truth_entry("b", [[0, 4]]), truth_entry("a", [[1, 2], [6, 8.5]], duration=151)]
    predictions = [prediction("a", [[0, 1, 0.5]]), prediction("b", [[2, 3, 0.25], [4, 5, 0]])]

    files = read(tmp_path, predictions, truth)

    assert files.truth.ids == ("b", "a")
    assert files.truth.texts == ("what b asks", "what a asks")
    assert files.truth.videos == ("video b", "video a")
    assert files.truth.durations.tolist() == [20.0, 151.0]
    assert files.truth.spans_of(1).tolist() == [[1.0, 2.0], [6.0, 8.5]]
    assert files.truth.lines.tolist() == [1, 2]
    assert files.truth.types is None
    assert files.windows is not None
    assert files.windows.offsets.tolist() == [0, 2, 3]
    assert files.windows.values.tolist() == [[2, 3, 0.25], [4, 5, 0], [0, 1, 0.5]]
    assert files.order.tolist() == [1, 0]
    assert files.saliency is None and files.ratings is None
    assert files.notes == ()


def test_saliency_and_ratings_are_read(tmp_path: Path) -> None:
    files = read(tmp_path, [PREDICTION], [with_(TRUTH, duration=11)])

    assert files.saliency is not None and files.ratings is not None
    assert files.saliency.values.tolist() == [0.1, 0.2, 0.3]
    assert files.ratings.clips.tolist() == [5]  # int(11 / 2)
    assert files.ratings.rated.values.tolist() == [3, 4]
    assert files.ratings.scores.tolist() == [[2, 3, 4], [0, 1, 2]]


def test_the_ground_truth_needs_no_saliency_when_none_is_predicted(tmp_path: Path) -> None:
    files = read(tmp_path, [prediction(1, [[0, 1, 1]])], [{"qid": 1, "relevant_windows": [[0, 1]]}])

    assert np.isnan(files.truth.durations).all()
    assert (files.truth.texts, files.truth.videos) == (("",), ("",))


def test_the_ground_truth_needs_no_windows_when_none_are_predicted(tmp_path: Path) -> None:
    files = read(tmp_path, [prediction(1, saliency=[0.5])], [{"qid": 1, "duration": 20} | RATED])

    assert files.windows is None
    assert len(files.truth.spans) == 0


def test_packed_files_byte_order_marks_and_empty_lines_are_read(tmp_path: Path) -> None:
    packed = tmp_path / "p.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(PREDICTION).encode()))
    marked = tmp_path / "t.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf\r\n" + json.dumps(TRUTH).encode() + b"\r\n\r\n")

    files = read_qvh(packed, marked)

    assert files.truth.ids == (1,)
    assert files.truth.lines.tolist() == [2]


def test_reading_leaves_the_garbage_collector_as_it_was(tmp_path: Path) -> None:
    import gc

    read(tmp_path, [PREDICTION], [TRUTH])
    assert gc.isenabled()

    refused(tmp_path, [PREDICTION], [without(TRUTH, "relevant_windows")])
    assert gc.isenabled()


# Notes ---------------------------------------------------------------------------------------


def test_a_repeated_query_with_saliency_alone_has_its_last_entry(tmp_path: Path) -> None:
    predictions = [
        prediction(1, saliency=[0.1]),
        prediction(2, saliency=[0.2]),
        prediction(1, saliency=[0.3]),
    ]
    truth = [truth_entry(i, [[0, 1]], **RATED) for i in (2, 1)]

    files = read(tmp_path, predictions, truth)

    assert files.saliency is not None
    assert files.saliency.values.tolist() == [0.2, 0.3]
    assert files.order.tolist() == [1, 0]  # a dict keeps the place of the first
    assert files.notes == (
        "p.jsonl: 1 entries repeat a query (first 1, line 3); the last entry counts",
    )


def test_windows_that_end_before_they_start_and_other_videos_are_noted(tmp_path: Path) -> None:
    entry = with_(prediction(1, [[5, 4, 1]]), vid="another")

    assert read(tmp_path, [entry], [TRUTH]).notes == (
        "p.jsonl: 1 query with a window that ends before it starts (first 1)",
        'p.jsonl: 1 query with another "vid" than the ground truth, which is not looked at '
        "(first 1)",
    )


# Errors: lines and keys ----------------------------------------------------------------------


def test_malformed_json_is_named_with_its_line(tmp_path: Path) -> None:
    good = written(tmp_path / "t.jsonl", [TRUTH])
    bad = tmp_path / "p.jsonl"
    bad.write_text(json.dumps(PREDICTION) + '\n{"qid": 2,\n', encoding="utf-8")

    with pytest.raises(InputError) as caught:
        read_qvh(bad, good)

    assert str(caught.value).startswith(f"{bad}, line 2: is not valid JSON (")
    assert str(caught.value).endswith("; write one JSON object per line")


def test_absurd_nesting_and_absurd_numbers_are_malformed(tmp_path: Path) -> None:
    good = written(tmp_path / "t.jsonl", [TRUTH])
    for text in ("[" * 100_000, '{"qid": ' + "9" * 10_000 + "}"):
        bad = tmp_path / "p.jsonl"
        bad.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="line 1: is not valid JSON"):
            read_qvh(bad, good)


def test_a_line_that_is_no_object_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, [PREDICTION, [1]], [TRUTH]) == (  # type: ignore[list-item]
        "p.jsonl, line 2: is not a JSON object; write one JSON object per line"
    )


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_any_entry_is_empty(tmp_path: Path, content: str) -> None:
    empty = tmp_path / "p.jsonl"
    empty.write_text(content, encoding="utf-8")

    with pytest.raises(InputError, match="is empty"):
        read_qvh(empty, written(tmp_path / "t.jsonl", [TRUTH]))


def test_missing_files_have_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_qvh(tmp_path / "none.jsonl", tmp_path / "none.jsonl")


def test_predictions_of_nothing_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, [prediction(1)], [TRUTH]) == (
        'p.jsonl, line 1: has neither "pred_relevant_windows" nor "pred_saliency_scores"; '
        "predict windows, saliency or both"
    )


@pytest.mark.parametrize("key", ["pred_relevant_windows", "pred_saliency_scores", "qid"])
def test_a_key_that_only_some_entries_have_is_an_error(tmp_path: Path, key: str) -> None:
    entries = [PREDICTION, without(with_(PREDICTION, qid=2), key), with_(PREDICTION, qid=3)]

    assert refused(tmp_path, entries, [with_(TRUTH, qid=i) for i in (1, 2, 3)]) == (
        f'p.jsonl, line 2: has no "{key}", which 2 of 3 entries have; '
        "give it to every entry or to none"
    )


@pytest.mark.parametrize(
    "key", ["qid", "relevant_windows", "duration", "relevant_clip_ids", "saliency_scores"]
)
def test_what_the_ground_truth_needs_must_be_there(tmp_path: Path, key: str) -> None:
    assert refused(tmp_path, [PREDICTION], [without(TRUTH, key)]) == (
        f't.jsonl, line 1: has no "{key}"; add it'
    )


@pytest.mark.parametrize("qid", [1.5, True, None, [1]])
def test_an_id_is_a_whole_number_or_a_text(tmp_path: Path, qid: Any) -> None:
    assert refused(tmp_path, [with_(PREDICTION, qid=qid)], [TRUTH]) == (
        "p.jsonl, line 1: qid is neither a whole number nor a text; name the query"
    )


def test_a_query_that_is_no_text_is_refused(tmp_path: Path) -> None:
    line = refused(tmp_path, [PREDICTION], [with_(TRUTH, query=7)])
    assert line.startswith("t.jsonl, line 1: query is 7, not a text")

    half = written(tmp_path / "h.jsonl", [with_(TRUTH, vid="\ud800")])
    with pytest.raises(InputError, match="vid is not valid Unicode"):
        read_qvh(written(tmp_path / "p.jsonl", [PREDICTION]), half)


# Errors: ids ---------------------------------------------------------------------------------


def test_ids_that_do_not_match_are_counted_both_ways(tmp_path: Path) -> None:
    predictions = [with_(PREDICTION, qid=i) for i in (1, 8, 9)]
    truth = [with_(TRUTH, qid=i) for i in (2, 1, 3, 4)]

    assert refused(tmp_path, predictions, truth) == (
        "p.jsonl, line 2: lacks 3 of the 4 queries of t.jsonl, first 2, and has 2 that are not "
        "in it, first 8; give the ground truth of the same split, and predict for exactly its "
        "queries"
    )


def test_missing_queries_alone_are_counted(tmp_path: Path) -> None:
    truth = [with_(TRUTH, qid=i) for i in (1, "x\x1b[31m")]

    assert refused(tmp_path, [PREDICTION], truth) == (
        r"p.jsonl: lacks 1 of the 2 queries of t.jsonl, first 'x\x1b[31m'; "
        "give the ground truth of the same split, and predict for exactly its queries"
    )


def test_numbers_in_one_file_and_texts_in_the_other_are_told_apart(tmp_path: Path) -> None:
    line = refused(tmp_path, [with_(PREDICTION, qid="1")], [TRUTH])

    assert line.endswith("; write ids as numbers in both files or as texts in both")


@pytest.mark.parametrize("wrong", ["p.jsonl", "t.jsonl"])
def test_a_repeated_query_is_an_error_when_windows_are_scored(tmp_path: Path, wrong: str) -> None:
    predictions, truth = [PREDICTION], [TRUTH]
    (predictions if wrong == "p.jsonl" else truth).append(
        PREDICTION if wrong == "p.jsonl" else TRUTH
    )

    assert refused(tmp_path, predictions, truth) == (
        f"{wrong}, line 2: repeats the query 1 of line 1: MR-R1 would take the last entry, "
        "MR-mAP all of them; keep one entry per query"
    )


# Errors: numbers -----------------------------------------------------------------------------

WINDOW = "write a window as [start, end, score]"
SPAN = "write a window as [start, end]"
CLIP = "write one finite number per clip"
RATERS = "write the numbers of three raters for every clip"
FINITE = "not a finite number"
WHOLE = "not a whole number from 0 up; write the indices of clips, from 0"
LEAVE_OUT = "leave the query out of both files"
SECONDS = "write the seconds of the video"
NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("pred_relevant_windows", [[0, 1]], f"[0] has 2 numbers, needs 3; {WINDOW}"),
        ("pred_relevant_windows", [[0, 1, 1], [1] * 4], f"[1] has 4 numbers, needs 3; {WINDOW}"),
        ("pred_relevant_windows", [[NAN, 1, 1]], f"[0][0] is nan, {FINITE}; {WINDOW}"),
        ("pred_relevant_windows", [[0, 1, INFINITY]], f"[0][2] is inf, {FINITE}; {WINDOW}"),
        ("pred_relevant_windows", [[0, "1", 1]], f"[0][1] is '1', {FINITE}; {WINDOW}"),
        ("pred_relevant_windows", [[0, True, 1]], f"[0][1] is True, {FINITE}; {WINDOW}"),
        (
            "pred_relevant_windows",
            [[0, 10**400, 1]],
            f"[0][1] is a huge number, {FINITE}; {WINDOW}",
        ),
        ("pred_relevant_windows", [0, 1, 1], f"[0] is 0, not a list; {WINDOW}"),
        ("pred_relevant_windows", {}, f" is an object, not a list; {WINDOW}"),
        ("pred_relevant_windows", None, f" is null, not a list; {WINDOW}"),
        ("pred_saliency_scores", [], " is empty; write one number per clip"),
        ("pred_saliency_scores", "", f" is '', not a list; {CLIP}"),
        ("pred_saliency_scores", [0.5, NAN], f"[1] is nan, {FINITE}; {CLIP}"),
        ("pred_saliency_scores", [0.5, None], f"[1] is null, {FINITE}; {CLIP}"),
        ("pred_saliency_scores", [[0.5]], f"[0] is a list, {FINITE}; {CLIP}"),
    ],
)
def test_predicted_numbers_are_checked(tmp_path: Path, key: str, value: Any, message: str) -> None:
    entries = [PREDICTION, with_(PREDICTION, qid=2, **{key: value})]

    line = refused(tmp_path, entries, [with_(TRUTH, qid=i) for i in (2, 1)])

    assert line == f"p.jsonl, line 2: {key}{message}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"relevant_windows": []}, f"relevant_windows is empty; {LEAVE_OUT}"),
        (
            {"relevant_windows": [[0, 1], [3, 2]]},
            "relevant_windows has a start after its end; write [start, end]",
        ),
        ({"relevant_windows": [[0, 1, 2]]}, f"relevant_windows[0] has 3 numbers, needs 2; {SPAN}"),
        ({"relevant_windows": [[0, NAN]]}, f"relevant_windows[0][1] is nan, {FINITE}; {SPAN}"),
        ({"duration": 0}, f"duration is not a number above 0; {SECONDS}"),
        ({"duration": NAN}, f"duration is not a number above 0; {SECONDS}"),
        ({"duration": "20"}, f"duration is not a number above 0; {SECONDS}"),
        ({"duration": 10**400}, f"duration is not a number above 0; {SECONDS}"),
        ({"duration": 1e12}, f"duration makes more than 1,000,000 clips; {SECONDS}"),
        (
            {"relevant_clip_ids": [3, 10]},
            "relevant_clip_ids has a clip that the video does not have; "
            "the clips of a video of D seconds are 0 to D/2 - 1",
        ),
        ({"relevant_clip_ids": [3, -1]}, f"relevant_clip_ids[1] is -1, {WHOLE}"),
        ({"relevant_clip_ids": [3, 4.0]}, f"relevant_clip_ids[1] is 4.0, {WHOLE}"),
        ({"relevant_clip_ids": [3, True]}, f"relevant_clip_ids[1] is True, {WHOLE}"),
        (
            {"relevant_clip_ids": [3]},
            "saliency_scores and relevant_clip_ids differ in length; write one row per clip",
        ),
        (
            {"relevant_clip_ids": [], "saliency_scores": []},
            f"relevant_clip_ids is empty; {LEAVE_OUT}",
        ),
        (
            {"saliency_scores": [[1, 2, 3], [1, 2]]},
            f"saliency_scores[1] has 2 numbers, needs 3; {RATERS}",
        ),
        ({"saliency_scores": [1, 2]}, f"saliency_scores[0] is 1, not a list; {RATERS}"),
    ],
)
def test_true_numbers_are_checked(tmp_path: Path, changes: Entry, message: str) -> None:
    truth = [TRUTH, with_(TRUTH, qid=2, **changes)]

    line = refused(tmp_path, [with_(PREDICTION, qid=i) for i in (2, 1)], truth)

    assert line == f"t.jsonl, line 2: {message}"
