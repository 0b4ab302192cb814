"""Arrays of files: pickles refused, keys chosen, and embeddings that can be compared."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.base.errors import InputError, Place
from engine.files.npy import as_embeddings
from engine.labels.data.array_files import check_embeddings, read_array, read_embeddings_array
from tests.engine.labels.label_tables_by_hand import labels_of, read, refusal, saved, written

PICKLED = "holds pickled Python objects, which can run code and are not read"


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
        ("x", b"?", "cannot read an array from a file without an extension"),
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


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
@pytest.mark.parametrize("code", [0x110000, 0xFFFFFFFF, 0xD800])
def test_a_number_that_is_no_character_is_named(tmp_path: Path, suffix: str, code: int) -> None:
    labels = np.array(["ab", "cd", "ef"])
    labels.view(np.uint32)[3] = code
    path = saved(tmp_path / f"labels{suffix}", labels)

    error = refusal(lambda: read(path))

    assert f"text 1 (counted from 0) holds {code:#x}, which is no character" in str(error)


def test_texts_of_the_other_byte_order_are_read(tmp_path: Path) -> None:
    path = saved(tmp_path / "labels.npy", np.array(["é", "b", "c"]).astype(">U1"))

    assert labels_of(read(path).level) == ["é", "b", "c"]


def test_a_member_without_a_name_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.npz", np.arange(3))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"")

    assert "a member has no name" in str(refusal(lambda: read(path)))


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
@pytest.mark.parametrize("kind", ["|S0", "<U0", "|V0"])
def test_entries_without_a_byte_are_not_counted_through(
    tmp_path: Path, suffix: str, kind: str
) -> None:
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (9000000000,)}}\n".encode()
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    path = tmp_path / f"labels{suffix}"
    path.write_bytes(array)
    if suffix == ".npz":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("labels.npy", array)

    assert "its entries have no bytes" in str(refusal(lambda: read(path)))
