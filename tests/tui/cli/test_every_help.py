"""Every `--help`: in eighty columns, in plain words, with examples that can be copied."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from rich.cells import cell_len
from typer.main import get_command

from tests.tui.cli.test_quiet import list_commands
from tui.cli.app import load_commands, run_command_line

COMMANDS = dict(list_commands(get_command(load_commands())))


def list_examples(command: str) -> list[str]:
    """As they are written, each perhaps on several lines."""
    _, _, text = COMMANDS[command].help.partition("[bold]Examples[/bold]\n\n")
    return [one for one in text.split("\n\n") if one]


@pytest.fixture
def help_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("COLUMNS", "80")

    def show(command: str) -> str:
        assert run_command_line([*command.split(), "--help"]) == 0
        return capsys.readouterr().out

    return show


@pytest.mark.parametrize("command", COMMANDS)
def test_it_fits_eighty_columns(command: str, help_of: Any) -> None:
    lines = [line.strip() for line in help_of(command).splitlines()]

    assert max(map(cell_len, lines)) <= 80
    for example in list_examples(command):
        for line in example.splitlines():
            assert line.strip() in lines, "the example is wrapped: nobody could copy it"


@pytest.mark.parametrize("command", COMMANDS)
def test_no_list_of_choices_is_broken(command: str, help_of: Any) -> None:
    said = help_of(command)

    for one in COMMANDS[command].params:
        choices = getattr(one.type_descriptor, "choices", None)
        if one.metavar is None and choices and not getattr(one, "is_flag", False):
            assert "|".join(map(str, choices)) in said, one.opts


@pytest.mark.parametrize("command", COMMANDS)
def test_flags_are_flags_and_required_arguments_are_plain(command: str, help_of: Any) -> None:
    said = help_of(command)

    assert "bool" not in said.lower().replace("boolean", "")
    assert not re.search(r"\{[A-Z]", said)
    for one in COMMANDS[command].params:
        if getattr(one, "is_flag", False):
            assert not one.metavar, one.opts


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_is_a_line_that_the_command_understands(command: str) -> None:
    for example in list_examples(command):
        words = shlex.split(example.replace("\\\n", " ").partition(" > ")[0])
        assert words[0] == "tui-eval"
        _, args = find_command(words[1:])
        known = {flag for name in args[0] for one in COMMANDS[name].params for flag in one.opts}
        given = {word.partition("=")[0] for word in args[1] if re.match(r"--?[a-z]", word)}
        assert given <= known, example


def find_command(words: list[str]) -> tuple[str, tuple[list[str], list[str]]]:
    """The command that a line names, and what stands behind it."""
    for depth in (2, 1, 0):
        name = " ".join(words[:depth])
        if name in COMMANDS:
            return name, ([name], words[depth:])
    raise AssertionError(words)


WORDS = {
    *("FILE", "FOLDER", "DIR", "NUMBER", "TEXT", "NAME", "NAMES", "LIST", "CLIP", "CLIPS"),
    *("METRIC", "ORDER", "FORMAT", "MODE", "MODEL", "SESSION", "KEY", "ID", "RUN", "LABELS"),
    *("STYLE", "NAME|FILE", "cosine|ip|l2", "default|vim|FILE", "[NAME=]FILE", "[NAME=]KEY"),
    *("METRIC=NUMBER", "IOU-rK", "RUN0", "COLUMN|PATTERN"),
}


OTHERWISE = {
    "--baseline": {"RUN0", "NAME"},
    "--k": {"LIST", "NUMBER"},
}
"""A gate compares a run with another one, a triage a model; and a triage has one cut-off alone."""


def test_an_option_asks_for_the_same_kind_of_value_everywhere() -> None:
    asked: dict[str, set[str]] = {}
    for command in COMMANDS.values():
        for one in command.params:
            if one.metavar and not getattr(one, "is_flag", False) and one.opts[0].startswith("--"):
                asked.setdefault(one.opts[0], set()).add(one.metavar)

    assert {word for words in asked.values() for word in words} <= WORDS
    assert {name: words for name, words in asked.items() if len(words) > 1} == OTHERWISE


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["--version"]) == 0

    done = capsys.readouterr()
    assert re.fullmatch(r"tui-eval \d+\.\d+\.\d+\S*\n", done.out)
    assert done.err == ""
