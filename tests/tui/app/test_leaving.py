"""A signal ends the inspector soon, whatever it is at: what was judged is saved, and the terminal
is as it was."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from benchmarks.terminal import TUI_EVAL, Terminal, environment
from tests.conftest import ROOT
from tests.tui.app.test_connection import ASKED, assert_goes_on, judge_two, stall
from tests.tui.app.test_terminal import assert_left_clean

pytestmark = pytest.mark.slow

SOON = 30.0
"""Seconds; it takes two. What it is at would take a quarter of an hour."""

APP = """
import os, time
from pathlib import Path
from tui.cli.shared.start import _run
from tui.opening.starts import AppStart
from tui.shell.base_app import BaseApp

class Busy(BaseApp):
    def begin(self):
        self.lanes.writing.add({work}, print, print)
        self.notify("it is ready")

    async def action_quit(self):
        Path("hangs").touch()
        time.sleep(1000)

os._exit(_run(Busy(AppStart())))
"""


def start_app(folder: Path, work: str) -> Terminal:
    """An app whose lane for writing does this, and whose ctrl+q takes a quarter of an hour."""
    command = [sys.executable, "-c", APP.format(work=work)]
    terminal = Terminal(command, environment(folder, PYTHONPATH=str(ROOT)))
    terminal.wait_for("it is ready")
    return terminal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_marks_in_memory_are_saved_though_the_terminal_takes_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    place = tmp_path / "rescued"
    place.mkdir()
    own = environment(tmp_path, PYTHONPATH=str(ROOT), TMPDIR=str(place))
    with Terminal([TUI_EVAL, *ASKED], {**own, "TUI_EVAL_DATA": "/proc/nope"}) as terminal:
        judge_two(terminal)
        stall(terminal)

        terminal.process.send_signal(number)

        assert terminal.process.wait(SOON) == 2, "as where it could be left"
    (file,) = place.glob("*.db")
    with Terminal([TUI_EVAL, "--store", str(file), "--resume"], own) as again:
        assert_goes_on(lambda *_: again)


def test_a_long_write_does_not_keep_the_terminal(tmp_path: Path) -> None:
    with start_app(tmp_path, "lambda _: time.sleep(1000)") as terminal:
        terminal.process.send_signal(signal.SIGTERM)

        assert terminal.ended(SOON) == 128 + signal.SIGTERM
        assert_left_clean(terminal)


def test_an_app_that_hangs_gives_the_terminal_back(tmp_path: Path) -> None:
    with start_app(tmp_path, "print") as terminal:
        terminal.send("\x11")
        terminal.wait_for(Path(tmp_path, "home", "hangs").exists)

        terminal.process.send_signal(signal.SIGTERM)

        assert terminal.ended(SOON) == 128 + signal.SIGTERM
        assert_left_clean(terminal)


def test_an_app_that_hangs_on_a_terminal_that_takes_nothing_ends(tmp_path: Path) -> None:
    with start_app(tmp_path, "print") as terminal:
        stall(terminal)
        settings = terminal.settings()

        terminal.process.send_signal(signal.SIGTERM)

        assert terminal.process.wait(SOON) == 128 + signal.SIGTERM
        assert settings != terminal.settings() == terminal.settings_before, "it is raw"
