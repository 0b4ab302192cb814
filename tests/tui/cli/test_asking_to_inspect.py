"""A command that prints is guarded, unless it is asked to show a screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from benchmarks.terminal import TUI_EVAL, Terminal, environment
from tests.conftest import ROOT
from tests.faults.interrupts import find_family
from tests.tui.piloted import LIMIT
from tui.cli.app import load_commands
from tui.cli.shared.terminal import INSPECTING, asks_to_inspect

COMMANDS: dict[str, Any] = get_command(load_commands()).commands  # type: ignore[attr-defined]


def list_flags(command: str) -> list[str]:
    return [flag for option in COMMANDS[command].params for flag in option.opts]


def test_every_command_that_shows_a_screen_is_known() -> None:
    assert {name for name in COMMANDS if "--inspect" in list_flags(name)} == INSPECTING


@pytest.mark.parametrize("command", sorted(INSPECTING))
def test_its_letter_is_found_before_any_other_and_never_in_a_value(command: str) -> None:
    taking = [one for one in COMMANDS[command].params if not getattr(one, "is_flag", False)]
    letters = [flag[1] for one in taking for flag in one.opts if len(flag) == 2 and flag[0] == "-"]
    assert letters
    for letter in letters:
        assert asks_to_inspect([command, f"-i{letter}", "x"])
        assert asks_to_inspect([command, f"-i{letter}x"])
        assert not asks_to_inspect([command, f"-{letter}mini"])


def test_its_letter_is_found_beside_that_of_another_flag() -> None:
    assert all(asks_to_inspect(["run", flags]) for flags in ("-qi", "-iq", "-iqmmini"))
    assert not any(asks_to_inspect(["run", flags]) for flags in ("-q", "-qmmini", "-qoi"))


@pytest.mark.slow
@pytest.mark.parametrize("value", ["-ofindings.md", "-mmini", "--min-similarity -inf"])
def test_a_value_does_not_switch_the_guard_off(tmp_path: Path, value: str) -> None:
    variables = environment(tmp_path, PYTHONPATH=str(ROOT))
    with Terminal([TUI_EVAL, "search", "a cyclist", *value.split()], variables) as terminal:
        terminal.wait_for(lambda: len(find_family(terminal.process.pid)) > 1)
        assert terminal.ended(LIMIT) in (0, 2)
