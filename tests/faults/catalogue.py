"""The faults that are tried at a point: what each is called, where it can happen, and how."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine.files.points import Point

READING = frozenset[Point]({"read"})
WRITING = frozenset[Point]({"make", "write", "replace", "remove"})
TAKING_ROOM = WRITING - {"remove"}
EVERYWHERE = READING | WRITING
BEFORE_WRITING = frozenset[Point]({"read", "make"})
"""For faults after which a fork goes on to write: later, it would write to the very file that the
command has open as well."""

SLOW = 3.0
"""Seconds that a slow file takes; Ctrl+C does not wait for them."""
DELAY = 0.05
"""Seconds for a slow file that is waited for."""


@dataclass(frozen=True)
class Fault:
    """Happens in the process that has reached a point, or to the file that it is about to touch."""

    name: str
    points: frozenset[Point] = field(default=EVERYWHERE)
    number: int = 0

    def strike(self, path: Path) -> None:
        """In the process that has reached the point."""
        if self.number:
            raise OSError(self.number, os.strerror(self.number), str(path))

    def prepare(self, point: Point, path: Path) -> Callable[[], None]:
        """Before that process lives; what is returned puts all back when it has ended."""
        return lambda: None

    @property
    def lasts(self) -> bool:
        """Whether it happens again at the next point of this kind: a full disk stays full."""
        return bool(self.number)


class Kill(Fault):
    def strike(self, path: Path) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Slowness(Fault):
    """The file takes so many seconds, and then it is there."""

    seconds: float = 0.0

    def strike(self, path: Path) -> None:
        time.sleep(self.seconds)


class Vanishing(Fault):
    """The file that is read, or the folder that is written to, is really gone."""

    def prepare(self, point: Point, path: Path) -> Callable[[], None]:
        moved = path if point == "read" else path.parent
        return _move_aside(moved) if moved.exists() else lambda: None


class Truncation(Fault):
    """Half of the file that is read is really gone."""

    def prepare(self, point: Point, path: Path) -> Callable[[], None]:
        if not path.is_file():
            return lambda: None
        content = path.read_bytes()
        put_back = _move_aside(path)
        path.write_bytes(content[: len(content) // 2])
        return put_back


def _move_aside(path: Path) -> Callable[[], None]:
    """It comes back with all that makes it the same file."""
    aside = path.with_name(f"{path.name}.moved")
    path.rename(aside)

    def put_back() -> None:
        if path.is_dir():  # what was written meanwhile was written into a folder of that name
            shutil.rmtree(path)
        aside.replace(path)

    return put_back


KILL = Kill("kill -9")
FULL = Fault("disk full", TAKING_ROOM, errno.ENOSPC)
VANISHING = Vanishing("vanished", BEFORE_WRITING)
TRUNCATION = Truncation("cut short", READING)
SLOWNESS = Slowness("slow", BEFORE_WRITING, seconds=DELAY)
INTERRUPT = Slowness("slow, and Ctrl+C", seconds=SLOW)
FAULTS: tuple[Fault, ...] = (
    KILL,
    FULL,
    Fault("quota used up", TAKING_ROOM, errno.EDQUOT),
    Fault("read-only file system", WRITING, errno.EROFS),
    Fault("denied", EVERYWHERE, errno.EACCES),
    Fault("I/O error", EVERYWHERE, errno.EIO),
    VANISHING,
    TRUNCATION,
    SLOWNESS,
    INTERRUPT,
)
