"""ChildProcess: work that takes long to load, or may crash, in a process that ends with this one.

The child is a module of ours with a function `serve(channel, arguments)` (see `child_main`). It
gets few variables of the environment and no open file, and nothing that it prints reaches the
terminal: the last line is quoted when it has ended without being asked to.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from engine.base.channel import Channel
from engine.base.messages import fit_on_line

PASSED_ON = (
    *("PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_*"),
    *("LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME"),
    *("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"),
)
"""Variables of the environment that every child gets, and no other; * stands for any ending."""

_KEPT_WORDS = 4_000  # bytes of what a child says, of which the last line is quoted
_LISTENING = 1.0  # seconds for the last words of a child that has ended


class ChildProcess:
    """A module that runs in a process of its own. It is started at once, and ends with `close`,
    with the interpreter, or with this process, however that ends."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        passed_on: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """`passed_on`: more variables to hand on, as in `PASSED_ON`; `variables`: others to set."""
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "engine.base.child_main", str(os.getpid()), module]
        environment = make_environment(os.environ, (*PASSED_ON, *passed_on))
        environment.update(variables or {})
        self.channel = Channel(ours)
        self._said = b""
        try:
            with theirs:
                self._process = _starter.start(
                    lambda: subprocess.Popen(
                        # -P: a torch.py or an engine folder where the user happens to be is not
                        # meant.
                        [*command, *arguments],
                        stdin=theirs.fileno(),
                        stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT,
                        env=environment,
                        start_new_session=True,  # Ctrl-C is the caller's to handle
                    )
                )
        except BaseException:
            self.channel.close()  # a child that came to be after all ends when it sees that
            raise
        _alive.add(self)
        self._listener = threading.Thread(target=self._listen, name=module, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """End it from any thread, and leave no zombie; a thread that waits for its answer sees the
        stream end."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it, and let go of all that led to it; nobody may be talking to it any more."""
        self.kill()
        _alive.discard(self)
        self.channel.close()
        self._listener.join(_LISTENING)

    def describe_end(self) -> str:
        """Why it ended, in a few words on one line; to be asked once it has.

        It is ended if it has not: who asks has seen the stream end, or read nonsense from it.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LISTENING)
        self.kill()
        self._listener.join(_LISTENING)
        lines = self._said.decode(errors="replace").strip().splitlines()
        words = fit_on_line(lines[-1].strip()) if lines else ""
        code = self._process.returncode
        return ": ".join(filter(None, (_name_signal(code), words))) or f"exit code {code}"

    def _listen(self) -> None:
        """Keep the end of what the child says; it never waits for us to read."""
        words: IO[bytes] | None = self._process.stdout
        assert words is not None
        with words, contextlib.suppress(OSError, ValueError):
            while part := os.read(words.fileno(), _KEPT_WORDS):
                self._said = (self._said + part)[-_KEPT_WORDS:]

    def disown(self) -> None:
        """Let go of a child that belongs to the process which this one was forked from."""
        self.channel.close()
        self._process.returncode = 0


def _name_signal(code: int) -> str:
    """The signal that ended a process with this exit code, if one did.

    >>> _name_signal(-11), _name_signal(1)
    ('segmentation fault', '')
    """
    return (signal.strsignal(-code) or f"signal {-code}").lower() if code < 0 else ""


def make_environment(environ: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """The variables with these names, and where the child finds this very package.

    >>> found = make_environment({"LC_ALL": "C", "SECRET": "x"}, ["LC_*"])
    >>> sorted(found)
    ['LC_ALL', 'PYTHONPATH']
    """
    whole = {name for name in names if not name.endswith("*")}
    starts = tuple(name[:-1] for name in names if name.endswith("*"))
    passed = {k: v for k, v in environ.items() if k in whole or (starts and k.startswith(starts))}
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [passed.get("PYTHONPATH")])]
    return {**passed, "PYTHONPATH": os.pathsep.join(paths)}


@dataclass(slots=True)
class _Order:
    """A process to be started, and what came of it."""

    make: Callable[[], subprocess.Popen[bytes]]
    done: threading.Event = field(default_factory=threading.Event)
    process: subprocess.Popen[bytes] | None = None
    error: BaseException | None = None


class _Starter:
    """Starts every child, in one thread that lives as long as this process.

    Linux kills a child when the *thread* ends that has started it, and whoever asks for a frame or
    a text may be a thread that ends soon.
    """

    def __init__(self) -> None:
        self._orders: queue.SimpleQueue[_Order] | None = None
        self._making = threading.Lock()

    def start(self, make: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        with self._making:
            if self._orders is None:
                self._orders = queue.SimpleQueue()
                threading.Thread(target=self._run, name="children", daemon=True).start()
                atexit.register(_end_all)
        order = _Order(make)
        self._orders.put(order)
        order.done.wait()
        if order.error is not None:
            raise order.error
        assert order.process is not None
        return order.process

    def _run(self) -> None:
        assert self._orders is not None
        while True:
            order = self._orders.get()
            try:
                order.process = order.make()
            except BaseException as error:
                order.error = error
            order.done.set()


_starter = _Starter()
_alive: weakref.WeakSet[ChildProcess] = weakref.WeakSet()


def _end_all() -> None:
    for child in list(_alive):
        child.kill()


def _begin_after_fork() -> None:
    """A forked process has neither the thread nor the children of the one that it came from."""
    global _starter
    _starter = _Starter()
    for child in list(_alive):
        child.disown()
    _alive.clear()


os.register_at_fork(after_in_child=_begin_after_fork)
