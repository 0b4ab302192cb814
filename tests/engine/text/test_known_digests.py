"""The digest of a large file is taken once, and again as soon as the file may be another one."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

import engine.text.known_digests as known
from engine.files.protection import (
    OverwritingError,
    claim_output,
    protect_listed,
    protecting_inputs,
)
from engine.text.known_digests import find_digest
from tui.cli.shared.own_files import list_own_files

CONTENT = b"weights"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
NOTE = f"verified-{DIGEST[:16]}"


class Model:
    """A file whose note is in a cache of its own, and how often it was read."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file, self.cache, self.reads = folder / "model", folder / "cache", 0
        self.file.write_bytes(CONTENT)
        hash_file = known.hash_file

        def counted(path: Path) -> str:
            self.reads += 1
            return hash_file(path)

        monkeypatch.setattr(known, "hash_file", counted)
        monkeypatch.setattr(known, "_SETTLED", 0.0)  # the files of these tests are all young
        monkeypatch.setenv("TUI_EVAL_CACHE", str(self.cache))

    @property
    def note(self) -> Path:
        return self.cache / NOTE

    def find(self) -> str:
        return find_digest(self.file, DIGEST)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    return Model(tmp_path, monkeypatch)


def test_a_file_that_is_the_same_is_not_read_again(model: Model) -> None:
    assert [model.find(), model.find()] == [DIGEST, DIGEST]
    assert model.reads == 1


def test_the_note_is_for_its_user_alone(model: Model) -> None:
    model.find()

    assert model.note.stat().st_mode & 0o777 == 0o600
    assert model.cache.stat().st_mode & 0o777 == 0o700


def test_other_bytes_of_the_same_length_and_time_are_found_out(model: Model) -> None:
    model.find()
    before = model.file.stat()

    model.file.write_bytes(CONTENT[::-1])
    os.utime(model.file, ns=(before.st_atime_ns, before.st_mtime_ns))  # as if nothing had been

    assert model.find() == hashlib.sha256(CONTENT[::-1]).hexdigest()


def test_a_file_put_in_its_place_is_found_out(model: Model) -> None:
    model.find()

    other = model.file.with_name("other")
    other.write_bytes(CONTENT[::-1])
    other.replace(model.file)

    assert model.find() != DIGEST


def test_what_was_not_as_expected_is_not_remembered(model: Model) -> None:
    model.file.write_bytes(b"damaged")

    assert model.find() != DIGEST
    assert not model.note.exists()


@pytest.mark.parametrize("age", [8 * 24 * 3600, -3600])
def test_a_note_of_long_ago_or_of_the_future_is_not_believed(age: int, model: Model) -> None:
    model.find()
    written = time.time() - age
    os.utime(model.note, (written, written))

    model.find()

    assert model.reads == 2


def test_a_note_that_others_could_have_written_is_not_believed(model: Model) -> None:
    model.find()
    model.note.chmod(0o666)

    model.find()

    assert model.reads == 2


@pytest.mark.parametrize("text", ["", "7", "1 2", "1 " * 5_000, "\x00é"])
def test_a_note_that_makes_no_sense_is_written_anew(text: str, model: Model) -> None:
    model.cache.mkdir()
    model.note.write_text(text, encoding="utf-8")

    assert [model.find(), model.find()] == [DIGEST, DIGEST]
    assert model.reads == 1


def test_a_file_that_was_written_just_now_is_read_each_time(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "_SETTLED", 60.0)

    model.find()
    model.find()

    assert model.reads == 2


def test_where_nothing_can_be_remembered_it_is_read_each_time(model: Model) -> None:
    model.cache.write_text("a file in the place of the folder", encoding="utf-8")

    assert [model.find(), model.find()] == [DIGEST, DIGEST]
    assert model.reads == 2


def test_a_note_is_renewed_though_no_output_may_be_written_over_it(model: Model) -> None:
    with protecting_inputs():
        protect_listed(list_own_files)
        model.find()
        for spoil in (lambda: os.utime(model.note, (0, 0)), lambda: model.note.write_text("7")):
            spoil()
            model.reads = 0
            assert [model.find(), model.find()] == [DIGEST, DIGEST]
            assert model.reads == 1
        with pytest.raises(OverwritingError):
            claim_output(model.note)
