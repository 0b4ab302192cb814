"""The installed inspector on a line that does not keep up: the picture stands, and says so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from benchmarks.terminal import DOWN, TUI_EVAL, Terminal, environment

pytestmark = pytest.mark.slow

CLIP = "urban_bicyclist_0002"
COMMAND = [TUI_EVAL, "inspect", "--video", CLIP, "--images", "quadrant"]


def read_for(terminal: Terminal, seconds: float) -> int:
    """Read what comes in so many seconds; returns how many bytes that is."""
    before, end = len(terminal.raw), time.monotonic() + seconds
    while (rest := end - time.monotonic()) > 0:
        terminal.read(rest)
    return len(terminal.raw) - before


def read_nothing(terminal: Terminal, seconds: float) -> None:
    """Until the program could not send any more for so many seconds."""
    unread, since = terminal.unread, time.monotonic()
    while not unread or time.monotonic() - since < seconds:
        time.sleep(0.1)
        if unread != (unread := terminal.unread):
            since = time.monotonic()


def test_a_terminal_that_falls_behind_gets_a_still_picture(tmp_path: Path) -> None:
    with Terminal(COMMAND, environment(tmp_path, COLORTERM="truecolor")) as terminal:
        terminal.wait_for(lambda: "z zoom" in terminal.pane("Detail"))
        terminal.wait_for(lambda: read_for(terminal, 1.0) > 4_000)  # it plays

        read_nothing(terminal, 4.0)

        terminal.wait_for(lambda: "slow line: still" in terminal.pane("Detail"))
        terminal.settle(0.5)
        assert read_for(terminal, 2.0) < 2_000  # nothing moves any more
        terminal.send(DOWN)
        terminal.wait_for(lambda: "#2 " in terminal.pane("Detail"))
        terminal.wait_for(lambda: "slow line: still" in terminal.pane("Detail"))
        terminal.send(" ")  # asked for
        terminal.wait_for(lambda: read_for(terminal, 1.0) > 4_000)


def test_one_step_down_sends_at_most_twelve_kilobytes_with_its_picture(tmp_path: Path) -> None:
    with Terminal(COMMAND, environment(tmp_path, COLORTERM="truecolor")) as terminal:
        terminal.wait_for(lambda: "in alfa-0.2" in terminal.pane("Detail"))
        terminal.wait_for(lambda: "z zoom" in terminal.pane("Detail"))
        terminal.send(" ")  # what plays is counted by the second
        terminal.wait_for("paused")
        terminal.settle(1.0)
        for place in range(2, 8):
            before = len(terminal.raw)
            terminal.send(DOWN)
            terminal.wait_for(lambda place=place: f"#{place} " in terminal.pane("Detail"))  # type: ignore[misc]
            terminal.settle(0.25)
            terminal.wait_for(lambda: "loading" not in terminal.pane("Detail"))
            assert len(terminal.raw) - before <= 12_000
            terminal.settle(1.0)
