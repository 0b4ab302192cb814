"""The points at which files are touched, so that faults can be tried at each of them.

`make faults` has every point fail in every way: a full disk, a denied or slow or vanished file, the
end of the process. Otherwise reaching one does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

Point: TypeAlias = Literal["read", "make", "write", "replace", "remove"]
"""What is about to happen to a file.

read     its bytes are read
make     a new file or folder is made, without a name or beside the one that is meant
write    bytes are written to it
replace  it gets its name, in place of what had it
remove   it goes
"""

FaultHook: TypeAlias = Callable[[Point, Path], None]

_hook: FaultHook | None = None


def reach(point: Point, path: Path) -> None:
    """Say what is about to happen; a fault that is tried here is raised as the system would."""
    if _hook is not None:
        _hook(point, path)


def set_fault_hook(hook: FaultHook | None) -> None:
    """Have every point call this; None: nothing."""
    global _hook
    _hook = hook
