"""A command that prints ends soon after it is told to, wherever it is."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.terminal import Terminal, environment
from tests.conftest import ROOT
from tests.faults.interrupts import find_family
from tui.cli.shared.memory_limit import tells_of_memory

GUARD = "from tui.cli.shared.guard import continue_in_child; continue_in_child()"
FOREVER = "print('ready', flush=True); sum(range(10**15))"
"""One step of Python that holds its lock, in which no handler of a signal can run."""

SOON = 60.0
"""Seconds within which it must have ended. On a machine that does nothing else it takes a tenth, on
one that does much else some seconds; the step above would take months."""

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

    process.send_signal(number)

    assert process.communicate(timeout=SOON)[1] == said
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

    process.communicate(timeout=SOON)  # nobody holds its stdout any more
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


AGAIN = "; run it again, and please report it if that does not help"
LIMIT = "resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))"
TOO_LOW = ", most likely as the limit of 944 MB (ulimit -v) is too low; raise it, and run it again"
LACKING = ", most likely as there was not enough memory; free some, and run it again"
CUT = ", most likely as a file that it read was cut short or its disk failed; run it again"


@pytest.mark.parametrize(
    ("number", "limit", "said"),
    [
        (signal.SIGSEGV, "", f" inside a library{AGAIN}"),
        (signal.SIGABRT, "", f" inside a library{AGAIN}"),
        (signal.SIGSEGV, LIMIT, f" inside a library{TOO_LOW}"),
        (signal.SIGABRT, LIMIT, f" inside a library{TOO_LOW}"),
        (signal.SIGKILL, "", LACKING),
        (signal.SIGBUS, "", CUT),
    ],
)
def test_a_library_that_crashes_is_one_line_with_what_to_do(
    guarded: Start, number: signal.Signals, limit: str, said: str
) -> None:
    process = guarded(f"os.kill(os.getpid(), {number})", f"import resource; {limit}")

    assert process.communicate() == ("", f"error: ended by {number.name}{said}\n")
    assert process.returncode == 128 + number


@pytest.mark.parametrize("number", [signal.SIGXCPU, signal.SIGQUIT, signal.SIGUSR1])
def test_what_a_person_or_a_limit_ends_is_blamed_on_no_library(
    guarded: Start, number: signal.Signals
) -> None:
    process = guarded(f"os.kill(os.getpid(), {number})")

    assert process.communicate() == ("", f"ended by {number.name}\n")
    assert process.returncode == 128 + number


@pytest.mark.parametrize(
    "error",
    [
        ImportError("numpy: IMPORTANT: PLEASE READ THIS"),
        RuntimeError("can't start new thread"),
        SystemError("initialization of _multiarray failed"),
    ],
)
def test_under_a_limit_what_does_not_start_tells_of_memory(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not tells_of_memory(error)

    monkeypatch.setattr(resource, "getrlimit", lambda _: (900 << 20, 900 << 20))
    assert tells_of_memory(error)
    assert not tells_of_memory(ValueError("many"))


@pytest.mark.parametrize(
    "raised",
    [
        "MemoryError()",
        "OSError(12, 'Cannot allocate memory')",
        "ImportError('libx.so: failed to map segment from shared object')",
    ],
)
def test_memory_that_is_refused_is_one_line_with_what_to_do(guarded: Start, raised: str) -> None:
    fail = f"(_ for _ in ()).throw({raised})"
    script = (
        f"from tui.cli.shared.start import run_to_exit_code as run; sys.exit(run(lambda: {fail}))"
    )

    process = guarded(script, f"import resource; {LIMIT}")

    expected = "there is not enough memory: the limit of 944 MB (ulimit -v) is too low; raise it"
    assert process.communicate() == ("", f"error: {expected}, and run it again\n")
    assert process.returncode == 2


@pytest.mark.slow
def test_ctrl_c_gives_the_terminal_back(tmp_path: Path) -> None:
    bar = "from tui.cli.shared.live import spin; spin('reading').__enter__()"
    command = [sys.executable, "-c", f"{GUARD}; {bar}; {FOREVER}"]
    with Terminal(command, environment(tmp_path, PYTHONPATH=str(ROOT))) as terminal:
        terminal.wait_for("ready")
        assert b"\x1b[?25l" in terminal.raw, "the cursor is hidden"

        terminal.send("\x03")

        assert terminal.ended(SOON) == 130
        assert terminal.raw.endswith(b"\x1b[?25hinterrupted\r\n")


def waits_to_write(terminal: Terminal) -> bool:
    """Whether the command sleeps, and there is no room for more."""
    _, *children = find_family(terminal.process.pid)
    if not children or select.select([], [terminal._slave], [], 0)[1]:
        return False
    return Path(f"/proc/{children[0]}/stat").read_text().split()[2] == "S"


def write_without_end(tmp_path: Path) -> Terminal:
    """A guarded command in a terminal that nobody reads, which has taken all that it can."""
    script = f"import os; {GUARD}\nwhile True: os.write(1, b'x' * 4096)"
    terminal = Terminal([sys.executable, "-c", script], environment(tmp_path, PYTHONPATH=str(ROOT)))
    while not waits_to_write(terminal):
        assert terminal.process.poll() is None
    return terminal


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_terminal_that_takes_nothing_keeps_nobody(tmp_path: Path, number: signal.Signals) -> None:
    with write_without_end(tmp_path) as terminal:
        family = find_family(terminal.process.pid)

        terminal.process.send_signal(number)

        assert terminal.process.wait(SOON) == 128 + number
        assert not any(map(runs, family))


def test_whoever_has_ended_is_not_killed_again() -> None:
    """Its number may be that of somebody else by now."""
    script = """
import os, signal, sys
from tui.cli.shared.guard import _kill_all

strangers = []
def hear(event, given):
    if event == "os.kill" and not os.path.exists(f"/proc/{given[0]}"):
        strangers.append(given)
sys.addaudithook(hear)
children = []
for number in range(60):
    children.append(os.fork())
    if not children[-1]:
        block = b'x' * (number << 16)  # to go takes a while
        signal.pause()
_kill_all(*children)
print(strangers)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert done.stdout == "[]\n"
