"""The check of TVR submissions: what it is held against, how much it tells, how it refuses."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.moments.check.submission import CheckRequest, check_submission
from tests.engine.moments.submissions_by_hand import (
    VIDEOS,
    check_tvr_document,
    faults,
    of_kind,
    places,
    tvr_submission,
    tvr_test_submission,
    tvr_test_truth,
    tvr_truth,
    write_json,
    write_lines,
)

ENTRY_2 = "VCMR, entry 2 (desc_id 902)"


def entry(document: dict[str, Any], task: str = "VCMR", number: int = 2) -> dict[str, Any]:
    """An entry, counted from 1 as the check does."""
    found: dict[str, Any] = document[task][number - 1]
    return found


def test_an_empty_video2idx_leaves_every_index_unknown(tmp_path: Path) -> None:
    checked = check_tvr_document(tmp_path, {**tvr_submission(), "video2idx": {}})

    assert {"video2idx-empty", "video-missing", "video-unknown"} == set(faults(checked))


@pytest.mark.parametrize(("value", "what"), [([], "a list"), (None, "null"), (3, "a number")])
def test_a_file_that_is_no_object_says_what_it_is(tmp_path: Path, value: Any, what: str) -> None:
    checked = check_tvr_document(tmp_path, value)

    assert of_kind(checked, "not-an-object").message.startswith(f"the file holds {what}, not one")


def test_a_video_of_the_ground_truth_that_has_no_index_is_an_error(tmp_path: Path) -> None:
    document = tvr_submission()
    del document["video2idx"]["street"]

    checked = check_tvr_document(tmp_path, document)

    place = 'video2idx: "street": no index; desc_id 903 is about this video'
    assert places(checked, "video-missing") == [place]
    assert set(faults(checked)) == {"video-missing", "video-unknown"}


@pytest.mark.parametrize(
    ("id_", "kind", "says"),
    [
        (None, "id-unusable", "desc_id is null"),
        (902.0, "id-unusable", "desc_id is 902.0"),
        ([902], "id-unusable", "desc_id is [902]"),
        ("", "id-unusable", 'desc_id is ""'),
    ],
)
def test_an_id_that_is_no_id_is_reported_without_one(
    tmp_path: Path, id_: Any, kind: str, says: str
) -> None:
    document = tvr_submission()
    entry(document)["desc_id"] = id_

    checked = check_tvr_document(tmp_path, document)

    assert places(checked, kind) == [f"VCMR, entry 2: {says}"]
    assert faults(checked) == [kind, "id-absent"]


def test_a_missing_id_is_reported(tmp_path: Path) -> None:
    document = tvr_submission()
    del entry(document)["desc_id"]

    checked = check_tvr_document(tmp_path, document)

    assert places(checked, "id-missing") == ["VCMR, entry 2: has no desc_id"]


def test_ids_are_counted_both_ways_and_a_text_in_place_of_a_number_is_named(
    tmp_path: Path,
) -> None:
    document = tvr_submission()
    for own in document["VCMR"]:
        own["desc_id"] = str(own["desc_id"])

    checked = check_tvr_document(tmp_path, document)

    assert of_kind(checked, "id-absent").count == of_kind(checked, "id-extra").count == 3
    assert places(checked, "id-absent")[0] == (
        'VCMR, desc_id 901: is missing (line 1 of the ground truth); here it is the text "901"'
    )
    assert places(checked, "id-extra")[0] == (
        'VCMR, entry 1 (desc_id "901"): this desc_id is not in the ground truth; '
        "there it is the number 901"
    )


def test_without_a_ground_truth_tasks_are_held_against_each_other(tmp_path: Path) -> None:
    document = tvr_submission()
    document["VR"].pop(0)

    checked = check_submission(CheckRequest(write_json(tmp_path / "val.json", document)))

    assert faults(checked) == ["ids-apart"]
    assert places(checked, "ids-apart") == ["VR, desc_id 901: is missing, VCMR has it"]
    assert "--gt" in of_kind(checked, "not-checked").message


def test_times_of_vr_are_not_looked_at(tmp_path: Path) -> None:
    document = tvr_submission()
    for own in document["VR"]:
        own["predictions"] = [[3, 9, 2, 0.5], [1, -4, 900, 0.4]]

    assert faults(check_tvr_document(tmp_path, document)) == []


def test_an_end_that_was_rounded_to_float32_is_not_after_the_video(tmp_path: Path) -> None:
    truth = tvr_truth()
    truth[0]["duration"] = 81.44
    rounded = 81.44000244140625
    document = tvr_submission()
    entry(document)["predictions"] = [[1, 0.0, rounded, 0.5]]
    assert rounded > truth[0]["duration"]

    file = write_lines(tmp_path / "gt.jsonl", truth)
    checked = check_tvr_document(tmp_path, document, truth=file)

    assert faults(checked) == []


def test_a_repeat_is_of_one_list_and_of_all_its_numbers_but_the_score(tmp_path: Path) -> None:
    document = tvr_submission()
    entry(document)["predictions"] = [
        [1, -0.0, 2, 0.9],
        [1, 0, 2.5, 0.8],
        [2, 0, 2, 0.7],
        [1, 0, 2, 0.6],
        [1, 0, 2, 0.5],
    ]

    checked = check_tvr_document(tmp_path, document)

    assert places(checked, "prediction-repeated") == [
        f"{ENTRY_2}, prediction 4: the same as an earlier one (and 1 more in this entry)"
    ]


def test_a_list_of_exactly_100_is_neither_long_nor_short(tmp_path: Path) -> None:
    document = tvr_submission()
    for task in ("VCMR", "SVMR", "VR"):
        for own in document[task]:
            first = own["predictions"][0][0]
            own["predictions"] = [[first, 0, 1 + i / 200, -i] for i in range(100)]

    checked = check_tvr_document(tmp_path, document)

    assert {fault.kind.name for fault in checked.faults} == {"content", "video-repeated"}


def test_long_and_short_lists_are_reported_with_the_longest_and_the_shortest(
    tmp_path: Path,
) -> None:
    document = tvr_submission()
    for own, count in zip(document["VCMR"], (101, 250, 7), strict=True):
        own["predictions"] = [[1, 0, 1 + i / 200, -i] for i in range(count)]

    checked = check_tvr_document(tmp_path, document)

    assert of_kind(checked, "too-many").message == (
        "2 entries: more than 100 predictions, up to 250: only the first 100 are used"
    )
    short = next(f for f in checked.faults if f.kind.name == "too-few" and f.part == "VCMR")
    assert short.message == "1 entry: fewer than 100 predictions, the fewest 7"


def test_several_faults_at_once_are_all_found(tmp_path: Path) -> None:
    document = tvr_submission()
    entry(document)["predictions"] = [[9, 5.0, 4.0, 0.9], [2, "x", 1, 1], [1, -2, 99, 0.5]]
    entry(document, "SVMR", 3)["predictions"] = []
    entry(document, "VR", 1)["desc_id"] = 5
    document["video2idx"]["roof"] = 1

    checked = check_tvr_document(tmp_path, document)

    assert sorted(faults(checked)) == sorted(
        ["video-unknown", "start-not-before-end", "unusable", "negative-start", "ends-after-video",
         "predictions-empty", "id-absent", "id-extra", "index-repeated"]
    )  # fmt: skip
    assert places(checked, "negative-start") == [f"{ENTRY_2}, prediction 3: start -2.0 is below 0"]


def test_only_the_first_places_are_kept_but_all_are_counted(tmp_path: Path) -> None:
    document = tvr_submission()
    entry(document)["predictions"] = [[1, 2 + i, 1, -i] for i in range(25)]

    few = check_tvr_document(tmp_path, document, limit=3)
    all_ = check_tvr_document(tmp_path, document, limit=0)

    found = of_kind(few, "start-not-before-end")
    assert (found.count, len(found.examples), found.more) == (25, 3, 22)
    assert found.examples[0].where.prediction == 1
    assert len(of_kind(all_, "start-not-before-end").examples) == 25
    assert few.count("error") == all_.count("error")


def test_unusable_predictions_are_limited_as_well(tmp_path: Path) -> None:
    document = tvr_submission()
    entry(document)["predictions"] = [None] * 25

    found = of_kind(check_tvr_document(tmp_path, document, limit=4), "unusable")

    assert (found.count, len(found.examples), found.more) == (25, 4, 21)


def test_a_key_that_is_written_twice_is_reported(tmp_path: Path) -> None:
    text = json.dumps(tvr_submission())
    text = text.replace('"desc_id": 902', '"desc_id": 1, "desc_id": 902', 1)
    text = text.replace('"garden": 2', '"garden": 5, "garden": 2')
    (tmp_path / "val.json").write_text(text)

    checked = check_submission(CheckRequest(tmp_path / "val.json"))

    assert places(checked, "key-repeated") == [
        'video2idx: "garden"',
        f'{ENTRY_2}: "desc_id" is written more than once',
    ]


def test_a_test_submission_has_no_svmr(tmp_path: Path) -> None:
    test_truth = write_lines(tmp_path / "test.jsonl", tvr_test_truth())

    fine = check_tvr_document(tmp_path, tvr_test_submission(), test_truth=test_truth)
    with_svmr = check_tvr_document(tmp_path, tvr_submission(), test_truth=test_truth)
    without_vr = tvr_test_submission()
    del without_vr["VR"]
    less = check_tvr_document(tmp_path, without_vr, test_truth=test_truth)

    assert fine.split == "test" and faults(fine) == []
    assert faults(with_svmr) == ["task-unwanted"] and with_svmr.valid
    assert of_kind(less, "task-missing").message.endswith("test-public has VCMR and VR")


def test_a_ground_truth_without_videos_means_a_test_submission(tmp_path: Path) -> None:
    truth = write_lines(tmp_path / "gt.jsonl", tvr_test_truth())

    assert check_tvr_document(tmp_path, tvr_test_submission(), truth=truth).split == "test"


def test_a_name_can_say_that_a_submission_is_for_test(tmp_path: Path) -> None:
    file = write_json(tmp_path / "tvr_test_public_submission.json", tvr_test_submission())

    checked = check_submission(CheckRequest(file))

    assert checked.split == "test" and faults(checked) == []


@pytest.mark.parametrize("nested", [True, False])
def test_the_official_list_gives_durations_and_indices(tmp_path: Path, nested: bool) -> None:
    official = {name: list(pair) for name, pair in VIDEOS.items()}
    del official["street"]
    official["garden"] = [8.5, 12]
    videos = write_json(tmp_path / "videos.json", {"val": official} if nested else official)
    test_truth = write_lines(tmp_path / "test.jsonl", tvr_test_truth())

    checked = check_tvr_document(
        tmp_path, tvr_test_submission(), test_truth=test_truth, videos=videos
    )

    assert places(checked, "index-not-official") == ['video2idx: "garden": index 2, officially 12']
    assert places(checked, "video-not-official") == ['video2idx: "street": unknown']
    assert places(checked, "ends-after-video")[0].endswith(
        "prediction 2: end 20.0 is after the end of the video garden (8.5 s)"
    )
    assert places(checked, "duration-unknown") == ["video2idx: street"]


@pytest.mark.parametrize(
    "write",
    [
        lambda path, text: path.write_text(json.dumps(json.loads(text), indent=4)),
        lambda path, text: path.write_bytes(text.replace(", ", ",\r\n").encode()),
    ],
    ids=["pretty", "crlf"],
)
def test_the_layout_of_the_file_does_not_matter(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "val.json"
    write(path, json.dumps(tvr_submission()))

    assert faults(check_submission(CheckRequest(path))) == []


def test_a_byte_order_mark_and_gzip_are_read_and_reported(tmp_path: Path) -> None:
    text = json.dumps(tvr_submission()).encode()
    marked, packed = tmp_path / "marked.json", tmp_path / "packed.json.gz"
    marked.write_bytes(b"\xef\xbb\xbf" + text)
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text))

    assert faults(check_submission(CheckRequest(marked))) == ["byte-order-mark"]
    assert faults(check_submission(CheckRequest(packed))) == ["byte-order-mark", "packed"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b'{"video2idx": {"a": 1}\n, "VCMR": [', "line 2: is not valid JSON"),
        (b"\x80abc", "is not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"video2idx": {"a": 1' + b"0" * 5000 + b"}}", "too long"),
    ],
)
def test_what_is_no_json_is_one_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "val.json"
    path.write_bytes(content)

    with pytest.raises(InputError, match=says):
        check_submission(CheckRequest(path))


def test_numbers_beyond_floats_are_not_finite(tmp_path: Path) -> None:
    document = tvr_submission()
    entry(document)["predictions"] = [[2, 1, 10**400, 0.5], [10**400, 1, 2, 0.4]]

    checked = check_tvr_document(tmp_path, document)

    assert [place.partition(": ")[0] for place in places(checked, "not-finite")] == [
        f"{ENTRY_2}, prediction 1",
        f"{ENTRY_2}, prediction 2",
    ]


def test_a_ground_truth_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    truth = write_lines(tmp_path / "gt.jsonl", [{"qid": 1, "vid": "a"}])

    with pytest.raises(InputError, match=r"line 1: has no desc_id .* ground truth of TVR"):
        check_tvr_document(tmp_path, tvr_submission(), truth=truth)


@pytest.mark.parametrize(
    "content", [[], {}, {"val": {"a": [1.0]}}, {"a": ["x", 1]}, {"a": [1, 2.5]}]
)
def test_a_list_of_videos_that_is_none_is_refused(tmp_path: Path, content: Any) -> None:
    videos = write_json(tmp_path / "videos.json", content)

    with pytest.raises(InputError, match="name: "):
        check_tvr_document(tmp_path, tvr_submission(), videos=videos)


def test_two_ground_truths_for_one_file_are_refused(tmp_path: Path) -> None:
    truth = write_lines(tmp_path / "gt.jsonl", tvr_truth())

    with pytest.raises(InputError, match="--gt and --gt-test were given for one file"):
        check_tvr_document(tmp_path, tvr_submission(), truth=truth, test_truth=truth)
