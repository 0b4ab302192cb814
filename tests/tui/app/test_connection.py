"""The terminal goes away, stands still, changes its size all the time, or can hardly show anything:
the app ends saved and clean, or goes on, and `--resume` goes on as if nothing had happened."""

from __future__ import annotations

import random
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.terminal import TUI_EVAL, Terminal, environment
from tests.conftest import ROOT
from tests.faults.interrupts import find_family
from tests.faults.judged_state import CLIP
from tests.faults.kills import place, rows
from tests.tui.app.test_terminal import assert_left_clean
from tests.tui.piloted import LIMIT

pytestmark = pytest.mark.slow

ASKED = ("inspect", "--video", CLIP, "--images", "off")
GONE = 30.0
"""Seconds after which nothing may be left of an app whose terminal is gone. It takes two at most,
and longer where other programs run; if nothing ended it, it would never go."""


class Detached(Terminal):
    """A terminal that the program was not started from: when it goes, nobody says so."""

    def _start(
        self, command: Sequence[str], variables: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), self._slave)
        return subprocess.Popen(
            command,
            env=dict(variables),
            start_new_session=True,
            **streams,  # type: ignore[call-overload]
        )


Start = Callable[..., Terminal]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start `tui-eval` for the same user each time."""
    begun: list[Terminal] = []

    def begin(
        *arguments: str, kind: type[Terminal] = Terminal, size: tuple[int, int] = (120, 40),
        without: Sequence[str] = (), **more: str,
    ) -> Terminal:  # fmt: skip
        variables = environment(tmp_path, PYTHONPATH=str(ROOT), **more)
        for name in without:
            variables.pop(name, None)
        begun.append(kind([TUI_EVAL, *arguments], variables, *size))
        return begun[-1]

    yield begin
    for terminal in begun:
        terminal.__exit__()


def judge_two(terminal: Terminal) -> None:
    """Mark the first result, note something about the third, and stay there."""
    terminal.wait_for(lambda: place(terminal) == 1)
    terminal.send("+")
    terminal.wait_for(lambda: place(terminal) == 2)
    terminal.send("j")
    terminal.wait_for(lambda: place(terminal) == 3)
    terminal.send("akept\r")
    terminal.wait_for(lambda: signs(terminal)[:3] == ["✓", None, "✎"])


def stall(terminal: Terminal) -> None:
    """Let it paint until the terminal takes no more: nobody reads it."""
    full = 0
    while full < 20:  # it is full for a moment too while it is written to
        terminal.send("?\x1b")
        full = 0 if select.select([], [terminal._slave], [], 0.01)[1] else full + 1


def signs(terminal: Terminal) -> list[str | None]:
    return [row["sign"] for row in rows(terminal)]


def assert_gone(terminal: Terminal, family: list[int]) -> None:
    """Soon no process of it is left."""
    end = time.monotonic() + GONE
    while any(map(runs, family)):
        terminal.process.poll()
        assert time.monotonic() < end, [pid for pid in family if runs(pid)]
        time.sleep(0.01)


def runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def assert_goes_on(start: Start) -> None:
    """What was judged, and where the cursor was, is there again."""
    terminal = start("--resume")
    terminal.wait_for(lambda: place(terminal) == 3 and signs(terminal)[:3] == ["✓", None, "✎"])


@pytest.mark.parametrize("kind", [Terminal, Detached])
def test_a_terminal_that_vanishes_ends_the_app_and_loses_nothing(
    start: Start, kind: type[Terminal]
) -> None:
    terminal = start(*ASKED, kind=kind)
    judge_two(terminal)
    family = find_family(terminal.process.pid)

    terminal.hang_up()

    assert_gone(terminal, family)
    assert terminal.process.wait() == 128 + signal.SIGHUP
    assert_goes_on(start)


@pytest.mark.parametrize("kind", [Terminal, Detached])
def test_a_note_that_is_being_typed_goes_on_in_its_editor(
    start: Start, kind: type[Terminal]
) -> None:
    terminal = start(*ASKED, kind=kind)
    judge_two(terminal)
    terminal.send("kahalf a thou")
    terminal.wait_for("half a thou")
    family = find_family(terminal.process.pid)

    terminal.hang_up()

    assert_gone(terminal, family)
    again = start("--resume")
    again.wait_for(lambda: "Note on" in again.text and "half a thou" in again.text)
    assert signs(again)[:3] == ["✓", None, "✎"]  # it is no note yet
    again.send("ght\r")
    again.wait_for(lambda: signs(again)[:3] == ["✓", "✎", "✎"] and "half a thought" in again.text)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_table_goes_on_in_its_order_and_on_its_row(start: Start, number: signal.Signals) -> None:
    terminal = start("inspect", "--images", "off")  # nothing is asked: it goes on all the same
    terminal.wait_for("Nothing is asked yet")
    terminal.send("2tr")
    terminal.wait_for(lambda: under_cursor(terminal, 0))
    terminal.send("S" + "j" * 7)
    terminal.wait_for(lambda: "best first" in terminal.text and under_cursor(terminal, 7))
    terminal.settle()
    left = terminal.text
    family = find_family(terminal.process.pid)

    terminal.process.send_signal(number)

    assert_gone(terminal, family)
    again = start("--resume")
    again.wait_for(lambda: AGE.sub("", again.text, count=1) == left)


AGE = re.compile(r"evaluated (just now|[0-9]+ min ago); r runs it again · ")
"""What a table says that was evaluated before the start."""


def under_cursor(terminal: Terminal, place: int) -> bool:
    """Whether the cursor is so many rows below the titles of the table."""
    lines = terminal.text.splitlines()
    head = next((at for at, line in enumerate(lines) if line.lstrip().startswith("query")), None)
    return head is not None and lines[head + 1 + place].startswith("▌")


@pytest.mark.parametrize("seed", range(3))
def test_it_may_vanish_in_the_middle_of_a_paint(start: Start, seed: int) -> None:
    chance = random.Random(seed)
    terminal = start(*ASKED, kind=(Terminal, Detached)[seed % 2])
    judge_two(terminal)
    family = find_family(terminal.process.pid)

    terminal.send("?\x1b" * 40)
    end = time.monotonic() + chance.uniform(0, 0.3)
    while time.monotonic() < end:
        terminal.read(0.001)
    terminal.hang_up()

    assert_gone(terminal, family)
    assert_goes_on(start)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_terminal_that_takes_nothing_any_more_holds_up_no_signal(
    start: Start, number: signal.Signals
) -> None:
    terminal = start(*ASKED)
    judge_two(terminal)
    family = find_family(terminal.process.pid)
    stall(terminal)

    terminal.process.send_signal(number)

    assert_gone(terminal, family)
    assert terminal.process.wait() == 128 + number
    assert_goes_on(start)


def test_ctrl_c_from_elsewhere_leaves_as_q_does(start: Start) -> None:
    terminal = start(*ASKED)
    judge_two(terminal)

    terminal.process.send_signal(signal.SIGINT)

    assert terminal.ended(LIMIT) == 130
    assert terminal.raw.endswith(b"interrupted\r\n")
    terminal.raw = terminal.raw.removesuffix(b"interrupted\r\n")
    assert_left_clean(terminal)


def test_ctrl_c_before_the_screen_is_there_says_so(start: Start) -> None:
    terminal = start()
    libraries = Path(f"/proc/{terminal.process.pid}/maps")
    while "_asyncio" not in libraries.read_text():  # it is at its imports
        time.sleep(0.001)

    terminal.process.send_signal(signal.SIGINT)

    assert terminal.ended(LIMIT) == 130
    assert "Traceback" not in terminal.text and terminal.text.strip().endswith("interrupted")


def test_a_stopped_app_goes_on_where_it_was(start: Start) -> None:
    terminal = start(*ASKED)
    judge_two(terminal)

    stop(terminal, signal.SIGTSTP)
    assert_left_clean(terminal)
    type_in_a_shell(terminal)
    terminal.process.send_signal(signal.SIGCONT)

    assert_shows_all(terminal)


@pytest.mark.parametrize("times", [1, 2])
def test_it_may_be_stopped_without_a_word(start: Start, times: int) -> None:
    terminal = start(*ASKED)
    judge_two(terminal)

    for _ in range(times):
        stop(terminal, signal.SIGSTOP)
        termios.tcsetattr(terminal._slave, termios.TCSANOW, terminal.settings_before)
        type_in_a_shell(terminal)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for(lambda: is_whole(terminal))

    assert_shows_all(terminal)


def test_who_goes_on_without_having_been_stopped_leaves_the_terminal_as_it_was(
    start: Start,
) -> None:
    terminal = start(*ASKED)
    judge_two(terminal)
    terminal.settle()

    type_in_a_shell(terminal)
    terminal.process.send_signal(signal.SIGCONT)

    assert_shows_all(terminal)


def stop(terminal: Terminal, number: signal.Signals) -> None:
    """Stop the app when there is nothing left to paint, and wait until it stands still."""
    terminal.settle(1.0)
    terminal.process.send_signal(number)
    terminal.wait_for(lambda: "T" in Path(f"/proc/{terminal.process.pid}/stat").read_text().split())
    terminal.settle()


def type_in_a_shell(terminal: Terminal) -> None:
    """The screen has been somebody else's, who left it underlined."""
    terminal._stream.feed(b"\x1b[2J\x1b[H[1]+  Stopped\r\n$ fg\r\n\x1b[4m")


