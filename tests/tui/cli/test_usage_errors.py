"""A command line that makes no sense gets one line, which leads to the help of its command."""

from __future__ import annotations

import pytest

from engine.base.errors import ExitCode
from tui.cli.app import run_command_line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "No such command 'nonsense'; see tui-eval --help"),
        ("--nonsense", "No such option: --nonsense; see tui-eval --help"),
        (
            "inspect --resum",
            "No such option: --resum; did you mean --resume? see tui-eval inspect --help",
        ),
        ("inspect --k 5", "No such option: --k; see tui-eval inspect --help"),
        (
            "config sett k 5",
            "No such command 'sett'; did you mean 'set'? see tui-eval config --help",
        ),
        ("run --zzz", "No such option: --zzz; see tui-eval run --help"),
        ("run --k", "Option '--k' requires an argument; see tui-eval run --help"),
        ("report", "Missing argument 'RUN'; see tui-eval report --help"),
        ("sessions nonsense", "No such command 'nonsense'; see tui-eval sessions --help"),
        (
            "run --mode foo",
            "Invalid value for '--mode': 'foo' is not one of 'text', 'video', 'both'; "
            "see tui-eval run --help",
        ),
    ],
)
def test_it_says_what_is_wrong_and_where_to_look(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(line.split()) == ExitCode.BAD_INPUT
    printed = capsys.readouterr()
    assert printed.err == f"error: {said}\n"
    assert printed.out == ""


def test_a_group_alone_does_what_one_expects_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    for group, shown in (("sessions", "No session is saved yet"), ("config", "Overridden by")):
        assert run_command_line([group]) == ExitCode.FINE
        printed = capsys.readouterr()
        assert shown in printed.out
        assert printed.err == ""
