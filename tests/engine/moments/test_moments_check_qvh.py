"""The check of QVHighlights submissions: every kind of fault is found, at its line."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.moments.check.submission import CheckRequest, check_submission, guess_benchmark
from tests.engine.moments.submissions_by_hand import (
    check_qvh_records,
    faults,
    of_kind,
    places,
    qvh_submission,
    qvh_truth,
    write_lines,
)

Change = Callable[[list[dict[str, Any]]], object]
NAN = float("nan")
LINE_2 = "line 2 (qid 902)"


def window(values: Any) -> Change:
    """Puts a window behind those of line 2, a video of 20 seconds."""
    return lambda records: records[1]["pred_relevant_windows"].append(values)


def update(**values: Any) -> Change:
    return lambda records: records[1].update(values)


def test_a_good_submission_has_no_error_and_no_warning(tmp_path: Path) -> None:
    checked = check_qvh_records(tmp_path, qvh_submission())

    assert checked.benchmark == "qvh" and faults(checked) == []
    assert [fault.message for fault in checked.faults] == ["3 lines with 6 windows"]


ONE_FAULT: list[tuple[str, Change, str]] = [
    ("unusable", window(3), f"{LINE_2}, window 3: is 3, not a list"),
    (
        "unusable",
        window([1, 2]),
        f"{LINE_2}, window 3: has 2 values, needs start, end and score",
    ),
    (
        "unusable",
        window([1, 2, "0.1"]),
        f'{LINE_2}, window 3: the score is "0.1", not a number',
    ),
    ("not-finite", window([1, NAN, 0.1]), f"{LINE_2}, window 3: the end is NaN"),
    ("not-finite", window([1, 2, NAN]), f"{LINE_2}, window 3: the score is NaN"),
    ("too-long", window([1, 2, 0.1, 7]), f"{LINE_2}, window 3: has 4 values"),
    (
        "start-not-before-end",
        window([9, 9.0, 0.1]),
        f"{LINE_2}, window 3: start 9.0 is not before end 9.0",
    ),
    ("negative-start", window([-1, 9.0, 0.1]), f"{LINE_2}, window 3: start -1.0 is below 0"),
    (
        "ends-after-video",
        window([9, 22, 0.1]),
        f"{LINE_2}, window 3: end 22.0 is after the end of the video garden (20.0 s)",
    ),
    (
        "starts-after-video",
        window([20, 22, 0.1]),
        f"{LINE_2}, window 3: start 20.0 is not inside the video garden (20.0 s)",
    ),
    (
        "prediction-repeated",
        window([2, 4.5, 0.1]),
        f"{LINE_2}, window 3: the same as an earlier one",
    ),
    (
        "windows-unordered",
        window([2, 4, 0.7]),
        f"{LINE_2}, window 3: scores higher than the one before it",
    ),
    (
        "windows-rise",
        update(pred_relevant_windows=[[1, 2, 0.25], [1, 3, 0.5]]),
        f"{LINE_2}: score 0.25 first, 0.5 last",
    ),
    (
        "too-many",
        update(pred_relevant_windows=[[1, 2 + i, -i] for i in range(12)]),
        f"{LINE_2}: 12 windows",
    ),
    ("predictions-empty", update(pred_relevant_windows=[]), f"{LINE_2}: has no window"),
    (
        "predictions-not-a-list",
        update(pred_relevant_windows=None),
        f"{LINE_2}: pred_relevant_windows is null",
    ),
    (
        "predictions-missing",
        lambda records: records[1].pop("pred_relevant_windows"),
        f"{LINE_2}: has no pred_relevant_windows",
    ),
    (
        "predictions-missing",
        lambda records: records[0].pop("pred_saliency_scores"),
        "line 1 (qid 901): has no pred_saliency_scores",
    ),
    (
        "saliency-not-numbers",
        update(pred_saliency_scores=[1, NAN, 2]),
        f"{LINE_2}: pred_saliency_scores: number 2 is NaN",
    ),
    (
        "saliency-not-numbers",
        update(pred_saliency_scores=[]),
        f"{LINE_2}: pred_saliency_scores: is empty",
    ),
    (
        "saliency-not-numbers",
        update(pred_saliency_scores="high"),
        f'{LINE_2}: pred_saliency_scores: is "high"',
    ),
    (
        "saliency-length",
        update(pred_saliency_scores=[0.5] * 9),
        f"{LINE_2}: 9 scores, the video has 10 clips",
    ),
    ("text-missing", lambda r: r[1].pop("query"), f"{LINE_2}: has no query"),
    (
        "text-differs",
        update(query="Bo"),
        f'{LINE_2}: "Bo" here, "Bo waters the roses." in the ground truth',
    ),
    ("video-name-missing", lambda r: r[1].pop("vid"), f"{LINE_2}: has no vid that is a text"),
    ("video-differs", update(vid="roof"), f'{LINE_2}: "roof" here, "garden" in the ground truth'),
    (
        "id-absent",
        lambda records: records.pop(1),
        "qid 902: is missing (line 2 of the ground truth)",
    ),
    (
        "id-extra",
        lambda records: records.append({**deepcopy(records[1]), "qid": 5}),
        "line 4 (qid 5): this qid is not in the ground truth",
    ),
    (
        "id-repeated",
        lambda records: records.append(deepcopy(records[1])),
        "line 4 (qid 902): the same qid as in line 2",
    ),
    ("line-not-an-object", lambda r: r.append([1]), "line 4: is [1]"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("kind", "change", "place"), ONE_FAULT)
def test_one_fault_is_found_at_its_place_and_is_the_only_one(
    tmp_path: Path, kind: str, change: Change, place: str
) -> None:
    records = qvh_submission()
    change(records)

    checked = check_qvh_records(tmp_path, records)

    assert places(checked, kind) == [place]
    assert set(faults(checked)) <= {kind}
    assert checked.valid == (of_kind(checked, kind).level != "error")


@pytest.mark.parametrize(
    ("id_", "kind"), [(None, "id-unusable"), (1.5, "id-unusable"), ("absent", "id-missing")]
)
def test_a_line_without_a_usable_id_is_reported(tmp_path: Path, id_: Any, kind: str) -> None:
    records = qvh_submission()
    records[1]["qid"] = id_
    if id_ == "absent":
        del records[1]["qid"]

    checked = check_qvh_records(tmp_path, records)

    assert faults(checked) == [kind, "id-absent"]
    assert places(checked, kind)[0].startswith("line 2: ")


def test_ten_windows_are_not_too_many_and_the_most_are_reported(tmp_path: Path) -> None:
    records = qvh_submission()
    for record, count in zip(records, (10, 11, 40), strict=True):
        record["pred_relevant_windows"] = [[1, 2 + i / 10, -i] for i in range(count)]

    checked = check_qvh_records(tmp_path, records)

    assert of_kind(checked, "too-many").message == (
        "2 lines: more than 10 windows, up to 40: mAP looks at the first 10"
    )


def test_places_are_called_lines_and_windows_never_entries_and_predictions(tmp_path: Path) -> None:
    records = qvh_submission()
    records[1]["pred_relevant_windows"] = [[2, 4, 0.1], [2, 4, 0.1], [2, 4, 0.1], 7]
    records[2]["query"] = 3

    checked = check_qvh_records(tmp_path, records)

    reported = [text for f in checked.faults for text in (f.message, *map(str, f.examples))]
    assert f"{LINE_2}, window 2: the same as an earlier one (and 1 more in this line)" in reported
    assert "line 3 (qid 903): query is 3" in reported
    assert not any(
        "entry" in text or "entries" in text or "prediction" in text for text in reported
    )


def test_a_video_of_one_clip_has_no_clips(tmp_path: Path) -> None:
    truth = qvh_truth()
    truth[1]["duration"] = 3.0
    path = write_lines(tmp_path / "short.jsonl", truth)

    checked = check_qvh_records(tmp_path, qvh_submission(), truth=path)

    assert places(checked, "saliency-length") == [f"{LINE_2}: 10 scores, the video has 1 clip"]


def test_what_no_line_has_is_not_scored(tmp_path: Path) -> None:
    windows_alone, nothing = qvh_submission(), qvh_submission()
    for record in windows_alone:
        del record["pred_saliency_scores"]
    for record in nothing:
        del record["pred_saliency_scores"], record["pred_relevant_windows"]

    one = check_qvh_records(tmp_path, windows_alone)
    none = check_qvh_records(tmp_path, nothing)

    assert one.valid and faults(one) == ["predictions-nowhere"]
    assert of_kind(one, "predictions-nowhere").message == (
        "no line has pred_saliency_scores: HL is not scored"
    )
    assert not none.valid and faults(none) == ["nothing-to-score"]


def test_lines_that_are_blank_or_broken_are_reported_and_the_rest_is_checked(
    tmp_path: Path,
) -> None:
    path = write_lines(tmp_path / "val.jsonl", qvh_submission())
    first, second, third = path.read_text().splitlines()
    path.write_text(f"{first}\n\n{second[:-9]}\n{third}\n")
    truth = write_lines(tmp_path / "truth.jsonl", qvh_truth())

    checked = check_submission(CheckRequest(path, truth=truth))

    assert faults(checked) == ["line-blank", "line-not-json", "id-absent"]
    assert places(checked, "line-blank") == ["line 2: is blank"]
    assert places(checked, "line-not-json")[0].startswith("line 3: is not valid JSON (")


def test_without_a_ground_truth_ids_and_durations_are_said_not_to_be_checked(
    tmp_path: Path,
) -> None:
    records = qvh_submission()
    records[0]["pred_relevant_windows"][1] = [0, 900, 0.1]

    checked = check_submission(CheckRequest(write_lines(tmp_path / "val.jsonl", records)))

    assert faults(checked) == []
    assert of_kind(checked, "not-checked").message.startswith("not checked without a ground truth")


def test_a_file_without_any_object_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "val.jsonl"
    path.write_text("1\n2\n")

    with pytest.raises(InputError, match="has no line that is a JSON object"):
        check_submission(CheckRequest(path, benchmark="qvh"))


def test_the_list_of_videos_of_tvr_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--videos is the list of videos of TVR"):
        check_qvh_records(tmp_path, qvh_submission(), videos=tmp_path / "videos.json")


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"qid": 1}\n{"qid": 2}', "qvh"),
        ('\n{"pred_relevant_windows": []}', "qvh"),
        ('{"video2idx": {}, "qid": 3}', "tvr"),
        ('{"VCMR": []}', "tvr"),
        ("{\n", "tvr"),
        ("[1]", "tvr"),
        ("{" * 100_000, "tvr"),
    ],
)
def test_the_first_line_tells_the_benchmark(text: str, format: str) -> None:
    assert guess_benchmark(text.encode()) == format