def is_whole(terminal: Terminal) -> bool:
    """Whether the screen shows what did not change meanwhile too, and nothing else."""
    first, *_, last = terminal.text.splitlines()
    if any(cell.underscore for cell in terminal._screen.buffer[0].values()):
        return False
    frames = all(terminal.pane(title) for title in ("Results", "Detail"))
    ends = "sample" in first and "Help" in last
    return ends and frames and place(terminal) == 3 and signs(terminal)[:3] == ["✓", None, "✎"]


def assert_shows_all(terminal: Terminal) -> None:
    """Every cell is there again, keys are done once, and the terminal is given back."""
    terminal.wait_for(lambda: is_whole(terminal))
    terminal.send("k")
    terminal.wait_for(lambda: place(terminal) == 2)
    terminal.send("q")
    assert terminal.ended(LIMIT) == 0
    assert_left_clean(terminal)


def test_a_storm_of_sizes_ends_nothing(start: Start) -> None:
    terminal = start(*ASKED)
    judge_two(terminal)
    chance = random.Random(1)

    for _ in range(200):
        terminal.resize(chance.randint(1, 500), chance.randint(1, 200))
        terminal.read()
    terminal.resize(120, 40)

    terminal.wait_for(lambda: place(terminal) == 3)
    terminal.send("g")  # the list was too low for its first rows
    terminal.wait_for(lambda: place(terminal) == 1 and signs(terminal)[:3] == ["✓", None, "✎"])
    terminal.send("q")
    assert terminal.ended(LIMIT) == 0
    assert_left_clean(terminal)


