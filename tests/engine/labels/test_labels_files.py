"""Labels from files: every format, and everything that can be wrong with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.base.errors import Place
from tests.engine.labels.label_tables_by_hand import labels_of, read, refusal, saved, written

# ── labels from arrays ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array(["walk", "cook", "walk"]), ["walk", "cook", "walk"]),
        (np.array([2, 1, 2]), ["2", "1", "2"]),
        (np.array([2.0, 1.0, 2.0], np.float32), ["2", "1", "2"]),
        (np.array([True, False, True]), ["True", "False", "True"]),
        (np.array([b"walk", b"cook", b"walk"]), ["walk", "cook", "walk"]),
        (np.array(["日本", "café", "日本"]), ["日本", "café", "日本"]),
    ],
)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_labels_of_arrays(
    tmp_path: Path, suffix: str, array: npt.NDArray[Any], expected: list[str]
) -> None:
    found = read(saved(tmp_path / f"x{suffix}", array))

    assert labels_of(found.level) == expected
    assert found.ids is None


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1.0, 1.5, 2.0]), "row 1 (counted from 0) is '1.5', neither text nor"),
        (np.array([1.0, np.nan, 2.0]), "row 1 (counted from 0) has no label"),
        (np.array(["a", "", "b"]), "row 1 (counted from 0) has no label"),
        (np.array([["a", "b"]]), "has the shape (1, 2); one label per item is needed"),
        (np.array(["a", "b"]), "2 labels for 3 rows of embeddings"),
        (np.array([], "U1"), "0 labels for 3 rows of embeddings"),
    ],
)
def test_wrong_labels_of_arrays_are_refused(
    tmp_path: Path, array: npt.NDArray[Any], message: str
) -> None:
    path = saved(tmp_path / "x.npy", array)

    error = refusal(lambda: read(path))

    assert message in error.message
    assert error.place.file == path


# ── labels from texts ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "walk\ncook\nwalk\n",
        "walk\ncook\nwalk",
        "walk\r\ncook\r\nwalk\r\n",
        "walk \n cook\nwalk\n\n\r\n",
        "\ufeffwalk\ncook\nwalk\n",
    ],
)
@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv"])
def test_one_label_per_line_is_all_that_is_needed(tmp_path: Path, text: str, suffix: str) -> None:
    path = written(tmp_path / f"x{suffix}", text)

    assert labels_of(read(path).level) == ["walk", "cook", "walk"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_texts_are_read_whatever_they_were_saved_as(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path / "x.txt", "café\nMüll\ncafé\n", encoding)

    assert labels_of(read(path).level) == ["café", "Müll", "café"]


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv"])
@pytest.mark.parametrize("rows", [3, 2, 4, None])
def test_a_line_without_a_label_is_refused_with_its_number(
    tmp_path: Path, suffix: str, rows: int | None
) -> None:
    path = written(tmp_path / f"x{suffix}", "walk\n\nwalk\n")

    error = refusal(lambda: read(path, rows))

    assert (error.message, error.place) == ("has no label", Place(path, 2))


def test_a_blank_line_below_a_header_is_no_licence_to_move_the_labels_up(tmp_path: Path) -> None:
    # As many lines as items: without the blank one, the header would pass for a label.
    path = written(tmp_path / "x.csv", "activity\nwalk\n\ncook\n")

    error = refusal(lambda: read(path))

    assert (error.message, error.place) == ("has no label", Place(path, 3))


def test_line_breaks_in_quotes_are_no_missing_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", '"a\nb"\n"c\r\n\r\nd"\ne\n')

    assert labels_of(read(path).level) == ["a\nb", "c\r\n\r\nd", "e"]


@pytest.mark.parametrize("content", ["", "\n\n", "  \n"])
@pytest.mark.parametrize("suffix", [".txt", ".csv"])
def test_an_empty_file_is_refused(tmp_path: Path, content: str, suffix: str) -> None:
    path = written(tmp_path / f"x{suffix}", content)

    assert refusal(lambda: read(path)).message == "is empty"


def test_a_table_of_nothing_but_commas_is_empty(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", ",,\n,,\n")

    assert refusal(lambda: read(path)).message == "is empty"


def test_other_files_hold_no_labels(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", '["a"]')

    error = refusal(lambda: read(path))

    assert error.message == "cannot read labels from .json"
    assert error.hint == "accepted are .npy, .npz, .csv, .tsv and .txt (one per line)"
    assert refusal(lambda: read(tmp_path / "missing.txt")).message == "no such file"


# ── labels from tables ─────────────────────────────────────────────────────────────────────

TABLE = "slice_id,scene,object\nx1,urban,car\nx2,rural,truck\nx3,urban,car\n"


def test_a_level_is_the_column_of_its_name(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", TABLE)

    found = read(path, name="object", named=True)

    assert found.level.name == "object"
    assert labels_of(found.level) == ["car", "truck", "car"]
    assert found.ids == ("x1", "x2", "x3")
    assert found.columns["scene"] == ("urban", "rural", "urban")


def test_a_level_is_the_column_of_its_key(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", TABLE)

    found = read(path, name="object", named=True, key="scene")

    assert labels_of(found.level) == ["urban", "rural", "urban"]


@pytest.mark.parametrize(
    "text",
    [
        "slice_id,scene\nx1,urban\nx2,rural\nx3,urban\n",
        "id,scene\nx1,urban\nx2,rural\nx3,urban\n",
        "scene\nurban\nrural\nurban\n",
        "note,label\n?,urban\n?,rural\n?,urban\n",
        "Labels,note\nurban,?\nrural,?\nurban,?\n",
        'note,label\n"a, b",urban\n"""",rural\n,urban\n',
        "id;scene\nx1;urban\nx2;rural\nx3;urban\n",
        "id\tscene\nx1\turban\nx2\trural\nx3\turban\n",
    ],
)
def test_the_only_column_that_can_hold_labels_is_taken(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "x.csv", text)

    assert labels_of(read(path).level) == ["urban", "rural", "urban"]


