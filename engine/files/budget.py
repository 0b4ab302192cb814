"""How much memory reading a file may take: asked before it is read, for files of every format.

A few kilobytes can become many gigabytes: by compression, by dictionaries of columns, by headers
that promise what is not there, and by what parsing makes of short texts. Every reader says
beforehand what it will need at most, in bytes of memory, and is refused if that is more than

- three quarters of the memory that is free now, or
- a thousand times the size of the file, its holes aside, where that is above a gigabyte: no valid
  file grows that much.

`$TUI_EVAL_MEMORY` (such as 40GB) replaces both.
"""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Callable
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.memory import NO_LIMIT, measure_free_memory

VARIABLE = "TUI_EVAL_MEMORY"

ALWAYS_FINE = 1 << 30
MOST_GROWTH = 1000
SURELY_FREE = 32 << 20
"""Bytes that are not worth asking for: interpreting this program takes more."""

_SHARE = 0.75
_BLOCK = 512
"""Bytes in which the system counts what a file takes, whatever the file system's own are."""
_SPARE = 1.1
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class TooLargeError(InputError):
    """Reading a file would take more memory than it may."""


def require_room(
    needed: float,
    place: Path | Place,
    *,
    hint: str = "",
    later: Callable[[], float] | None = None,
) -> None:
    """Refuse to read a file if it needs more bytes of memory than there are for it.

    later  what it will need when it is parsed, infinite if that cannot be known: it is asked for
           only to say it, so that whoever makes room for `needed` is not refused once more
    """
    where = place if isinstance(place, Place) else Place(place)
    if needed <= SURELY_FREE or needed <= measure_limit(where.file):
        return
    in_all = needed if later is None else max(needed, later())
    raise _too_large(needed, in_all, where, hint)


def measure_limit(file: Path | str | None) -> int:
    """The most bytes of memory that reading this file may take."""
    if os.environ.get(VARIABLE, "").strip():
        return measure_share()
    return int(min(measure_share(), _measure_growth(file)))


def measure_share() -> int:
    """The most bytes that anything may take: what the variable says, or most of what is free."""
    if own := os.environ.get(VARIABLE, "").strip():
        return parse_size(own)
    return int(_SHARE * measure_free_memory())


def _measure_growth(file: Path | str | None) -> float:
    try:
        size = 0 if file is None else _measure_data(Path(file))
    except (OSError, ValueError):
        size = 0
    return max(ALWAYS_FINE, MOST_GROWTH * size)


def _measure_data(file: Path) -> int:
    """Bytes of a file without its holes, which promise gigabytes for nothing.

    How many blocks it takes tells only where to look: they are fewer too where the file system
    compresses, and none where it does not say.
    """
    found = file.stat()
    size = found.st_size
    if MOST_GROWTH * size <= ALWAYS_FINE or found.st_blocks * _BLOCK >= size:
        return size
    with file.open("rb", buffering=0) as opened:
        descriptor, end, data = opened.fileno(), 0, 0
        while end < size:
            try:
                start = os.lseek(descriptor, end, os.SEEK_DATA)
                end = os.lseek(descriptor, start, os.SEEK_HOLE)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nothing but a hole from here on
                    break
                return size  # the file system does not know of holes
            data += end - start
    return data


def _too_large(needed: float, in_all: float, place: Place, hint: str) -> TooLargeError:
    """The variable is offered only where it would help."""
    free = measure_free_memory()
    is_known = in_all < math.inf
    needed = min(in_all if is_known else needed, NO_LIMIT)
    about = "about" if is_known else "more than"
    remedy = hint or "split it"
    if needed > free:
        remedy = f"free some memory, or {remedy}"
    elif is_known:
        remedy += f", or set {VARIABLE}={format_setting(_SPARE * needed)} if you trust it"
    return TooLargeError(
        f"needs {about} {show_size(needed)} of memory, {_say_limit(needed, free)}",
        place,
        hint=remedy,
    )


def _say_limit(needed: float, free: int) -> str:
    what_is_free = f"{show_size(free)} are free"
    if own := os.environ.get(VARIABLE, "").strip():
        allowed = f"{VARIABLE} allows {own}"
        return f"{allowed} and {what_is_free}" if needed > free else allowed
    if needed > _SHARE * free:
        return what_is_free
    return f"{MOST_GROWTH:,} times its size or more, holes aside: no valid file grows that much"


def parse_size(text: str) -> int:
    """Bytes from a text such as 40GB, 512M or 1.5 GiB.

    >>> parse_size("1.5 GB"), parse_size("512M")
    (1610612736, 536870912)
    """
    number = r"([0-9]{1,15}(?:\.[0-9]{1,15})?)"  # more digits than these, nobody means
    found = re.fullmatch(rf"{number}\s*([KMGT]?)(?:I?B)?", text.strip().upper())
    if found is None:
        raise InputError(f"{VARIABLE} is {text!r}", hint=f"write a size, such as {VARIABLE}=40GB")
    return int(float(found[1]) * _UNITS[found[2]])


def format_setting(count: float) -> str:
    """Bytes as `parse_size` reads them, rounded up.

    >>> format_setting(200_000_000), format_setting(2000.5 * 2**30)
    ('191MB', '2001GB')
    """
    if count < 10 << 30:
        return f"{max(1, math.ceil(count / 2**20))}MB"
    return f"{math.ceil(count / 2**30)}GB"


def show_size(count: float) -> str:
    """Bytes in the unit that suits them.

    >>> [show_size(count) for count in (200_000_000, 1.6 * 2**30, 41 * 2**30)]
    ['191 MB', '1.6 GB', '41 GB']
    """
    if count < 1 << 30:
        return f"{max(1, round(count / 2**20))} MB"
    size = count / 2**30
    return f"{size:.1f} GB" if size < 9.95 else f"{size:,.0f} GB"