@pytest.mark.parametrize("size", [(1, 1), (0, 0), (2, 200), (500, 1)])
def test_the_oddest_window_does_not_end_it(start: Start, size: tuple[int, int]) -> None:
    terminal = start(*ASKED, size=(10, 10))
    terminal.wait_for(lambda: b"\x1b[?1049h" in terminal.raw)
    terminal._set_size(*size)
    painted = len(terminal.raw)
    terminal.wait_for(lambda: len(terminal.raw) > painted)
    terminal.resize(120, 40)
    judge_two(terminal)
    terminal.send("q")
    assert terminal.ended(LIMIT) == 0


@pytest.mark.parametrize(
    "variables",
    [
        {"TERM": "unheard-of", "LC_ALL": "C"},
        {"without": ("TERM", "LANG")},
    ],
)
def test_little_need_be_known_of_the_terminal(start: Start, variables: dict[str, str]) -> None:
    terminal = start(*ASKED, **variables)
    judge_two(terminal)
    terminal.send("q")
    assert terminal.ended(LIMIT) == 0
    assert_left_clean(terminal)


def test_a_locale_without_characters_is_shown_ascii(start: Start) -> None:
    nothing = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    terminal = start(*ASKED, **nothing)
    terminal.wait_for("Partial match")
    terminal.settle()
    shown = re.sub(r"[0-9]x \?(?=\s)|\? Help", "", terminal.text)  # a lift that may be chance
    assert "?" not in shown
    terminal.send("q")
    assert terminal.ended(LIMIT) == 0
    assert_left_clean(terminal)


def test_a_terminal_that_shows_no_screens_is_told_so(start: Start) -> None:
    terminal = start("inspect", TERM="dumb")
    assert terminal.ended(LIMIT) == 2
    said = " ".join(terminal.text.split())
    assert 'TERM is "dumb"' in said and "set TERM=xterm-256color" in said
