"""A dataset is named in the same way everywhere: DATASET where the place is free, and -d."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from typer.main import get_command

from sample_data import folder
from tests.tui.cli.test_quiet import list_commands
from tui.cli.app import load_commands, run_command_line

COMMANDS = dict(list_commands(get_command(load_commands())))
FREE = {"inspect", "run", "pairs", "triage", "validate", "summary", "map learn"}
"""Commands whose first argument is free for a dataset."""
TAKEN = {"", "search", "map", "map test", "report", "sessions replay", "triage show"}
"""Commands whose first argument is another: a command, a text, a file, a session, a finding."""


def find_option(command: str, flag: str) -> object:
    return next((one for one in COMMANDS[command].params if flag in one.opts), None)


def has_argument(command: str) -> bool:
    return any(getattr(one, "metavar", "") == "DATASET" for one in COMMANDS[command].params)


def test_every_command_that_takes_a_dataset_takes_it_with_the_same_option() -> None:
    taking = {name for name in COMMANDS if find_option(name, "--dataset")}

    assert taking == FREE | TAKEN
    assert {name for name in COMMANDS if find_option(name, "--annotations")} <= taking
    for name in taking:
        option = find_option(name, "--dataset")
        assert option.opts == ["--dataset", "-d"] and option.metavar == "FOLDER"  # type: ignore[attr-defined]


def test_it_is_an_argument_wherever_the_place_is_free() -> None:
    assert {name for name in COMMANDS if has_argument(name)} == FREE
    for name in TAKEN - {""}:
        assert any(type(one).__name__ == "TyperArgument" for one in COMMANDS[name].params), name


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset under a name of its own, in this folder."""
    monkeypatch.chdir(tmp_path)
    copytree(folder(), tmp_path / "copy", ignore=lambda *_: ["clips", "labels", "moments"])
    settings = tmp_path / "copy" / "dataset.toml"
    settings.write_text(settings.read_text().replace('name = "sample"', 'name = "copy of it"'))
    return tmp_path / "copy"


LINES = {
    "run": ("--mode", "video", "--limit", "2"),
    "pairs": ("--limit", "5"),
    "triage": ("--mode", "video", "--analyses", "hubs", "--resamples", "100"),
    "validate": (),
    "summary": (),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", LINES)
def test_both_ways_mean_the_same(
    command: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    for given in (["copy"], ["-d", "copy"], ["--dataset=copy"], ["copy", "-d", "./copy"]):
        assert run_command_line([command, *given, *LINES[command]]) == 0
        found.append(capsys.readouterr().out)

    assert "copy of it" in found[0] or command == "validate"
    assert len(set(found)) == 1


@pytest.mark.parametrize("command", sorted(FREE))
def test_two_that_differ_are_one_clear_line(
    command: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line([*command.split(), "copy", "-d", "other\x1b[2J"]) == 2

    done = capsys.readouterr()
    assert done.out == "" and "\x1b" not in done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("error: two datasets were given: copy, and other")
    assert done.err.endswith("with --dataset; leave out one of the two\n")


@pytest.mark.parametrize(
    "line", [("map", "car"), ("map", "learn"), ("map", "learn", "copy"), ("map", "test", "q.csv")]
)
def test_a_vocabulary_takes_the_place_of_a_dataset(
    line: tuple[str, ...], copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = () if line[-1] == "copy" else ("-d", "copy")
    assert run_command_line([*line, *given, "--vocabulary", "words.json"]) == 2

    assert "--vocabulary and --dataset were given" in capsys.readouterr().err
