"""The fuzzer tries every reader and every command there is, and no file is opened past a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.commands import find_command_of, find_commands, list_sound_lines
from tests.fuzz.content import lay_out
from tests.fuzz.corpus import (
    CORPUS,
    OWN_BOUNDARIES,
    TRIED_BY_HAND,
    Sample,
    find_readers,
    list_samples,
)
from tests.fuzz.sound_files import make_sound_files

SOUND = make_sound_files()


def test_every_reader_has_a_corpus() -> None:
    known = [*find_readers(), *OWN_BOUNDARIES]

    tried = [*CORPUS, *TRIED_BY_HAND]
    assert sorted(known) == sorted(tried), "give it a sample in tests/fuzz/corpus.py"


def test_every_command_has_a_sound_line() -> None:
    commands = find_commands()
    tried = {find_command_of(line, commands).words for line in list_sound_lines()}

    assert set(commands) == tried, "give it a line in tests/fuzz/commands.py"


@pytest.mark.parametrize(
    "sample", [pytest.param(one, id=f"{name}-{one.file}") for name, one in list_samples()]
)
def test_what_is_mutated_is_sound(sample: Sample, tmp_path: Path) -> None:
    lay_out({name: SOUND[name] for name in (sample.file, *sample.beside)}, tmp_path)

    assert sample.call(tmp_path / sample.file) is not None
