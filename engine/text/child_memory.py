"""How much memory a child may take while it loads a model: watched from outside.

The settings of a model's folder may promise a billion words, and compressed weights may grow
thousandfold. A limit of the system (RLIMIT_DATA, RLIMIT_AS) would also count what CUDA only
reserves, so the memory that the child really has is looked at while its answer is waited for.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import Place
from engine.files.budget import VARIABLE, TooLargeError, measure_share, show_size
from engine.files.memory import measure_free_memory


@dataclass(frozen=True, slots=True)
class ChildMemory:
    """The memory of a process that loads a model, and the most bytes that it may take.

    >>> ChildMemory(os.getpid(), "my-model", 1 << 50).check()
    >>> ChildMemory(os.getpid(), "my-model", 1).check()
    Traceback (most recent call last):
    engine.files.budget.TooLargeError: my-model: needs more than ... of memory, ...
    """

    pid: int
    model: str
    limit: int

    @classmethod
    def of(cls, pid: int, model: str) -> ChildMemory:
        """With `$TUI_EVAL_MEMORY`, or else three quarters of what is free now."""
        return cls(pid, model, measure_share())

    def check(self) -> None:
        """Raise when it takes more; one that has ended takes none."""
        used = measure_own_memory(self.pid)
        if used <= self.limit:
            return
        against = f"{show_size(measure_free_memory() + used)} are free without it"
        if own := os.environ.get(VARIABLE, "").strip():
            against = f"{VARIABLE} allows {own}"
        raise TooLargeError(
            f"needs more than {show_size(self.limit)} of memory, {against}",
            Place(self.model),
            hint="check that its config.json is right, name a smaller model, or raise "
            f"{VARIABLE} if it is",
        )


def measure_own_memory(pid: int) -> int:
    """Bytes that a process has for itself; those of files that it maps, as weights are read, the
    system takes back when it needs them."""
    try:
        resident, shared = map(int, Path(f"/proc/{pid}/statm").read_bytes().split()[1:3])
    except (OSError, ValueError):  # it has ended, or this system does not tell
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
