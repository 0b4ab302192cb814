"""A program in a pseudo-terminal: what it sends, what its screen shows, and keys for it.

The benchmarks measure with it and the tests look through it, so it lives here once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyte

TUI_EVAL = str(Path(sys.executable).parent / "tui-eval")
"""The installed command beside this Python."""

DOWN, ESCAPE, ENTER = "\x1b[B", "\x1b", "\r"
PATIENCE = 120.0
"""Seconds after which a screen that was waited for will not come."""


def environment(folder: Path, **more: str) -> dict[str, str]:
    """A user who has nothing yet: an empty home, and data and cache in a folder of their own."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    own = {
        "HOME": home,
        "TUI_EVAL_DATA": folder / "data",
        "TUI_EVAL_CACHE": folder / "cache",
    }
    plain = {"LANG": "C.UTF-8", "TERM": "xterm-256color"}
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return kept | plain | {name: str(path) for name, path in own.items()} | more


class Terminal:
    """Starts the program at once; leaving the `with` block ends it and its children."""

    def __init__(
        self,
        command: Sequence[str],
        variables: Mapping[str, str],
        columns: int = 120,
        rows: int = 40,
    ) -> None:
        self.raw = bytearray()
        """Everything that was sent to the terminal so far."""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._master, self._slave = pty.openpty()
        self._set_size(columns, rows)
        self.settings_before = self.settings()
        self.offspring: set[int] = set()
        """Processes that were seen to be its children while it ended."""
        self.process = self._start(command, variables)

    def _start(
        self, command: Sequence[str], variables: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=dict(variables),
            cwd=variables["HOME"],
            start_new_session=True,
            preexec_fn=_take_terminal,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            for pid in (*self.children(), self.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()
        self.hang_up()

    # The screen

    @property
    def text(self) -> str:
        """What the screen shows."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def is_painted(self) -> bool:
        """Whether an app has coloured the screen down to its last cell."""
        last = self._screen.buffer[self._screen.lines - 1][self._screen.columns - 1]
        return bool(last.bg != "default")

    def pane(self, title: str) -> str:
        """What stands inside the pane with this title; "" if there is none."""
        for top in range(self._screen.lines):
            line = self._cells(top, 0, self._screen.columns)
            for left in (x for x, cell in enumerate(line) if cell == "╭"):
                right = line.index("╮", left) if "╮" in line[left:] else len(line)
                if f" {title}" in "".join(line[left:right]):
                    below = range(top + 1, self._screen.lines)
                    inside = (self._cells(y, left, right) for y in below)
                    return "\n".join("".join(row[1:]).rstrip() for row in inside if row[0] == "│")
        return ""

    def _cells(self, y: int, left: int, right: int) -> list[str]:
        line = self._screen.buffer[y]
        return [line[x].data for x in range(left, right)]

    def wait_for(self, wanted: str | Callable[[], bool], patience: float = PATIENCE) -> None:
        """Read until a text is on the screen, or a condition holds."""
        if isinstance(wanted, str):
            self.wait_for(lambda: wanted in self.text, patience)
            return
        end = time.monotonic() + patience
        while not wanted():
            if time.monotonic() > end:
                raise TimeoutError(f"waited in vain for {patience:g} s; the screen:\n{self.text}")
            if not self.read(0.05) and self.process.poll() is not None and not wanted():
                raise EOFError(f"ended with {self.process.returncode}; the screen:\n{self.text}")

    def settle(self, quiet: float = 0.3) -> None:
        """Read until nothing was sent for so many seconds."""
        while self.read(quiet):
            pass

    def read(self, patience: float = 0.0) -> bool:
        """Read what was sent; whether there was anything within so many seconds."""
        if not select.select([self._master], [], [], patience)[0]:
            return False
        sent = os.read(self._master, 1 << 16)
        self.raw += sent
        self._stream.feed(sent)
        return True

    @property
    def unread(self) -> int:
        """Bytes that were sent and wait to be read."""
        size = fcntl.ioctl(self._master, termios.FIONREAD, struct.pack("i", 0))
        return int(struct.unpack("i", size)[0])

    # The keyboard and the window

    def send(self, keys: str | bytes) -> None:
        os.write(self._master, keys if isinstance(keys, bytes) else keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        self._set_size(columns, rows)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def settings(self) -> list[Any]:
        """The settings of the terminal, as `stty` shows them."""
        return termios.tcgetattr(self._slave)

    def hang_up(self) -> None:
        """Take the terminal away, as a lost connection does."""
        for end in (self._master, self._slave):
            with contextlib.suppress(OSError):
                os.close(end)

    # The process

    def ended(self, patience: float = PATIENCE) -> int:
        """Read on until the program has ended; its exit code."""
        end = time.monotonic() + patience
        self.offspring.update(self.children())
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise TimeoutError(f"still runs after {patience:g} s; the screen:\n{self.text}")
            self.read(0.01)
            self.offspring.update(self.children())
        while self.read():
            pass
        return self.process.returncode

    def children(self) -> list[int]:
        """The processes that the program has started and that still run."""
        found: list[int] = []
        with contextlib.suppress(OSError):  # it has ended
            for task in Path(f"/proc/{self.process.pid}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        return found


def _take_terminal() -> None:
    """In the new process: its terminal is the one on stdin, so that signals come from there."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
