"""The check of TVR submissions: every kind of fault is found, at its place, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from engine.moments.check.fault_kinds import Fault, FaultKind
from tests.engine.moments.submissions_by_hand import (
    check_tvr_document,
    faults,
    of_kind,
    places,
    tvr_submission,
)

Change = Callable[[dict[str, Any]], object]

NAN, INFINITE = float("nan"), float("inf")


def entry(document: dict[str, Any], task: str = "VCMR", number: int = 2) -> dict[str, Any]:
    """An entry, counted from 1 as the check does."""
    found: dict[str, Any] = document[task][number - 1]
    return found


def predict(prediction: Any, task: str = "VCMR") -> Change:
    """Puts a prediction behind the others of entry 2."""
    return lambda document: entry(document, task)["predictions"].append(prediction)


def test_a_good_submission_has_no_error_and_no_warning(tmp_path: Path) -> None:
    checked = check_tvr_document(tmp_path, tvr_submission())

    assert checked.valid and faults(checked) == []
    reported = [fault.message for fault in checked.faults]
    assert reported[:4] == [
        "3 videos",
        "3 entries with 9 predictions",
        "3 entries with 6 predictions",
        "3 entries with 9 predictions",
    ]


ENTRY_2 = "VCMR, entry 2 (desc_id 902)"

ONE_FAULT: list[tuple[str, Change, str]] = [
    (
        "start-not-before-end",
        predict([2, 12.0, 9.0, 0.1]),
        f"{ENTRY_2}, prediction 4: start 12.0 is not before end 9.0",
    ),
    (
        "start-not-before-end",
        predict([2, 7, 7, 0.1]),
        f"{ENTRY_2}, prediction 4: start 7.0 is not before end 7.0",
    ),
    (
        "negative-start",
        predict([2, -0.5, 9.0, 0.1]),
        f"{ENTRY_2}, prediction 4: start -0.5 is below 0",
    ),
    (
        "ends-after-video",
        predict([1, 3.0, 10.25, 0.1]),
        f"{ENTRY_2}, prediction 4: end 10.25 is after the end of the video kitchen (10.0 s)",
    ),
    (
        "starts-after-video",
        predict([1, 10.0, 11.0, 0.1]),
        f"{ENTRY_2}, prediction 4: start 10.0 is not inside the video kitchen (10.0 s)",
    ),
    (
        "video-unknown",
        predict([7, 1.0, 2.0, 0.1]),
        f"{ENTRY_2}, prediction 4: video index 7 is not in video2idx",
    ),
    (
        "video-unknown",
        predict([1.5, 1.0, 2.0, 0.1]),
        f"{ENTRY_2}, prediction 4: video index 1.5 is not in video2idx",
    ),
    (
        "video-unknown",
        predict([9, 0, 0, 0.0], "VR"),
        "VR, entry 2 (desc_id 902), prediction 4: video index 9 is not in video2idx",
    ),
    ("unusable", predict(7), f"{ENTRY_2}, prediction 4: is 7, not a list"),
    (
        "unusable",
        predict([2, 3.0]),
        f"{ENTRY_2}, prediction 4: has 2 values, needs video, start, end and score",
    ),
    (
        "unusable",
        predict([2, "3.0", 4.0, 0.1]),
        f'{ENTRY_2}, prediction 4: the start is "3.0", not a number',
    ),
    (
        "unusable",
        predict([2, 3.0, None, 0.1]),
        f"{ENTRY_2}, prediction 4: the end is null, not a number",
    ),
    (
        "unusable",
        predict([True, 3.0, 4.0, 0.1]),
        f"{ENTRY_2}, prediction 4: the video is true, not a number",
    ),
    ("not-finite", predict([2, NAN, 4.0, 0.1]), f"{ENTRY_2}, prediction 4: the start is NaN"),
    ("not-finite", predict([2, 3, INFINITE, 0]), f"{ENTRY_2}, prediction 4: the end is Infinity"),
    ("score-missing", predict([2, 3.0, 4.0]), f"{ENTRY_2}, prediction 4: has no score"),
    ("score-unusable", predict([2, 3, 4, None]), f"{ENTRY_2}, prediction 4: the score is null"),
    ("score-unusable", predict([2, 3, 4, NAN]), f"{ENTRY_2}, prediction 4: the score is NaN"),
    ("too-long", predict([2, 3, 4, 0.1, 5]), f"{ENTRY_2}, prediction 4: has 5 values"),
    (
        "prediction-repeated",
        predict([2, 0.0, 20.0, 0.1]),
        f"{ENTRY_2}, prediction 4: the same as an earlier one",
    ),
    (
        "video-repeated",
        predict([3, 5, 6, 0.0], "VR"),
        "VR, entry 2 (desc_id 902), prediction 4: the same video as before",
    ),
    (
        "scores-unordered",
        predict([2, 3.0, 4.0, 0.7]),
        f"{ENTRY_2}, prediction 4: scores higher than the one before it",
    ),
    (
        "scores-rise",
        lambda d: entry(d).update(predictions=[[1, 0, 1, 0.25], [1, 0, 2, 0.5], [1, 0, 3, 4]]),
        f"{ENTRY_2}: score 0.25 first, 4 last",
    ),
    (
        "other-video",
        predict([1, 3.0, 4.0, 0.1], "SVMR"),
        'SVMR, entry 2 (desc_id 902): 1 of 3 predictions is not in "garden" (index 2)',
    ),
    (
        "too-many",
        lambda d: entry(d).update(predictions=[[1, 0, 1 + i / 100, -i] for i in range(120)]),
        f"{ENTRY_2}: 120 predictions",
    ),
    ("entry-not-an-object", lambda d: d["VCMR"].append([1]), "VCMR, entry 4: is [1]"),
    (
        "text-missing",
        lambda d: entry(d).pop("desc"),
        f"{ENTRY_2}: has no desc",
    ),
    ("text-missing", lambda d: entry(d).update(desc=3), f"{ENTRY_2}: desc is 3"),
    (
        "text-differs",
        lambda d: entry(d).update(desc="Bo"),
        f'{ENTRY_2}: "Bo" here, "Bo waters the roses." in the ground truth',
    ),
    (
        "predictions-missing",
        lambda d: entry(d).pop("predictions"),
        f"{ENTRY_2}: has no predictions",
    ),
    (
        "predictions-not-a-list",
        lambda d: entry(d).update(predictions={}),
        f"{ENTRY_2}: predictions is {{}}",
    ),
    (
        "predictions-empty",
        lambda d: entry(d).update(predictions=[]),
        f"{ENTRY_2}: has no prediction",
    ),
    (
        "id-absent",
        lambda d: d["SVMR"].pop(1),
        "SVMR, desc_id 902: is missing (line 2 of the ground truth)",
    ),
    (
        "id-extra",
        lambda d: d["VR"].append({**entry(d, "VR"), "desc_id": 77}),
        "VR, entry 4 (desc_id 77): this desc_id is not in the ground truth",
    ),
    (
        "id-repeated",
        lambda d: d["VR"].append(deepcopy(entry(d, "VR"))),
        "VR, entry 4 (desc_id 902): the same desc_id as in entry 2",
    ),
    (
        "index-repeated",
        lambda d: d["video2idx"].update(roof=2),
        'video2idx: "roof": index 2 is also that of "garden"',
    ),
    (
        "index-not-whole",
        lambda d: d["video2idx"].update(roof=4.5),
        'video2idx: "roof": index 4.5',
    ),
    (
        "index-not-whole",
        lambda d: d["video2idx"].update(roof="4"),
        'video2idx: "roof": index "4"',
    ),
    (
        "index-too-large",
        lambda d: d["video2idx"].update(roof=2**24),
        'video2idx: "roof": index 16777216',
    ),
    ("key-unknown", lambda d: d.update(vcrm=[]), '"vcrm", did you mean VCMR?'),
    ("key-unknown", lambda d: d.update(author="me"), '"author"'),
]


@pytest.mark.parametrize(("kind", "change", "place"), ONE_FAULT)
def test_one_fault_is_found_at_its_place_and_is_the_only_one(
    tmp_path: Path, kind: str, change: Change, place: str
) -> None:
    document = tvr_submission()
    change(document)

    checked = check_tvr_document(tmp_path, document)

    assert places(checked, kind) == [place]
    assert of_kind(checked, kind).count == 1
    assert set(faults(checked)) <= {kind}
    assert checked.valid == (of_kind(checked, kind).level != "error")


@pytest.mark.parametrize(
    ("kind", "level"),
    [
        ("unusable", "error"),
        ("predictions-empty", "error"),
        ("id-absent", "error"),
        ("video-unknown", "error"),
        ("start-not-before-end", "error"),
        ("ends-after-video", "warning"),
        ("too-many", "warning"),
        ("other-video", "warning"),
        ("id-repeated", "warning"),
        ("video-repeated", "info"),
        ("too-few", "info"),
        ("key-unknown", "info"),
    ],
)
def test_levels_say_what_a_server_or_the_official_script_would_do(kind: str, level: str) -> None:
    known = {value.name: value for value in vars(Fault).values() if isinstance(value, FaultKind)}

    assert known[kind].level == level


WHOLE_PARTS: list[tuple[str, Change, str, str]] = [
    ("task-missing", lambda d: d.pop("SVMR"), "SVMR", "is missing: a submission for validation"),
    ("task-not-a-list", lambda d: d.update(VR={}), "VR", "is an object, not a list of entries"),
    ("task-empty", lambda d: d.update(VR=[]), "VR", "has no entry"),
    ("video2idx-missing", lambda d: d.pop("video2idx"), "video2idx", "is missing"),
    ("video2idx-not-an-object", lambda d: d.update(video2idx=[]), "video2idx", "is a list, not"),
]


@pytest.mark.parametrize(("kind", "change", "part", "says"), WHOLE_PARTS)
def test_a_part_that_is_missing_or_of_another_kind_is_an_error(
    tmp_path: Path, kind: str, change: Change, part: str, says: str
) -> None:
    document = tvr_submission()
    change(document)

    checked = check_tvr_document(tmp_path, document)

    found = of_kind(checked, kind)
    assert not checked.valid and faults(checked) == [kind]
    assert found.part == part and found.message.startswith(says)


def test_one_prediction_is_not_called_one_predictions(tmp_path: Path) -> None:
    document = tvr_submission()
    entry(document, "SVMR").update(predictions=[[1, 3.0, 4.0, 0.1]])

    checked = check_tvr_document(tmp_path, document)

    assert f"{ENTRY_2.replace('VCMR', 'SVMR')}: 1 prediction" in places(checked, "too-few")
    assert places(checked, "other-video") == [
        'SVMR, entry 2 (desc_id 902): 1 of 1 prediction is not in "garden" (index 2)'
    ]


def test_a_start_at_the_very_end_is_not_called_after_it(tmp_path: Path) -> None:
    document = tvr_submission()
    predict([1, 10.0, 11.0, 0.1])(document)

    checked = check_tvr_document(tmp_path, document)

    assert of_kind(checked, "starts-after-video").message == (
        "1 prediction: the start is at the end of the video or after it"
    )


def test_several_videos_have_a_sentence_that_fits_them(tmp_path: Path) -> None:
    document = tvr_submission()
    document["video2idx"].update(roof=2, cellar=2)

    checked = check_tvr_document(tmp_path, document)

    assert of_kind(checked, "index-repeated").message == (
        "2 videos: the index of another video: they cannot be told apart"
    )


@pytest.mark.filterwarnings("error")
def test_times_beyond_what_float32_holds_are_reported_without_a_warning_of_python(
    tmp_path: Path,
) -> None:
    document = tvr_submission()
    predict([2, 1.0, 1e300, 0.1])(document)

    checked = check_tvr_document(tmp_path, document)

    assert places(checked, "ends-after-video") == [
        f"{ENTRY_2}, prediction 4: end 1e+300 is after the end of the video garden (20.0 s)"
    ]