def test_tabs_divide_a_tsv(tmp_path: Path) -> None:
    path = written(tmp_path / "x.tsv", TABLE.replace(",", "\t"))

    assert labels_of(read(path, key="scene").level) == ["urban", "rural", "urban"]


def test_several_columns_are_listed(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", TABLE)

    error = refusal(lambda: read(path))

    assert str(error) == (
        f"{path}, line 1: has several columns that could hold labels: scene, object; "
        "say which with --labels-key NAME, or --labels NAME=x.csv"
    )


def test_a_table_of_ids_alone_has_no_labels(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "slice_id\nx1\nx2\nx3\n")

    assert refusal(lambda: read(path)).message == "has no column of labels (columns: slice_id)"


def test_a_wrong_key_is_refused_with_the_nearest_column(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", TABLE)

    error = refusal(lambda: read(path, key="objekt"))

    assert error.message == "has no column 'objekt' (columns: slice_id, scene, object)"
    assert error.hint == 'did you mean "object"?'


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("id,scene\nx1,urban\nx2\nx3,urban\n", "has 1 fields, the header has 2", 3),
        ("id,scene\nx1,a, b\nx2,b\nx3,c\n", "has 3 fields, the header has 2", 2),
        ("id,scene\nx1,urban\nx2, \nx3,urban\n", "has no label", 3),
        ("scene,scene\na,a\nb,b\nc,c\n", "has the column 'scene' twice", 1),
    ],
)
def test_a_crooked_table_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str, line: int
) -> None:
    path = written(tmp_path / "x.csv", text)

    error = refusal(lambda: read(path))

    assert error.message == message
    assert error.place.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,scene\nx1,a\nx1,b\nx3,c\n", "rows 0 and 1 (counted from 0) have the same id 'x1'"),
        ("id,scene\nx1,a\n,b\nx3,c\n", "row 1 (counted from 0) has an empty id"),
    ],
)
def test_ids_name_one_item_each(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path / "x.csv", text)

    error = refusal(lambda: read(path))

    assert error.message == message
    assert error.place == Place(path, column="id")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("label\nwalk\ncook\n", "2 labels for 3 rows"),  # the header is no third label
        ("id,label\nx1,walk\nx2,cook\n", "2 labels for 3 rows"),
        ("walk\ncook\nwalk\nwalk\n", "4 labels for 3 rows"),  # the first is no header
        ("label\nwalk\ncook\nwalk\nwalk\n", "4 labels for 3 rows"),
        ("scene\n", "0 labels for 3 rows"),
    ],
)
def test_one_label_too_few_or_too_many_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path / "x.csv", text)

    error = refusal(lambda: read(path))

    assert message in error.message
    assert error.hint == "there must be one label per row, in the same order"


def test_the_name_of_a_level_is_no_label(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "scene\nwalk\ncook\n")

    assert "2 labels for 3 rows" in refusal(lambda: read(path, name="scene", named=True)).message
