"""What is wrong with a submission or its ground truth is one line, with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.moments.moments_source import MomentsRequest
from engine.moments.open_files import find_benchmark, open_moments
from engine.moments.tvr.truth import read_tvr_truth
from tests.engine.files_by_hand import write_json_lines
from tests.engine.moments.tvr_by_hand import entry, opened, query, submission

HIT = (0, 0, 10)
HOW = "a prediction is [video, start, end, score], times in seconds"
SPANS = "write [start, end] in seconds, or a list of such; start not after end, none over 1e15"
WHICH = "write one of v, t, vt, or leave types out with --no-types"


def reported(folder: Path, sent: Any, truth: Any, **options: Any) -> str:
    """The error, without the folder."""
    with pytest.raises(InputError) as caught:
        opened(folder, sent, truth, **options).official()
    return str(caught.value).replace(f"{folder}/", "")


def of_truth(folder: Path, *lines: Any) -> str:
    file = write_json_lines(folder / "truth.jsonl", lines)
    with pytest.raises(InputError) as caught:
        read_tvr_truth(file)
    return str(caught.value).replace(f"{folder}/", "")


# Ids


def test_ids_that_are_missing_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    message = reported(tmp_path, submission(VR=[entry(1, HIT)]), [query(1), query(2), query(3)])

    assert message == (
        "submission.json: VR lacks 2 of the 3 queries of truth.jsonl, first 2; give the "
        "ground truth of the same split, and predict for exactly its queries"
    )


def test_ids_that_nobody_asked_for_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    sent = submission(SVMR=[entry(1, HIT), entry(8, HIT), entry(9, HIT)])

    assert reported(tmp_path, sent, [query(1)]).startswith(
        "submission.json: SVMR has 2 that are not in truth.jsonl, first 8; "
    )


def test_ids_of_another_split_are_reported_both_ways(tmp_path: Path) -> None:
    assert reported(tmp_path, submission(VR=[entry(8, HIT)]), [query(1)]).startswith(
        "submission.json: VR lacks 1 of the 1 queries of truth.jsonl, first 1, and has 1 "
        "that are not in it, first 8; "
    )


def test_texts_in_the_place_of_numbers_are_named_as_the_reason(tmp_path: Path) -> None:
    assert reported(tmp_path, submission(VR=[entry("1", HIT)]), [query(1)]).endswith(
        "write ids as numbers in both files or as texts in both"
    )


# Entries


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"predictions": []}, ": desc_id is missing; write the desc_id of the ground truth"),
        (
            {"desc_id": 1.5, "predictions": []},
            ": desc_id is 1.5; write the desc_id of the ground truth",
        ),
        (
            {"desc_id": 2},
            " (desc_id 2): has no predictions; "
            'write "predictions": [[video, start, end, score], …]',
        ),
        (
            {"desc_id": 2, "predictions": [[0, 1]]},
            f" (desc_id 2), prediction 1: has 2 values, needs video, start, end; {HOW}",
        ),
        (
            {"desc_id": 2, "predictions": [[0, 1, 2], [0, float("nan"), 2]]},
            f" (desc_id 2), prediction 2: the start is NaN; {HOW}",
        ),
        (
            {"desc_id": 2, "predictions": [[0.5, 1, 2, 0]]},
            " (desc_id 2), prediction 1: the video is 0.5, not a whole number; "
            "write the index of video2idx",
        ),
        ([], " is not an object"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(tmp_path: Path, own: Any, message: str) -> None:
    sent = submission(VR=[entry(1, HIT), own])

    assert (
        reported(tmp_path, sent, [query(1), query(2)]) == f"submission.json: VR, entry 2{message}"
    )


def test_a_task_that_is_no_list_is_refused(tmp_path: Path) -> None:
    sent: Any = submission()
    sent["VR"] = {}

    assert reported(tmp_path, sent, [query(1)]) == (
        'submission.json: VR is not a list; write "VR": [{"desc_id": …, "predictions": […]}, …]'
    )


def test_an_empty_task_is_refused(tmp_path: Path) -> None:
    assert reported(tmp_path, submission(VR=[]), [query(1)]) == (
        "submission.json: VR is empty; leave a task out that you do not submit, or choose others "
        "with --tasks"
    )


def test_a_task_that_was_not_asked_for_is_refused(tmp_path: Path) -> None:
    source = opened(tmp_path, submission(VR=[entry(1, HIT)]), [query(1)])

    with pytest.raises(InputError, match="there is no MR, only VR"):
        source.judge("MR")


def test_a_task_that_is_not_there_is_reported_with_those_that_are(tmp_path: Path) -> None:
    message = reported(tmp_path, submission(VR=[entry(1, HIT)]), [query(1)], tasks=("SVMR",))

    assert message == (
        "submission.json: has no SVMR, only VR; ask for tasks that are there with --tasks"
    )


def test_a_video_without_index_is_named(tmp_path: Path) -> None:
    truth = [query(1), query(2, video="x"), query(3, video="y")]
    sent = submission(VR=[entry(n, HIT) for n in (1, 2, 3)])

    assert reported(tmp_path, sent, truth) == (
        "submission.json: video2idx lacks 2 videos of truth.jsonl, first 'x' of desc_id 2; map "
        "every video of the split to its index"
    )


# The ground truth


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ([], "is not a JSON object; write one JSON object per line"),
        ({"vid_name": "a", "ts": [0, 1]}, 'has no "desc_id"'),
        ({"desc_id": None}, "desc_id is null, neither a whole number nor a text"),
        ({"desc_id": 2, "vid_name": "a"}, 'has no "ts"; write "ts": [start, end] in seconds'),
        (
            {"desc_id": 2, "ts": [0, 1]},
            'has no "vid_name" that is a text; a test set without answers cannot be evaluated, '
            "only validated",
        ),
        (query(2, ts=[1]), f"ts is [1]; {SPANS}"),
        (query(2, ts=[5, 1]), f"ts is [5, 1]; {SPANS}"),
        (query(2, ts=[]), f"ts is []; {SPANS}"),
        (query(2, ts=[0, float("nan")]), f"ts is [0, NaN]; {SPANS}"),
        (query(2, ts=[0, 1, 2, 3]), f"ts is [0, 1, 2, 3]; {SPANS}"),
        (query(2, duration="long"), 'duration is "long", not a number of seconds'),
        (query(2, type="x"), f'type is "x"; {WHICH}'),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, own: Any, message: str) -> None:
    reported = of_truth(tmp_path, query(1, type="v"), own)

    assert reported == f"truth.jsonl, line 2: {message}"


def test_a_type_that_only_some_have_is_refused(tmp_path: Path) -> None:
    assert of_truth(tmp_path, query(1, type="v"), query(2)) == (
        f"truth.jsonl, line 2: has no type, though others have; {WHICH}"
    )


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    file = tmp_path / "truth.jsonl"
    file.write_text('{"desc_id": 1, "vid_name": "a", "ts": [0, 1]}\n\n{"desc_id": 2,\n')

    with pytest.raises(InputError, match="line 3: is not valid JSON"):
        read_tvr_truth(file)


def test_durations_and_lengths_are_read(tmp_path: Path) -> None:
    lines = [query(1, ts=(2, 5), duration=60), query(2, ts=[[0, 1], [0, 3]])]

    truth = read_tvr_truth(write_json_lines(tmp_path / "truth.jsonl", lines))

    assert truth.durations.tolist()[0] == 60
    assert truth.moment_lengths.tolist() == [3, 2]  # the second: (1 + 3) / 2
    assert truth.spans_of(1).tolist() == [[0, 1], [0, 3]]


# Which benchmark


@pytest.mark.parametrize(("key", "wanted"), [("desc_id", "tvr"), ("qid", "qvh")])
def test_the_benchmark_is_known_by_its_ground_truth(tmp_path: Path, key: str, wanted: str) -> None:
    assert find_benchmark(write_json_lines(tmp_path / "truth.jsonl", [{key: 1}])) == wanted


def test_a_first_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    file = tmp_path / "truth.jsonl"
    file.write_text('{"desc_id": 1}{"desc_id": 2}\n')

    with pytest.raises(InputError, match="line 1: is not valid JSON"):
        find_benchmark(file)


def test_a_ground_truth_of_neither_benchmark_is_refused(tmp_path: Path) -> None:
    file = write_json_lines(tmp_path / "truth.jsonl", [{"id": 1}])

    with pytest.raises(InputError, match="its first line has neither desc_id nor qid"):
        open_moments(MomentsRequest(tmp_path / "s.json", file))


@pytest.mark.parametrize(
    ("sent", "truth", "message"),
    [
        (b'{"qid": 1}\n{"qid": 2}\n', query(1), "holds predictions for QVHighlights, not for TVR"),
        (b'{"video2idx": {}}', {"qid": 1}, "is a submission for TVR, not for QVHighlights"),
        (b"PK\x03\x04...", query(1), "is a zip archive; unpack it"),
        (bytes(100), query(1), "does not begin like JSON; write an object"),
    ],
)
def test_predictions_of_another_kind_are_named(
    tmp_path: Path, sent: bytes, truth: Any, message: str
) -> None:
    file = tmp_path / "sent"
    file.write_bytes(sent)

    with pytest.raises(InputError) as caught:
        open_moments(MomentsRequest(file, write_json_lines(tmp_path / "truth.jsonl", [truth])))

    assert str(caught.value).startswith(f"{file}: {message}")


@pytest.mark.parametrize("ts", [[0, 10**400], [[0, 10**400]], [-(10**400), 1]])
def test_a_time_of_hundreds_of_digits_is_no_time(tmp_path: Path, ts: Any) -> None:
    message = of_truth(tmp_path, query(1), {**query(2), "ts": ts})

    assert message.startswith("truth.jsonl, line 2: ts is [")
