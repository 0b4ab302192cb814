"""The check of zips: both files at the top, under their names, and nothing else."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import InputError
from engine.moments.check.submission import CheckRequest, SubmissionCheck, check_submission
from tests.engine.moments.submissions_by_hand import (
    faults,
    of_kind,
    places,
    qvh_submission,
    tvr_submission,
    tvr_test_submission,
    tvr_test_truth,
    tvr_truth,
    write_lines,
)

VAL, TEST = "tvr_val_submission.json", "tvr_test_public_submission.json"
HL_VAL, HL_TEST = "hl_val_submission.jsonl", "hl_test_submission.jsonl"


def good() -> dict[str, str]:
    return {VAL: json.dumps(tvr_submission()), TEST: json.dumps(tvr_test_submission())}


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def pack(folder: Path, files: dict[str, str], **options: Any) -> Path:
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w", options.pop("compression", zipfile.ZIP_DEFLATED)) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def check(folder: Path, files: dict[str, str], **options: Any) -> SubmissionCheck:
    return check_submission(CheckRequest(pack(folder, files), **options))


def test_a_good_zip_has_no_error_and_no_warning(tmp_path: Path) -> None:
    truth = write_lines(tmp_path / "val.jsonl", tvr_truth())
    test_truth = write_lines(tmp_path / "test.jsonl", tvr_test_truth())

    checked = check(tmp_path, good(), zipped=True, truth=truth, test_truth=test_truth)

    assert checked.benchmark == "tvr" and checked.split is None
    assert faults(checked) == []
    assert {fault.file for fault in checked.faults} == {VAL, TEST}


def test_each_file_is_held_against_its_own_ground_truth(tmp_path: Path) -> None:
    truth = write_lines(tmp_path / "val.jsonl", tvr_truth()[:2])
    test_truth = write_lines(tmp_path / "test.jsonl", [*tvr_test_truth(), {"desc_id": 5}])

    checked = check(tmp_path, good(), truth=truth, test_truth=test_truth)

    extra = [f.file for f in checked.faults if f.kind.name == "id-extra"]
    absent = [f.file for f in checked.faults if f.kind.name == "id-absent"]
    assert extra == [VAL] * 3 and absent == [TEST] * 2
    assert places(checked, "id-extra")[0].startswith(f"{VAL}, VCMR, entry 3 (desc_id 903): ")


def test_svmr_is_wanted_in_the_validation_file_alone(tmp_path: Path) -> None:
    swapped = {VAL: json.dumps(tvr_test_submission()), TEST: json.dumps(tvr_submission())}

    checked = check(tmp_path, swapped)

    assert (of_kind(checked, "task-missing").file, of_kind(checked, "task-unwanted").file) == (
        VAL,
        TEST,
    )


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    checked = check(tmp_path, {VAL: good()[VAL]})

    assert faults(checked) == ["file-missing"]
    assert of_kind(checked, "file-missing").message == f"there is no {TEST}"


def test_a_folder_around_the_files_is_an_error_and_they_are_checked_all_the_same(
    tmp_path: Path,
) -> None:
    document = tvr_submission()
    document["VCMR"][0]["predictions"] = []
    files = {"run1/": "", f"run1/{VAL}": json.dumps(document), f"run1/{TEST}": good()[TEST]}

    checked = check(tmp_path, files)

    assert faults(checked) == ["file-in-folder", "file-in-folder", "predictions-empty"]
    assert places(checked, "predictions-empty") == [
        f"run1/{VAL}, VCMR, entry 1 (desc_id 901): has no prediction"
    ]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("tvr_val_submision.json", VAL),
        ("val_submission.json", VAL),
        ("TVR_VAL_SUBMISSION.JSON", VAL),
        ("tvr_test_submission.json", TEST),
        ("tvr_test_public.json", TEST),
    ],
)
def test_a_wrong_name_is_an_error_with_the_right_one(
    tmp_path: Path, name: str, wanted: str
) -> None:
    files = {(name if own == wanted else own): text for own, text in good().items()}

    checked = check(tmp_path, files)

    assert faults(checked) == ["file-misnamed"]
    assert places(checked, "file-misnamed") == [f"{name}: did you mean {wanted}?"]


@pytest.mark.parametrize(
    "name", ["__MACOSX/._tvr_val_submission.json", ".DS_Store", "readme.txt", f"old/{VAL}"]
)
def test_what_does_not_belong_there_is_a_warning(tmp_path: Path, name: str) -> None:
    checked = check(tmp_path, {name: "x", **good()})

    assert checked.valid and faults(checked) == ["file-extra"]
    assert places(checked, "file-extra") == [f"{name}: not needed"]


def test_a_name_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    path = pack(tmp_path, good())
    with pytest.warns(UserWarning), zipfile.ZipFile(path, "a") as archive:
        archive.writestr(VAL, good()[VAL])

    checked = check_submission(CheckRequest(path))

    assert faults(checked) == ["file-repeated"]
    assert places(checked, "file-repeated") == [f"{VAL}: 2 times"]


def test_a_file_that_is_no_json_does_not_hide_the_other(tmp_path: Path) -> None:
    document = tvr_test_submission()
    document["VR"] = []

    checked = check(tmp_path, {VAL: '{"video2idx":\n,', TEST: json.dumps(document)})

    assert faults(checked) == ["not-readable", "task-empty"]
    found = of_kind(checked, "not-readable")
    assert (found.file, found.message) == (VAL, "line 2: is not valid JSON (Expecting value)")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "not-readable"),
        ("\ufeff" + json.dumps(tvr_submission()), "byte-order-mark"),
    ],
)
def test_the_bytes_of_a_file_in_the_zip_are_looked_at(tmp_path: Path, text: str, kind: str) -> None:
    assert faults(check(tmp_path, {**good(), VAL: text})) == [kind]


def test_a_locked_file_is_an_error(tmp_path: Path) -> None:
    path = pack(tmp_path, good())
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    data[central + 8] |= 1  # the flag that says: encrypted
    path.write_bytes(data)

    checked = check_submission(CheckRequest(path))

    assert faults(checked) == ["file-encrypted"]
    assert places(checked, "file-encrypted") == [f"{VAL}: needs a password"]


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    path = pack(tmp_path, good(), compression=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"fridge", b"frodge"))

    checked = check_submission(CheckRequest(path))

    assert set(faults(checked)) == {"file-damaged"}
    assert "Bad CRC-32" in places(checked, "file-damaged")[0]


def test_a_zip_that_was_cut_off_is_one_line(tmp_path: Path) -> None:
    path = pack(tmp_path, good())
    path.write_bytes(path.read_bytes()[:-30])

    with pytest.raises(InputError, match="is a damaged zip file"):
        check_submission(CheckRequest(path))


def test_a_zip_that_grows_beyond_measure_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = pack(tmp_path, good())
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 3 << 30)  # the size it says it has
    path.write_bytes(data)

    with pytest.raises(InputError, match="needs about 18 GB of memory"):
        check_submission(CheckRequest(path))


def test_an_empty_zip_lacks_both_files(tmp_path: Path) -> None:
    assert faults(check(tmp_path, {})) == ["file-missing", "file-missing"]


def test_a_zip_is_known_by_its_content_and_can_be_required(tmp_path: Path) -> None:
    path = pack(tmp_path, good()).rename(tmp_path / "submission.dat")
    plain = tmp_path / "submission.zip"
    plain.write_text(good()[VAL])

    assert faults(check_submission(CheckRequest(path))) == []
    with pytest.raises(InputError, match=r"submission\.zip: is not a zip file; leave out --zip"):
        check_submission(CheckRequest(plain, zipped=True))
    with pytest.raises(InputError, match="no such file"):
        check_submission(CheckRequest(tmp_path / "none.zip", zipped=True))


def test_a_zip_of_qvhighlights_is_known_by_its_names(tmp_path: Path) -> None:
    text = lines(qvh_submission())

    checked = check(tmp_path, {HL_VAL: text, HL_TEST: text})
    misnamed = check(tmp_path, {HL_VAL: text, "hl_test_submision.jsonl": text})

    assert checked.benchmark == "qvh" and faults(checked) == []
    assert places(misnamed, "file-misnamed") == [
        f"hl_test_submision.jsonl: did you mean {HL_TEST}?"
    ]


@pytest.mark.parametrize("name", ["", "/", "a/"])
def test_a_member_without_a_name_is_passed_over(tmp_path: Path, name: str) -> None:
    path = pack(tmp_path, good())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"")

    checked = check_submission(CheckRequest(path))

    assert {fault.level for fault in checked.faults if fault.file in (VAL, TEST)} <= {"info"}


@pytest.mark.parametrize("line", ["{}", "x", "[]"])
def test_millions_of_lines_are_not_read_one_by_one(tmp_path: Path, line: str) -> None:
    many = f"{line}\n" * 1_000_000
    checked = check(tmp_path, {HL_VAL: many, HL_TEST: lines(qvh_submission())})

    assert "1,000,000 lines, no submission does" in of_kind(checked, "not-readable").message


def test_millions_of_entries_are_not_read_one_by_one(tmp_path: Path) -> None:
    checked = check(tmp_path, {**good(), VAL: f'{{"VCMR": [{"1," * 1_000_000}1]}}'})

    said = of_kind(checked, "not-readable").message
    assert "VCMR has 1,000,001 entries, no submission does" in said


def test_a_small_zip_that_would_take_all_memory_is_refused(tmp_path: Path) -> None:
    checked = check(tmp_path, {VAL: "\n" * 8_000_000 + "{}", TEST: json.dumps(tvr_submission())})

    assert "needs about" in of_kind(checked, "not-readable").message
