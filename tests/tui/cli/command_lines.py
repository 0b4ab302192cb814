"""Running a command as it is typed: what it prints, and the one line when it refuses."""

from __future__ import annotations

from typing import Protocol

import pytest

from tui.cli.app import run_command_line


class Printed(Protocol):
    """Runs a command with these arguments; what it printed."""

    def __call__(self, *arguments: str) -> str: ...


def printed_by(command: str, capsys: pytest.CaptureFixture[str]) -> Printed:
    """Runs the command, which must work; what it wrote to stdout."""

    def run(*arguments: str) -> str:
        code = run_command_line([command, *arguments])
        done = capsys.readouterr()
        assert code == 0, done.err
        return done.out

    return run


def refusal_of(command: str, capsys: pytest.CaptureFixture[str]) -> Printed:
    """Runs the command, which must refuse: nothing on stdout, exit code 2; its one line."""

    def run(*arguments: str) -> str:
        code = run_command_line([command, *arguments])
        done = capsys.readouterr()
        assert code == 2
        assert done.out == ""
        lines = done.err.splitlines()
        assert len(lines) == 1, done.err
        return lines[0]

    return run
