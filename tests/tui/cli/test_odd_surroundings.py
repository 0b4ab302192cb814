"""Widths that no terminal has, and a stdout that takes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.base.child_process import PASSED_ON, make_environment
from engine.base.errors import ExitCode
from tui.cli.app import run_command_line

ROOT = Path(__file__).parents[3]
TUI_EVAL = (sys.executable, "-c", "from tui.cli import main; main()")


def run(
    *arguments: str, shell: str = '"$@"', variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command line as a shell would, with its redirections."""
    command = ["bash", "-c", f"set -o pipefail; {shell}", "bash", *TUI_EVAL, *arguments]
    environment = {**os.environ, **(variables or {})}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )


@pytest.mark.parametrize("name", ["COLUMNS", "TERMINAL_WIDTH"])
@pytest.mark.parametrize("said", ["9" * 9, "9" * 5000, "x", "²", "-5", "0", ""])
def test_a_width_that_cannot_be_costs_nothing(name: str, said: str) -> None:
    done = run("keys", "--help", variables={name: said})

    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: tui-eval keys" in done.stdout
    assert max(map(len, done.stdout.split("\n"))) <= 1000


@pytest.mark.parametrize("arguments", [("keys",), ("keys", "--help")])
@pytest.mark.parametrize(
    ("shell", "reason"),
    [('"$@" >/dev/full', "No space left on device"), ('"$@" >&-', "it is closed")],
)
def test_what_cannot_be_printed_is_not_lost_without_a_word(
    arguments: tuple[str, ...], shell: str, reason: str
) -> None:
    done = run(*arguments, shell=shell)

    assert done.returncode == ExitCode.BAD_INPUT
    assert done.stderr == f"error: cannot write to stdout ({reason})\n"


@pytest.mark.parametrize("arguments", [("keys",), ("keys", "--help")])
def test_a_reader_that_went_away_has_what_it_wanted(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, shell='"$@" | head -c 1')
    assert (done.returncode, done.stderr) == (0, "")


def test_a_result_in_a_file_needs_no_stdout(tmp_path: Path) -> None:
    done = run("keys", "--out", str(tmp_path / "keys.txt"), shell='"$@" >&-')
    assert done.returncode == 0 and (tmp_path / "keys.txt").stat().st_size


def test_an_end_of_data_inside_a_command_is_no_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(*_: object) -> None:
        raise EOFError("marshal data too short")

    monkeypatch.setattr("tui.keys.keymap.load_keymap", end)

    assert run_command_line(["keys"]) == ExitCode.BAD_INPUT
    assert "unexpected EOFError: marshal data too short" in capsys.readouterr().err


def test_a_child_writes_no_bytecode_where_that_is_forbidden() -> None:
    settings = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "there", "SECRET": "x"}
    passed_on = make_environment(settings, PASSED_ON)
    assert passed_on.items() >= {*settings.items()} - {("SECRET", "x")}
    assert "SECRET" not in passed_on
