"""Run a command in a process of its own: its time, its peak memory and what it printed.

Linux counts the memory of the process that starts another as the other's, until it is the
program it will be. A launcher with next to nothing in memory therefore stands in between.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """From the start of the process to its end."""

    seconds: float
    megabytes: float
    printed: str


def measured(command: Sequence[str]) -> Measured:
    """Run a command to its end; one that fails is an error with what it had to say."""
    with tempfile.TemporaryDirectory() as name:
        printed = Path(name, "printed")
        launcher = [sys.executable, "-S", str(Path(__file__)), str(printed), *command]
        done = subprocess.run(launcher, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        took = json.loads(done.stdout)
        return Measured(took["seconds"], took["megabytes"], printed.read_text(encoding="utf-8"))


def _launch(printed: str, command: list[str]) -> int:
    with Path(printed).open("wb") as file:
        begun = time.perf_counter()
        child = subprocess.Popen(command, stdout=file)
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begun
    in_bytes = 1 if sys.platform == "darwin" else 1024
    print(json.dumps({"seconds": seconds, "megabytes": used.ru_maxrss * in_bytes / 1e6}))
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(_launch(sys.argv[1], sys.argv[2:]))
