"""How much memory is free: of the machine, of the control groups that hold this process, and of the
limit that the process itself has."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from engine.files.reading import is_regular_file

NO_LIMIT = 1 << 62
"""Bytes: more than anybody has."""

_MEMINFO = "/proc/meminfo"
_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


def measure_free_memory() -> int:
    """Bytes that this process may still take."""
    return max(0, min(_measure_machine(), measure_groups(), _measure_process()))


def _measure_machine() -> int:
    try:
        found = re.search(rb"MemAvailable:\s+(\d+) kB", _read(_MEMINFO))
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
        pages = int(_read("/proc/self/statm").split()[0])
    except (OSError, ValueError, IndexError):
        pages = 0
    return most - pages * os.sysconf("SC_PAGE_SIZE")


class _Version(NamedTuple):
    """What the files of a control group are called; `kept` are lines of its memory.stat."""

    limits: tuple[str, ...]
    used: str
    kept: tuple[str, ...]


_FIRST = _Version(
    limits=("memory.limit_in_bytes",),
    used="memory.usage_in_bytes",
    kept=("total_inactive_file", "total_active_file"),
)
_SECOND = _Version(
    limits=("memory.max", "memory.high"),
    used="memory.current",
    kept=("inactive_file", "active_file"),
)
"""Above memory.high a process is slowed down until it stands still."""


class _Group(NamedTuple):
    """A control group by its files. As texts: a `Path` costs more than to read what it names."""

    limits: tuple[str, ...]
    used: str
    stat: str
    kept: tuple[str, ...]

    @classmethod
    def at(cls, folder: Path, version: _Version) -> _Group:
        limits = (folder / name for name in version.limits)
        there = tuple(str(file) for file in limits if is_regular_file(file))
        return cls(there, str(folder / version.used), str(folder / "memory.stat"), version.kept)


def measure_groups(root: Path = _GROUPS, own: Path = _OWN_GROUPS) -> int:
    """Bytes that the control groups of a process leave it: a group holds all that are inside it.

    root  where the groups are mounted
    own   the file that names those of the process
    """
    try:
        text = own.read_text()
    except (OSError, ValueError):
        text = "0::/"
    return min(map(_measure_group, _list_groups(root, text)), default=NO_LIMIT)


@lru_cache(maxsize=8)
def _list_groups(root: Path, own: str) -> tuple[_Group, ...]:
    """The groups of a process that limit memory, each with those that it lies in.

    A container may see its group as the root, though it is called by the name outside: what is not
    there is left out, once and for all, as looking for it takes longer than all else.
    """
    groups = (_Group.at(*group) for group in _name_groups(root, own))
    return tuple(dict.fromkeys(group for group in groups if group.limits))


def _name_groups(root: Path, own: str) -> Iterator[tuple[Path, _Version]]:
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


def _measure_group(group: _Group) -> int:
    """What files in the cache take of it can be given back, also of those that are read often: so
    does the system count what is free of the machine."""
    limits = [most for name in group.limits if (most := _read_number(name)) is not None]
    if min(limits, default=NO_LIMIT) >= NO_LIMIT:  # the system writes no limit as a huge one
        return NO_LIMIT
    used = _read_number(group.used)
    return NO_LIMIT if used is None else min(limits) - used + _read_kept(group)


def _read_number(name: str) -> int | None:
    try:
        return int(_read(name))
    except (OSError, ValueError):  # no such group, or "max"
        return None


def _read_kept(group: _Group) -> int:
    try:
        lines = re.findall(rb"^(\w+) (\d+)$", _read(group.stat), re.MULTILINE)
    except OSError:
        return 0
    return sum(int(count) for name, count in lines if name.decode() in group.kept)


def _read(name: str) -> bytes:
    """What the system says in one of its files, which is short."""
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123
        return file.read()
