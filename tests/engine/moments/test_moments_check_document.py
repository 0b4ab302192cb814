"""Submissions are read as written: arrays where that loses nothing, else what JSON says."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import InputError, Place
from engine.files.text import JsonObject
from engine.moments.check.submission import CheckRequest, check_submission
from engine.moments.check.submission_fault import FaultLog
from engine.moments.check.tvr import CheckReferences, check_tvr, parse_submission
from tests.engine.moments.submissions_by_hand import faults, of_kind, places, tvr_submission
from tests.examples import examples

NUMBERS = ("0", "-0.0", "7", "1.5", "-2e3", "1e999", "-1e999", "NaN", "1" + "0" * 400)
VALUES = (*NUMBERS, "null", '"3"', "true", "[1]", "{}")
PLACE = Place(Path("val.json"))


def parsed(predictions: str) -> Any:
    return parse_submission(f'{{"predictions": {predictions}}}'.encode(), PLACE)["predictions"]


def submission_with(predictions: str) -> bytes:
    """A submission whose second entry of VCMR has these predictions, whatever they are."""
    document = tvr_submission()
    document["VCMR"][1]["predictions"] = "here"
    return json.dumps(document, indent=1).replace('"here"', predictions).encode()


@pytest.mark.parametrize("rows", ["[[1, 2, 3.5, 4]]", "[[1,2,3],[4, 5e0 ,\n6]]"])
def test_rows_of_three_or_of_four_numbers_are_an_array(rows: str) -> None:
    found = parsed(rows)

    assert isinstance(found, np.ndarray) and found.tolist() == json.loads(rows)


@pytest.mark.parametrize(
    "rows",
    ["[]", "[5]", "[[5]]", "[[]]", "[[1, 2, 3, 4, 5]]", "[[1, 2, 3], [1, 2, 3, 4]]",
     "[[1, 2, 3, null]]", "[[1, 1e999, 3]]", "[[1, 2, 3, -1e999]]", f"[[1, -1{'0' * 400}, 3, 4]]",
     '"rows:0"', "{}", "[[[1, 2, 3]]]"],
)  # fmt: skip
def test_all_else_is_what_json_says(rows: str) -> None:
    found = parsed(rows)

    assert not isinstance(found, np.ndarray) and found == json.loads(rows)


def test_a_text_cannot_pass_for_a_list() -> None:
    texts = [f'"\\u0072ows:{what}"' for what in ("0", "x", ":0", "99")]

    records = [f'{{"predictions": {value}}}' for value in ("[[1, 2, 3]]", *texts)]
    document = parse_submission(f"[{', '.join(records)}]".encode(), PLACE)

    assert [record["predictions"] for record in document[1:]] == list(map(json.loads, texts))


def test_keys_that_repeat_are_known_also_beside_lists() -> None:
    text = '{"a": 1, "predictions": [[1, 2, 3]], "a": 2, "predictions": [[4, 5, 6]]}'

    found = parse_submission(text.encode(), PLACE)

    assert isinstance(found, JsonObject) and found.repeated == ("a", "predictions")
    assert found["a"] == 2 and found["predictions"].tolist() == [[4, 5, 6]]


@pytest.mark.parametrize(
    "rows",
    ["[[1, 2, 3, 4],\n[1, 2,, 4]]", "[[1, 2, 3, 4],\n[1, 2, 03, 4]]", "[[1, 2],\n[1, 2 2]]",
     "[\n5 5]", "[[1, 2, 3, 4],\n[1, 2, 3, 4] 5]", "[[1, 2, 3, 4],\n[1, 2, 3, 4]"],
)  # fmt: skip
def test_broken_numbers_are_one_error_with_their_line(rows: str) -> None:
    before = submission_with(rows).partition(rows.encode())[0].count(b"\n")

    with pytest.raises(InputError, match=r"is not valid JSON \(") as reported:
        parse_submission(submission_with(rows), PLACE)

    assert reported.value.place.file == PLACE.file
    assert reported.value.place.line is not None and reported.value.place.line >= before + 2


@pytest.mark.parametrize("rows", ["[[1, 2, {}, 4]]", "[[1, 2, {}]]", "[[{}]]", "[{}]", "{}"])
def test_numbers_of_thousands_of_digits_are_one_error(rows: str) -> None:
    data = submission_with(rows.format("-" + "9" * 5000))

    with pytest.raises(InputError, match=r"too long|thousands of digits") as reported:
        parse_submission(data, PLACE)

    assert reported.value.place.file == PLACE.file


def test_a_broken_list_in_a_zip_is_reported_and_nothing_else_of_that_file(tmp_path: Path) -> None:
    path = tmp_path / "s.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tvr_val_submission.json", submission_with("[[1, 2,, 4]]"))
        archive.writestr("tvr_test_public_submission.json", "{}".encode("utf-16-be"))

    checked = check_submission(CheckRequest(path))

    reported = [f for f in checked.faults if f.kind.name == "not-readable"]
    assert faults(checked) == ["not-readable"] * 2
    assert reported[0].message.startswith("line ") and "is not valid JSON (" in reported[0].message
    assert reported[1].message == "line 1: is not UTF-8 text; save it as UTF-8"


def test_a_number_that_is_not_finite_is_shown_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "val.json"
    path.write_bytes(submission_with("[[2, 1e999, 4, 1], [2, 3, -2" + "0" * 400 + ", 1]]"))

    checked = check_submission(CheckRequest(path))

    first, second = places(checked, "not-finite")
    assert of_kind(checked, "not-finite").count == 2
    assert first == "VCMR, entry 2 (desc_id 902), prediction 1: the start is Infinity"
    assert second.startswith("VCMR, entry 2 (desc_id 902), prediction 2: the end is -2000")


rows = st.lists(st.lists(st.sampled_from(NUMBERS), min_size=3, max_size=4), max_size=4)
odd_rows = st.lists(st.lists(st.sampled_from(VALUES), max_size=5), max_size=4)


@examples(100)
@given(st.lists(rows | odd_rows, min_size=1, max_size=4))
def test_faults_do_not_depend_on_how_a_list_is_read(lists: list[list[list[str]]]) -> None:
    texts = [str(own).replace("'", "") for own in lists]
    entries = [
        f'{{"desc_id": {n}, "desc": "x", "predictions": {text}}}' for n, text in enumerate(texts)
    ]
    text = f'{{"video2idx": {{"a": 0, "b": 7}}, "VCMR": [{", ".join(entries)}]}}'
    # A key in other letters is the same key; only the quick way does not know it.
    plainly = text.replace('"predictions"', '"predict\\u0069ons"')

    quick, plain = FaultLog(limit=0), FaultLog(limit=0)
    check_tvr(text.encode(), Place(), "val", CheckReferences(), quick)
    check_tvr(plainly.encode(), Place(), "val", CheckReferences(), plain)

    assert quick.faults == plain.faults
