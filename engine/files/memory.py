"""How much memory is free: of the machine, of the control groups that hold this process, and of the
limit that the process itself has."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from engine.files.reading import is_folder

NO_LIMIT = 1 << 62
"""Bytes: more than anybody has."""

_MEMINFO = Path("/proc/meminfo")
_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


def measure_free_memory() -> int:
    """Bytes that this process may still take."""
    return max(0, min(_measure_machine(), measure_groups(), _measure_process()))


def _measure_machine() -> int:
    try:
        found = re.search(rb"MemAvailable:\s+(\d+) kB", _MEMINFO.read_bytes())
    except OSError:
        found = None
    if found is not None:
        return int(found[1]) << 10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _measure_process() -> int:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return NO_LIMIT
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
    except (OSError, ValueError, IndexError):
        pages = 0
    return most - pages * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class _GroupFiles:
    """What the files of a control group are called; `kept` are lines of its memory.stat."""

    limits: tuple[str, ...]
    used: str
    kept: tuple[str, ...]


_FIRST = _GroupFiles(
    limits=("memory.limit_in_bytes",),
    used="memory.usage_in_bytes",
    kept=("total_inactive_file", "total_active_file"),
)
_SECOND = _GroupFiles(
    limits=("memory.max", "memory.high"),
    used="memory.current",
    kept=("inactive_file", "active_file"),
)
"""Version 1 and version 2. Above memory.high a process is slowed down until it stands still."""


def measure_groups(root: Path = _GROUPS, own: Path = _OWN_GROUPS) -> int:
    """Bytes that the control groups of a process leave it: a group holds all that are inside it.

    root  where the groups are mounted
    own   the file that names those of the process
    """
    try:
        text = own.read_text()
    except (OSError, ValueError):
        text = "0::/"
    return min((_measure_group(*group) for group in _list_groups(root, text)), default=NO_LIMIT)


@lru_cache(maxsize=8)
def _list_groups(root: Path, own: str) -> tuple[tuple[Path, _GroupFiles], ...]:
    """The groups of a process that limit memory, each with those that it lies in.

    A container may see its group as the root, though it is called by the name outside: what is not
    there is left out, once and for all, as looking for it takes longer than all else.
    """
    return tuple((folder, files) for folder, files in _name_groups(root, own) if is_folder(folder))


def _name_groups(root: Path, own: str) -> Iterator[tuple[Path, _GroupFiles]]:
    for line in own.split("\n"):
        _, controllers, name = (*line.split(":", 2), "", "")[:3]
        inner = PurePosixPath(name.lstrip("/"))
        if ".." in inner.parts:  # outside of what this process may see
            inner = PurePosixPath()
        steps = (inner, *inner.parents)
        if not controllers:
            mounts = (root, root / "unified")
            yield from ((mount / step, _SECOND) for mount in mounts for step in steps)
        elif "memory" in controllers.split(","):
            yield from ((root / "memory" / step, _FIRST) for step in steps)


def _measure_group(folder: Path, files: _GroupFiles) -> int:
    """What files in the cache take of it can be given back, also of those that are read often: so
    does the system count what is free of the machine."""
    limits = [most for name in files.limits if (most := _read_number(folder / name)) is not None]
    if min(limits, default=NO_LIMIT) >= NO_LIMIT:  # the system writes no limit as a huge one
        return NO_LIMIT
    used = _read_number(folder / files.used)
    if used is None:
        return NO_LIMIT
    return min(limits) - used + _read_kept(folder / "memory.stat", files.kept)


def _read_number(file: Path) -> int | None:
    try:
        return int(file.read_bytes())
    except (OSError, ValueError):  # no such group, or "max"
        return None


def _read_kept(file: Path, names: tuple[str, ...]) -> int:
    try:
        lines = re.findall(rb"^(\w+) (\d+)$", file.read_bytes(), re.MULTILINE)
    except OSError:
        return 0
    return sum(int(count) for name, count in lines if name.decode() in names)
