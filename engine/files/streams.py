"""Outputs that are no files of their own: pipes, devices, and what is open already (`/dev/stdout`).

They are written where they stand, and never replaced. A path such as `/dev/fd/1` leads on to the
file that a shell has redirected the stream to: to follow it would destroy what others wrote there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.base.visible import spell_hidden
from engine.files.points import reach

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 1 << 20
_MOST_LINKS = 40
_DESCRIPTORS = re.compile(r"/proc/(\d+)(?:/task/\d+)?/fd|/dev/fd")


class OpenStream(NamedTuple):
    """A descriptor that a path names, and the process that has it open."""

    process: int
    descriptor: int

    @property
    def is_ours(self) -> bool:
        return self.process == os.getpid()


def is_stream(path: Path) -> bool:
    """Whether what is written to a path goes where others read or write as well."""
    if find_open_stream(path) is not None:
        return True
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def find_open_stream(path: Path) -> OpenStream | None:
    """The descriptor that a path names, directly or by links; None: it names none.

    >>> find_open_stream(Path("/dev/fd/1")) == (os.getpid(), 1)
    True
    >>> find_open_stream(Path("/dev/null"))
    """
    with suppress(OSError, ValueError):  # no path at all: who opens it will say so
        for _ in range(_MOST_LINKS):
            folder = os.path.realpath(path.parent)
            found = _DESCRIPTORS.fullmatch(folder)
            if found is not None and path.name.isdecimal():
                return OpenStream(int(found[1] or os.getpid()), int(path.name))
            path = Path(folder, Path(folder, path.name).readlink())
    return None


def check_stream(path: Path) -> None:
    """Raise what the system would say of writing to a stream that is open, before the work."""
    found = find_open_stream(path)
    if found is not None and found.is_ours:
        _require_handed_over(found.descriptor)


def write_stream(data: bytes, path: Path) -> None:
    """Write behind what is there. A reader that went away (`| head`) has what it wanted.

    A terminal gets what a person can see, as the command's own output does.
    """
    reach("write", path)
    with _opened(path) as descriptor:
        if os.isatty(descriptor):
            data = spell_hidden(data.decode(errors="replace"), keep="\n").encode()
        left = memoryview(data)
        with suppress(BrokenPipeError):
            while left:
                left = left[os.write(descriptor, left[:_PIECE]) :]


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    found = find_open_stream(path)
    if found is not None and found.is_ours:
        _require_handed_over(found.descriptor)
        yield found.descriptor
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOCTTY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _require_handed_over(descriptor: int) -> None:
    """It must be open for writing, and by whoever started this process.

    What the process has opened itself, a database perhaps, would not survive the start of another
    program: that tells the two apart.
    """
    is_readable_only = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    if is_readable_only or not os.get_inheritable(descriptor):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
