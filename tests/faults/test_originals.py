"""A file that was replaced comes back as the same file, and its number is never given away."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.files.atomic import replace_whole
from tests.faults.snapshot import Originals


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "aside").mkdir()
    folder = tmp_path / "world"
    folder.mkdir()
    (folder / "in.toml").write_text("input")
    return folder


def test_a_replaced_or_removed_file_comes_back_as_it_was(folder: Path) -> None:
    originals, file = Originals(folder, folder.parent / "aside"), folder / "in.toml"
    number = file.stat().st_ino
    originals.keep()

    replace_whole("other", file)
    originals.bring_back()
    assert (file.stat().st_ino, file.read_text()) == (number, "input")

    file.unlink()
    originals.bring_back()
    assert (file.stat().st_ino, file.read_text()) == (number, "input")


def test_no_new_file_gets_the_number_of_one_that_was_replaced(folder: Path) -> None:
    originals, file = Originals(folder, folder.parent / "aside"), folder / "in.toml"
    seen = set()
    for turn in range(20):
        originals.keep()
        seen.add(file.stat().st_ino)
        replace_whole(f"turn {turn}", file)
        new = folder / f"out-{turn}.json"
        new.touch()

        assert new.stat().st_ino not in seen
