"""A command that prints runs in a child process; this one waits, and ends it when a signal says so.

Python hears of a signal only between two of its own steps, and one call into Arrow, FAISS or json
may take seconds. The process that waits has no other steps. It kills: whatever the child writes is
written whole or not at all, so there is nothing that it would have to put in order first.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time

from tui.look.last_words import write_in_time

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE = 0.8
"""Seconds for which the killed are waited for: with much memory, or a disk that does not answer,
they take a while to go."""
_LAST_WORDS = 0.2
"""Seconds in which the last line must be taken: a terminal that stands still takes nothing."""

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36  # of Linux's prctl


def continue_in_child() -> None:
    """Return in a child process. The caller's own waits for it, ends as it does, and never returns.

    A signal to end is obeyed at once, unless the caller was told to ignore it (nohup): the child
    and all its offspring are killed, and the exit code is 128 + the signal's number.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ending = {number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN}
    # Blocked, they wait to be asked for, however early they come.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*ending, signal.SIGCHLD})
    guard = os.getpid()
    _ask_linux(_SET_SUBREAPER, 1)  # whose parent was killed becomes a child of this process
    child = os.fork()
    if child:
        _wait_for(child, ending)
    _ask_linux(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != guard:  # it was killed before it could be said
        os._exit(128 + signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_when_interrupted() -> None:
    """For the inspector, which runs in its own process: until its screen is there, Ctrl+C ends it.

    A KeyboardInterrupt would arrive in the middle of an import, where a library may swallow it or
    make another error of it.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, _: _end_by(number))


def _ask_linux(option: int, value: int) -> None:
    """Elsewhere a child whose guard was killed outright ends when its work does."""
    import ctypes

    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).prctl(option, value)


def _wait_for(child: int, ending: set[signal.Signals]) -> None:
    while True:
        heard = signal.sigwait({*ending, signal.SIGCHLD})
        if heard != signal.SIGCHLD:
            _kill_all(child)
            _end_by(heard)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    _kill_all()
    _end_by(os.WTERMSIG(status))


_CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)


def _end_by(number: int) -> None:
    """Say what ended the command, in one line below nothing that still moves."""
    name = next((one.name for one in signal.Signals if one == number), f"signal {number}")
    said: dict[int, str] = {
        signal.SIGINT: "interrupted",
        signal.SIGTERM: f"ended by {name}",
        signal.SIGHUP: f"ended by {name}",
        signal.SIGKILL: f"error: ended by {name}, most likely as there was not enough memory; "
        "free some, and run it again",
        signal.SIGBUS: f"error: ended by {name}, most likely as a file that it read was cut short "
        "or its disk failed; run it again",
    }
    if number in _CRASHES:
        line = f"error: ended by {name} inside a library{_explain_crash()}"
    else:
        line = said.get(number, f"ended by {name}")
    write_in_time(2, _stop_what_moves() + line.encode() + b"\n", _LAST_WORDS)
    os._exit(128 + number)


def _explain_crash() -> str:
    """Why, if it can be told, and what to do. Libraries crash where they are refused memory."""
    from tui.cli.shared.memory_limit import describe_memory_limit  # here: see `_children`

    limit = describe_memory_limit()
    if limit:
        return f", most likely as {limit} is too low; raise it, and run it again"
    return "; run it again, and please report it if that does not help"


def _stop_what_moves() -> bytes:
    """A bar or a spinner has hidden the cursor, and stands in its line."""
    can_move = os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb"
    return b"\r\x1b[K\x1b[?25h" if can_move else b""


def _kill_all(*first: int) -> None:
    """Kill these children and every other until none is left, or patience is at its end."""
    end = time.monotonic() + _PATIENCE
    known = set(first)
    while True:
        for pid in known | {*_children()}:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        ended = _reap_all()
        if ended is None or (left := end - time.monotonic()) <= 0:
            return
        known -= ended  # their numbers may be somebody else's by now
        signal.sigtimedwait({signal.SIGCHLD}, min(left, 0.05))


def _reap_all() -> set[int] | None:
    """The children that have ended since; None: none is left."""
    ended = set()
    try:
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            ended.add(pid)
    except ChildProcessError:
        return None
    return ended


def _children() -> list[int]:
    """Those of this process, where the system can tell (Linux)."""
    with contextlib.suppress(OSError):
        from pathlib import Path  # here: until a signal is waited for, every import is a risk

        return [*map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())]
    return []
