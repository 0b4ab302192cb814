"""Of an archive, what is read is looked at, and no more than that."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from engine.base.errors import InputError
from engine.dataset.embeddings.read import read_embeddings
from engine.files import npy
from engine.files.budget import TooLargeError
from engine.files.npy import open_npz

ARRAY = io.BytesIO()
np.save(ARRAY, np.arange(3))


def make(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return path


def test_arrays_that_are_not_wanted_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = b"\x93NUMPY\x01\x00\xff\xff"
    path = make(tmp_path / "a.npz", wanted=ARRAY.getvalue(), other=damaged, text=b"words")
    opened = []
    open_member = zipfile.ZipFile.open

    def noted(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> object:
        opened.append(member.filename)
        return open_member(archive, member)

    monkeypatch.setattr(zipfile.ZipFile, "open", noted)
    with open_npz(path, "") as archive:
        assert archive.files == ["wanted", "other", "text"]
        assert np.array_equal(archive["wanted"], np.arange(3))
        assert np.array_equal(archive["wanted.npy"], np.arange(3))
        assert set(opened) == {"wanted.npy"}
        assert archive["text"] == b"words"
    with pytest.raises(InputError, match="is not a whole"), open_npz(path, "") as archive:
        archive["other"]
    with pytest.raises(InputError, match="is not a whole"), open_npz(path, "") as archive:
        archive["missing"]


def test_an_array_beside_a_huge_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "33MB")
    np.savez_compressed(tmp_path / "a.npz", wanted=np.arange(3), huge=np.zeros(10_000_000))
    with open_npz(tmp_path / "a.npz", "") as archive:
        assert np.array_equal(archive["wanted"], np.arange(3))
        with pytest.raises(TooLargeError, match="needs about 153 MB"):
            archive["huge"]


def test_the_one_matrix_is_found_without_unpacking_what_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_EVAL_MEMORY", "33MB")
    path = tmp_path / "a.npz"
    np.savez_compressed(path, ids=["a", "b"], features=np.eye(2), huge=np.zeros(10_000_000))
    assert read_embeddings(path).vectors.shape == (2, 2)


def test_an_archive_of_very_many_arrays_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npy, "_MOST_MEMBERS", 2)
    path = make(tmp_path / "a.npz", **dict.fromkeys("abc", b""))
    with pytest.raises(InputError, match="has 3 members; store what belongs"), open_npz(path, ""):
        pass


@pytest.mark.parametrize(
    ("damage", "said"),
    [(b"{{{{{{{{", "its header is damaged"), (b"['descr'", "Cannot parse header")],
)
def test_what_numpy_quotes_of_a_damaged_header_is_left_out(
    tmp_path: Path, damage: bytes, said: str
) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, a=np.ones(3))
    with zipfile.ZipFile(path) as archive:
        data = archive.read("a.npy")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", data.replace(b"{'descr'", damage, 1))

    with pytest.raises(InputError) as caught, open_npz(path, "") as archive:
        _ = archive["a"]

    assert caught.value.message == f"is not a whole .npz file ({said})"
