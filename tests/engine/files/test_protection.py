"""An output is never one of the inputs, whichever of the two is named first and however."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.files.atomic import add_text, replace_whole, write_whole
from engine.files.protection import (
    OverwritingError,
    claim_output,
    name_same_file,
    protect_input,
    protect_listed,
    protecting_inputs,
)


def spell_otherwise(file: Path) -> Path:
    return file.parent / ".." / file.parent.name / file.name


def link_softly(file: Path) -> Path:
    link = file.with_name("soft")
    link.symlink_to(file)
    return link


def link_hard(file: Path) -> Path:
    link = file.with_name("hard")
    os.link(file, link)
    return link


def link_folder(file: Path) -> Path:
    link = file.parent.with_name("folder")
    link.symlink_to(file.parent)
    return link / file.name


NAMES = [Path, spell_otherwise, link_softly, link_hard, link_folder]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "clips.csv"
    path.write_text("slice_id\n")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_what_was_read_is_not_written_under_any_name(
    file: Path, name: Callable[[Path], Path]
) -> None:
    other = name(file)
    with protecting_inputs():
        protect_input(file)
        with pytest.raises(OverwritingError, match="is an input of this command"):
            write_whole("gone", other)
        with pytest.raises(OverwritingError):
            add_text("gone", other)
    assert file.read_text() == "slice_id\n"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_to_be_written_is_not_read_under_any_name(
    file: Path, name: Callable[[Path], Path]
) -> None:
    other = name(file)
    with protecting_inputs():
        claim_output(other)
        with pytest.raises(OverwritingError, match=f"{other}: is an input of this command"):
            protect_input(file)


def test_many_inputs_are_listed_only_if_something_would_be_written_over(file: Path) -> None:
    asked: list[Path] = []

    def list_media() -> list[Path]:
        asked.append(file)
        return [file]

    with protecting_inputs():
        protect_listed(list_media)
        claim_output(file.with_name("new.json"))
        assert not asked
        with pytest.raises(OverwritingError):
            claim_output(file)
    assert asked


def test_an_output_is_compared_with_what_is_listed_once(file: Path, tmp_path: Path) -> None:
    """A claim is made before the work and once more before the writing; a million clips take long
    to compare with."""
    output = tmp_path / "old.json"
    output.touch()
    asked: list[str] = []

    def note(name: str) -> list[str]:
        asked.append(name)
        return [str(file)]

    with protecting_inputs():
        protect_listed(lambda: note("media"))
        claim_output(output)
        claim_output(output)
        protect_listed(lambda: note("encoder"))
        claim_output(output)
        assert asked == ["media", "encoder"]
        output.unlink()
        output.hardlink_to(file)
        with pytest.raises(OverwritingError):
            claim_output(output)


def test_a_file_that_is_read_in_order_to_be_changed_is_written(file: Path) -> None:
    with protecting_inputs():
        protect_input(file)
        replace_whole("changed", file)
    assert file.read_text() == "changed"


def test_every_command_begins_anew_and_outside_of_one_nothing_is_refused(file: Path) -> None:
    with protecting_inputs():
        protect_input(file)
    with protecting_inputs():
        write_whole("second", file)
    protect_input(file)
    write_whole("third", file)
    assert file.read_text() == "third"


def test_paths_that_are_none_are_nobodys_file(tmp_path: Path) -> None:
    assert not name_same_file(Path("a\0b"), Path("a\0b"))
    assert name_same_file(tmp_path / "x", tmp_path / "." / "x")
    with protecting_inputs():
        protect_input(Path("x" * 5000))
        claim_output(tmp_path / "y")


def test_a_new_file_that_gets_the_number_of_a_replaced_input_is_written(tmp_path: Path) -> None:
    read, aside = tmp_path / "read.txt", tmp_path / "aside.txt"
    read.write_text("old")
    with protecting_inputs():
        protect_input(read)
        read.rename(aside)  # as if it were replaced, and its number given to another file
        read.write_text("new")

        claim_output(aside)

        with pytest.raises(OverwritingError):
            claim_output(read)


def test_an_input_that_gets_the_number_of_a_replaced_output_is_read(tmp_path: Path) -> None:
    written, aside = tmp_path / "out.txt", tmp_path / "aside.txt"
    written.write_text("old")
    with protecting_inputs():
        claim_output(written)
        written.rename(aside)
        written.write_text("new")

        protect_input(aside)

        with pytest.raises(OverwritingError):
            protect_input(written)
