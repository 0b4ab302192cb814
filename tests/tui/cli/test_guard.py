"""A command that prints ends within a second of being told to, wherever it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.terminal import Terminal, environment
from tests.conftest import ROOT
from tests.faults.interrupts import find_family

GUARD = "from tui.cli.shared.guard import continue_in_child; continue_in_child()"
FOREVER = "print('ready', flush=True); sum(range(10**15))"
"""One step of Python that holds its lock, in which no handler of a signal can run."""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def guarded() -> Iterator[Start]:
    """Start a script in a process that is guarded."""
    begun: list[subprocess.Popen[str]] = []

    def start(script: str, before: str = "") -> subprocess.Popen[str]:
        code = f"import os, signal, subprocess, sys\n{before}\n{GUARD}\n{script}"
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        begun.append(process)
        return process

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGINT, "interrupted\n"),
        (signal.SIGTERM, "ended by SIGTERM\n"),
        (signal.SIGHUP, "ended by SIGHUP\n"),
    ],
)
def test_a_signal_ends_it_inside_a_library_too(
    guarded: Start, number: signal.Signals, said: str
) -> None:
    process = guarded(FOREVER)
    hear(process)
    family = find_family(process.pid)

    told = time.monotonic()
    process.send_signal(number)

    assert process.communicate()[1] == said
    assert time.monotonic() - told < 1
    assert process.returncode == 128 + number
    assert len(family) == 2 and not any(map(runs, family))


def test_a_second_ctrl_c_changes_nothing(guarded: Start) -> None:
    process = guarded(FOREVER)
    hear(process)

    for _ in range(5):
        process.send_signal(signal.SIGINT)

    assert process.communicate()[1] == "interrupted\n"
    assert process.returncode == 130


def test_what_the_command_has_started_ends_with_it(guarded: Start) -> None:
    sleeper = (
        "subprocess.Popen(['sleep', '1000'], start_new_session=True, stdout=subprocess.DEVNULL)"
    )
    process = guarded(f"print({sleeper}.pid, flush=True); {FOREVER}")
    started = int(hear(process))

    process.send_signal(signal.SIGINT)
    process.wait()

    assert not runs(started)


def test_a_guard_that_is_killed_takes_the_command_with_it(guarded: Start) -> None:
    process = guarded(FOREVER)
    hear(process)

    process.kill()

    process.communicate(timeout=10)  # nobody holds its stdout any more
    assert process.returncode == -signal.SIGKILL


def test_a_signal_that_the_caller_has_switched_off_stays_so(guarded: Start) -> None:
    nohup = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    process = guarded("print('ready', flush=True); sys.stdin.read(); print('done')", nohup)
    hear(process)

    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    process.communicate()

    assert process.returncode == 128 + signal.SIGTERM


def test_the_exit_code_is_that_of_the_command(guarded: Start) -> None:
    process = guarded("os._exit(7)")

    assert process.communicate() == ("", "")
    assert process.returncode == 7


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_library_that_crashes_is_one_line(guarded: Start, number: signal.Signals) -> None:
    process = guarded(f"os.kill(os.getpid(), {number})")

    said = process.communicate()[1]

    assert said.startswith(f"error: ended by {number.name}") and said.count("\n") == 1
    assert process.returncode == 128 + number


@pytest.mark.slow
def test_ctrl_c_gives_the_terminal_back(tmp_path: Path) -> None:
    bar = "from tui.cli.shared.live import spin; spin('reading').__enter__()"
    command = [sys.executable, "-c", f"{GUARD}; {bar}; {FOREVER}"]
    with Terminal(command, environment(tmp_path, PYTHONPATH=str(ROOT))) as terminal:
        terminal.wait_for("ready")
        assert b"\x1b[?25l" in terminal.raw, "the cursor is hidden"

        terminal.send("\x03")

        assert terminal.ended(5) == 130
        assert terminal.raw.endswith(b"\x1b[?25hinterrupted\r\n")
