"""How much memory reading a file may take: asked before it is read, for files of every format.

A few kilobytes can become many gigabytes: by compression, by dictionaries of columns, by headers
that promise what is not there, and by what parsing makes of short texts. Every reader says
beforehand what it will need at most, in bytes of memory, and is refused if that is more than

- three quarters of the memory that is free now, or
- a thousand times the size of the file, where that is above a gigabyte: no sound file grows so.

`$TUI_EVAL_MEMORY` (such as 40GB) replaces both.
"""

from __future__ import annotations

import os
import re
import resource
from pathlib import Path

from engine.base.errors import InputError, Place

VARIABLE = "TUI_EVAL_MEMORY"

ALWAYS_FINE = 1 << 30
MOST_GROWTH = 1000
_SHARE = 0.75
_MEMINFO = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class TooLargeError(InputError):
    """Reading a file would take more memory than it may."""


def require_room(
    needed: float, place: Path | Place, *, hint: str = "", least: bool = False
) -> None:
    """Refuse to read a file if it needs more bytes of memory than there are for it.

    least  so many at least: how many was not found out
    """
    where = place if isinstance(place, Place) else Place(place)
    if needed <= SURELY_FREE:
        return
    if needed > measure_limit(where.file):
        raise _too_large(needed, where, hint, least)


def measure_limit(file: Path | str | None) -> int:
    """The most bytes of memory that reading this file may take."""
    if own := os.environ.get(VARIABLE, "").strip():
        return parse_size(own)
    return int(min(_SHARE * measure_free_memory(), _measure_growth(file)))


SURELY_FREE = 32 << 20
"""Bytes that are not worth asking for: interpreting this program takes more."""


def _measure_growth(file: Path | str | None) -> float:
    try:
        size = 0 if file is None else Path(file).stat().st_size
    except (OSError, ValueError):
        size = 0
    return max(ALWAYS_FINE, MOST_GROWTH * size)


def _too_large(needed: float, place: Place, hint: str, least: bool) -> TooLargeError:
    free = measure_free_memory()
    about = "more than" if least else "about"
    if os.environ.get(VARIABLE) or needed > _SHARE * free:
        against = f"{show_size(free)} are free"
        if own := os.environ.get(VARIABLE):
            against = f"{VARIABLE} allows {own.strip()}"
    else:
        against = f"{MOST_GROWTH:,} times its size or more: no sound file grows so"
    raise_it = f"or set {VARIABLE}={show_size(needed * 1.1).replace(' ', '')} if it is right"
    return TooLargeError(
        f"needs {about} {show_size(needed)} of memory, {against}",
        place,
        hint=f"{hint or 'split it'}, {raise_it}",
    )


def measure_free_memory() -> int:
    """Bytes that this process may still take: of the machine, of its control group, of its own
    limit."""
    return max(0, min(_free_on_machine(), _free_in_group(), _free_in_process()))


def _free_on_machine() -> int:
    try:
        found = re.search(rb"MemAvailable:\s+(\d+) kB", _MEMINFO.read_bytes())
    except OSError:
        found = None
    if found is not None:
        return int(found[1]) << 10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _free_in_group() -> int:
    """What a container may still take; what its files take of it can be given back."""
    try:
        most = int((_GROUP / "memory.max").read_bytes())
        used = int((_GROUP / "memory.current").read_bytes())
        kept = re.search(rb"^inactive_file (\d+)", (_GROUP / "memory.stat").read_bytes(), re.M)
    except (OSError, ValueError):  # no group, or "max"
        return _NO_LIMIT
    return most - used + (int(kept[1]) if kept else 0)


def _free_in_process() -> int:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return _NO_LIMIT
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
    except (OSError, ValueError, IndexError):
        pages = 0
    return most - pages * os.sysconf("SC_PAGE_SIZE")


_NO_LIMIT = 1 << 62


def parse_size(text: str) -> int:
    """Bytes from a text such as 40GB, 512M or 1.5 GiB.

    >>> parse_size("1.5 GB"), parse_size("512M")
    (1610612736, 536870912)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", text.strip().upper())
    if found is None:
        raise InputError(f"{VARIABLE} is {text!r}", hint=f"write a size, such as {VARIABLE}=40GB")
    return int(float(found[1]) * _UNITS[found[2]])


def show_size(count: float) -> str:
    """Bytes in the unit that suits them.

    >>> [show_size(count) for count in (200_000_000, 1.6 * 2**30, 41 * 2**30)]
    ['191 MB', '1.6 GB', '41 GB']
    """
    if count < 1 << 30:
        return f"{max(1, round(count / 2**20))} MB"
    size = count / 2**30
    return f"{size:.1f} GB" if size < 9.95 else f"{size:,.0f} GB"
