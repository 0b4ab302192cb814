"""Embeddings and labels from files: every format, and everything that can be wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.errors import InputError, Place
from engine.labels.arrays import as_embeddings, check_embeddings, read_array, read_embeddings_array
from engine.labels.directions import Direction
from engine.labels.files import LabelFiles, LevelFile
from engine.labels.label_files import LevelRead, read_level
from engine.labels.labelled import Labelled, read_labelled
from engine.labels.level import Level

ROWS = 3
PICKLED = "holds pickled Python objects, which can run code and are not read"


def refusal(call: Callable[[], object]) -> InputError:
    with pytest.raises(InputError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return caught.value


def labels_of(level: Level) -> list[str]:
    return [level.names[code] for code in level.codes]


def read(path: Path, rows: int | None = ROWS, **given: Any) -> LevelRead:
    return read_level(LevelFile(given.pop("name", "label"), path, **given), rows)


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def saved(path: Path, *arrays: npt.ArrayLike, **named: npt.ArrayLike) -> Path:
    if path.suffix == ".npy":
        np.save(path, *arrays)
    else:
        np.savez(path, *arrays, **named)
    return path


def objects(rows: list[list[float]]) -> npt.NDArray[np.object_]:
    """An array of arrays, as a careless np.save of a list makes it."""
    array = np.empty(len(rows), object)
    for place, row in enumerate(rows):
        array[place] = np.array(row)
    return array


# ── pickled objects ────────────────────────────────────────────────────────────────────────


class Trap:
    """Unpickling it would leave a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., None], tuple[Path]]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
@pytest.mark.parametrize("what", ["embeddings", "labels"])
def test_pickled_objects_are_refused_and_never_run(tmp_path: Path, suffix: str, what: str) -> None:
    mark = tmp_path / "was run"
    path = saved(tmp_path / f"x{suffix}", np.array([Trap(mark)], object))

    error = refusal(
        lambda: read_embeddings_array(path, None, "--key") if what == "embeddings" else read(path)
    )

    assert error.message == PICKLED
    assert error.place == Place(path)
    assert not mark.exists()


def convert(error: InputError, path: Path) -> None:
    """Do what the hint says."""
    before, _, command = error.hint.partition(": ")
    assert before == "convert it once, where you trust it"
    exec(command, {"np": np, "path": path})


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_the_hint_makes_pickled_embeddings_readable(tmp_path: Path, suffix: str) -> None:
    path = saved(tmp_path / f"x{suffix}", objects([[1, 2], [3, 4]]))

    convert(refusal(lambda: read_embeddings_array(path, None, "--key")), path)

    assert read_embeddings_array(path, None, "--key").tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_the_hint_makes_pickled_labels_readable(tmp_path: Path, suffix: str) -> None:
    path = saved(tmp_path / f"x{suffix}", np.array(["walk", 7, "café"], object))

    convert(refusal(lambda: read(path)), path)

    assert labels_of(read(path).level) == ["walk", "7", "café"]


