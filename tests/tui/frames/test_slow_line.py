"""The installed inspector on a line that does not keep up: the picture stands, and says so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from benchmarks.terminal import DOWN, TUI_EVAL, Terminal, environment
from tui.frames.cell_picture import BYTES_PER_CELL
from tui.frames.looper import BYTES_PER_SECOND

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


RESTED = 1.5
"""Seconds without a byte after which a paused picture is as it stays."""


def send_downs(terminal: Terminal, key: str = DOWN) -> list[int]:
    """The bytes of single presses, each counted until nothing more is sent."""
    terminal.settle(RESTED)
    counts = []
    for _ in range(5):
        before = len(terminal.raw)
        terminal.send(key)
        terminal.settle(RESTED)
        counts.append(len(terminal.raw) - before)
    return counts


@pytest.mark.parametrize("pausing", [" ", "."])
def test_one_step_down_sends_at_most_twelve_kilobytes_with_its_picture(
    pausing: str, tmp_path: Path
) -> None:
    with Terminal(COMMAND, environment(tmp_path, COLORTERM="truecolor")) as terminal:
        terminal.wait_for(lambda: "in alfa-0.2" in terminal.pane("Detail"))
        terminal.wait_for(lambda: "z zoom" in terminal.pane("Detail"))
        terminal.send(pausing)  # what plays is counted by the second
        terminal.wait_for("paused")

        counts = send_downs(terminal)

        assert max(counts) <= 12_000, counts
        assert min(counts) >= 4_000, counts  # a picture came with each


def test_one_step_down_in_the_zoom_sends_so_many_bytes_per_cell(tmp_path: Path) -> None:
    with Terminal(COMMAND, environment(tmp_path, COLORTERM="truecolor")) as terminal:
        terminal.wait_for(lambda: "z zoom" in terminal.pane("Detail"))
        terminal.send("z")
        terminal.wait_for(lambda: "z back" in terminal.text and "●" in terminal.text)
        terminal.send(".")
        terminal.wait_for("paused")

        counts = send_downs(terminal)

        cells = 58 * 16  # of a picture
        text = 4_000  # below it, and the blank of what was there
        assert counts[0] <= BYTES_PER_CELL * 2 * cells + text, counts  # the query's moves too
        assert max(counts[1:]) <= BYTES_PER_CELL * cells + text, counts  # it stands


def test_what_is_stepped_to_is_sharpened_within_the_bytes_of_a_second(tmp_path: Path) -> None:
    with Terminal(COMMAND, environment(tmp_path, COLORTERM="truecolor")) as terminal:
        terminal.wait_for(lambda: "z zoom" in terminal.pane("Detail"))
        for _ in range(4):
            terminal.send(".")
            terminal.wait_for("paused")
            terminal.settle(0.25)  # the frame itself

            sent = read_for(terminal, 0.5 + 0.4)
            if sent:  # else this process was held up, and took the sharp one for the frame itself
                break

        assert 3_000 < sent <= 1.2 * BYTES_PER_SECOND, sent