def test_the_hint_leaves_the_other_arrays_of_an_archive_alone(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.npz", emb=np.eye(3), labels=np.array(["a", "b", "c"], object))

    convert(refusal(lambda: read(path, key="labels")), path)

    assert labels_of(read(path, key="labels").level) == ["a", "b", "c"]
    assert read_embeddings_array(path, "emb", "--key").tolist() == np.eye(3).tolist()


def test_a_bare_pickle_under_the_name_of_an_array_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(b"\x80\x04\x95")

    assert refusal(lambda: read_embeddings_array(path, None, "--key")).message == PICKLED


# ── arrays and their keys ──────────────────────────────────────────────────────────────────


def test_a_sole_array_needs_no_key(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.npz", anything=np.eye(2))

    assert read_array(path, None, "--key", convert="").tolist() == np.eye(2).tolist()


def test_of_several_arrays_the_key_chooses(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.npz", one=np.eye(2), two=np.ones((2, 2)))

    assert read_array(path, "two", "--key", convert="").tolist() == [[1, 1], [1, 1]]


def test_several_arrays_without_a_key_are_listed(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.npz", sensor=np.eye(2), text=np.eye(2))

    error = refusal(lambda: read_embeddings_array(path, None, "--sensor-key"))

    assert str(error) == (
        f"{path}: holds 2 arrays: 'sensor', 'text'; say which with --sensor-key NAME"
    )


def test_a_wrong_key_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.npz", sensor=np.eye(2), text=np.eye(2))

    error = refusal(lambda: read_embeddings_array(path, "sensors", "--sensor-key"))

    assert str(error) == (
        f"{path}: has no array 'sensors'; it holds 'sensor', 'text'; did you mean \"sensor\"?"
    )
    far = refusal(lambda: read_embeddings_array(path, "q", "--sensor-key"))
    assert far.hint == "say which with --sensor-key NAME"


@pytest.mark.parametrize(
    ("name", "text"), [("x.npy", "an .npy holds one array"), ("x.txt", "a .txt holds one label")]
)
def test_a_key_for_a_file_that_holds_one_thing_is_refused(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    _ = saved(path, np.array(["a"])) if path.suffix == ".npy" else written(path, "a\n")

    error = refusal(lambda: read(path, 1, key="l1"))

    assert error.message.startswith(text)
    assert "--labels-key l1 names one of several" in error.message
    assert error.hint == "leave --labels-key out"


def test_a_level_that_the_user_named_may_be_the_name_of_its_array(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.npz", l1=np.arange(3), l2=np.zeros(3, int))

    assert labels_of(read(path, name="l2", named=True).level) == ["0", "0", "0"]
    assert "holds 2 arrays" in refusal(lambda: read(path, name="l2")).message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.npy", b"", "the file is empty"),
        ("x.npy", b"no array", "is not a whole .npy file"),
        ("x.npz", b"no archive", "is not a whole .npz file"),
        ("x.parquet", b"PAR1", "cannot read an array from .parquet"),
        ("x", b"?", "cannot read an array from a file without extension"),
    ],
)
def test_what_is_no_array_file_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)

    error = refusal(lambda: read_embeddings_array(tmp_path / name, None, "--key"))

    assert error.message.startswith(message)
    assert error.hint


def test_files_that_are_not_there_folders_and_cut_files_are_refused(tmp_path: Path) -> None:
    whole = saved(tmp_path / "whole.npy", np.ones((50, 8))).read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-100])
    (tmp_path / "folder.npy").mkdir()

    def message(name: str) -> str:
        return refusal(lambda: read_embeddings_array(tmp_path / name, None, "--key")).message

    assert message("missing.npy") == "no such file"
    assert message("folder.npy") == "is a folder, not a file"
    assert message("cut.npy").startswith("is not a whole .npy file")
    saved(tmp_path / "none.npz")
    assert message("none.npz") == "holds no array"


# ── embeddings ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("float16", "float32"),
        ("float32", "float32"),
        (">f4", "float32"),
        ("float64", "float64"),
        ("longdouble", "float64"),
        ("int8", "float64"),
        ("uint64", "float64"),
    ],
)
def test_embeddings_are_numbers_of_any_kind(tmp_path: Path, given: str, kept: str) -> None:
    path = saved(tmp_path / "x.npy", np.array([[1, 2], [3, 4]], dtype=given))

    vectors = read_embeddings_array(path, None, "--key")

    assert vectors.dtype == np.dtype(kept)
    assert vectors.tolist() == [[1, 2], [3, 4]]


def test_columns_first_and_strided_arrays_have_the_same_rows(tmp_path: Path) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)

    for other in (np.asfortranarray(array), np.repeat(array, 2, axis=1)[:, ::2]):
        assert as_embeddings(other).tolist() == array.tolist()
        path = saved(tmp_path / "x.npy", other)
        assert read_embeddings_array(path, None, "--key").tolist() == array.tolist()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones(3), "has the shape (3,); rows × dimensions is needed"),
        (np.ones((2, 2, 2)), "has the shape (2, 2, 2); rows × dimensions is needed"),
        (np.ones((0, 4)), "has the shape (0, 4); rows × dimensions is needed"),
        (np.ones((4, 0)), "has the shape (4, 0); rows × dimensions is needed"),
        (np.array([["1", "2"]]), "holds <U1, not numbers"),
        (np.array([[True]]), "holds bool, not numbers"),
        (np.array([[1j]]), "holds complex128, not numbers"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(
    tmp_path: Path, array: npt.NDArray[Any], message: str
) -> None:
    path = saved(tmp_path / "x.npy", array)

    error = refusal(lambda: read_embeddings_array(path, None, "--key"))

    assert error.message == message
    assert error.place == Place(path)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e39])
@pytest.mark.parametrize("row", [0, 9000])
def test_a_value_that_cannot_be_compared_is_refused_with_its_row(bad: float, row: int) -> None:
    vectors = np.ones((9001, 2))
    vectors[row, 1] = bad

    error = refusal(lambda: check_embeddings(vectors, directions=False, place=Place("x.npy")))

    assert error.message == (
        f"row {row} (counted from 0) has a value that is NaN, infinite or too large for float32"
    )


def test_zero_vectors_have_no_direction_but_an_inner_product() -> None:
    vectors = np.ones((9001, 2), np.float32)
    vectors[9000] = 0

    check_embeddings(vectors, directions=False)
    error = refusal(lambda: check_embeddings(vectors, directions=True))

    assert error.message.startswith("row 9000 (counted from 0) is all zeros")
    assert "--no-normalize" in error.hint


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


# ── all of it together ─────────────────────────────────────────────────────────────────────


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two modalities of three items, and a table of two levels."""
    saved(tmp_path / "sensor.npy", np.eye(3, dtype=np.float32))
    saved(tmp_path / "text.npy", np.eye(3, dtype=np.float32)[::-1])
    written(tmp_path / "labels.csv", TABLE)
    return tmp_path


def files_of(home: Path, *levels: str, **changes: Any) -> LabelFiles:
    usual = {"a": home / "sensor.npy", "b": home / "text.npy"}
    found = tuple(
        LevelFile.parse(f"{name}={home / path}" if name else str(home / path))
        for name, _, path in (level.rpartition("=") for level in levels)
    )
    return LabelFiles(**{**usual, **changes}, levels=found)


def test_two_levels_of_one_table_are_read_with_the_ids(home: Path) -> None:
    data = read_labelled(files_of(home, "scene=labels.csv", "object=labels.csv"))

    assert [level.name for level in data.levels] == ["scene", "object"]
    assert labels_of(data.levels[1]) == ["car", "truck", "car"]
    assert data.ids == ("x1", "x2", "x3")
    assert list(data.vectors) == ["sensor", "text"]
    assert data.metric == "cosine"
    assert len(data) == 3


def test_without_ids_the_rows_numbers_name_the_items(home: Path) -> None:
    written(home / "plain.txt", "a\nb\na\n")

    data = read_labelled(files_of(home, "plain.txt", b=None, name_a="video"))

    assert data.ids == ("0", "1", "2")
    assert list(data.vectors) == ["video"]


def test_everything_may_lie_in_one_archive(home: Path) -> None:
    saved(home / "all.npz", s=np.eye(3), t=np.ones((3, 3)), labels=np.array([1, 2, 1]))
    level = LevelFile("label", home / "all.npz", "labels")

    data = read_labelled(LabelFiles(home / "all.npz", (level,), home / "all.npz", "s", "t"))

    assert data.vectors["text"].tolist() == np.ones((3, 3)).tolist()
    assert labels_of(data.levels[0]) == ["1", "2", "1"]


def test_levels_of_one_name_are_refused(home: Path) -> None:
    error = refusal(lambda: read_labelled(files_of(home, "l1=labels.csv", "l1=labels.csv")))

    assert error.message == "two levels of labels are called 'l1'"
    assert "--labels l1=FILE --labels l2=FILE" in error.hint


def test_no_level_is_refused(home: Path) -> None:
    assert refusal(lambda: read_labelled(files_of(home))).message == "no labels are named"


def test_modalities_of_different_length_are_refused_with_both_files(home: Path) -> None:
    saved(home / "text.npy", np.eye(4))

    error = refusal(lambda: read_labelled(files_of(home, "scene=labels.csv")))

    assert error.message == f"4 rows of text for 3 rows of sensor ({home / 'sensor.npy'})"
    assert error.place == Place(home / "text.npy")


def test_labels_of_different_length_are_refused(home: Path) -> None:
    saved(home / "labels.npy", np.arange(4))

    error = refusal(lambda: read_labelled(files_of(home, "labels.npy")))

    assert error.message == "4 labels for 3 rows of embeddings"
    assert error.place.file == home / "labels.npy"


def test_tables_that_name_different_items_in_a_row_are_refused(home: Path) -> None:
    written(home / "other.csv", "slice_id,l2\nx1,a\nx3,b\nx2,a\n")

    error = refusal(lambda: read_labelled(files_of(home, "scene=labels.csv", "l2=other.csv")))

    assert error.message == (
        f"row 1 (counted from 0) is 'x3', and 'x2' in {home / 'labels.csv'}"
    )  # fmt: skip
    assert error.place == Place(home / "other.csv")


@pytest.mark.parametrize("side", ["sensor", "text"])
@pytest.mark.parametrize(("bad", "message"), [(np.nan, "NaN"), (0.0, "is all zeros")])
def test_vectors_that_have_no_cosine_are_refused_with_their_file(
    home: Path, side: str, bad: float, message: str
) -> None:
    vectors = np.eye(3)
    vectors[1] = bad
    saved(home / f"{side}.npy", vectors)

    error = refusal(lambda: read_labelled(files_of(home, "scene=labels.csv")))

    assert error.message.startswith("row 1 (counted from 0)")
    assert message in error.message
    assert error.place == Place(home / f"{side}.npy")


def test_zero_vectors_are_accepted_where_lengths_count(home: Path) -> None:
    saved(home / "sensor.npy", np.zeros((3, 3)))

    data = read_labelled(files_of(home, "scene=labels.csv", normalize=False))

    assert data.metric == "ip"


def test_keys_of_embeddings_are_asked_for_by_the_option_of_their_side(home: Path) -> None:
    saved(home / "two.npz", x=np.eye(3), y=np.eye(3))

    for side, option in (("a", "--sensor-key"), ("b", "--text-key")):
        files = files_of(home, "scene=labels.csv", **{side: home / "two.npz"})
        assert refusal(lambda files=files: read_labelled(files)).hint == (
            f"say which with {option} NAME"
        )


def test_a_direction_between_spaces_of_different_dimensions_is_refused() -> None:
    level = Level.of("label", ["a", "b"])
    data = Labelled({"sensor": np.ones((2, 3)), "text": np.ones((2, 5))}, (level,), ("0", "1"))

    data.check(Direction("sensor", "sensor"))
    data.check(Direction("prototype", "text"))
    error = refusal(lambda: data.check(Direction("text", "sensor")))

    assert error.message == "text2sensor: text has 5 dimensions, sensor has 3"
