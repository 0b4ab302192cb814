"""Writing to a terminal that may take nothing any more: as much as it takes, and no waiting."""

from __future__ import annotations

import contextlib
import os
import select
import stat
import time
from collections.abc import Iterator


def write_in_time(file: int, text: bytes, seconds: float) -> bool:
    """Write to a descriptor, for so many seconds at most; whether all of it was taken.

    For the last line of a process that is told to end: whoever stopped reading must not keep it.
    """
    end = time.monotonic() + seconds
    with contextlib.suppress(OSError), _without_waiting(file) as outlet:
        ready = select.poll()
        ready.register(outlet, select.POLLOUT)
        while text:
            with contextlib.suppress(BlockingIOError):
                text = text[os.write(outlet, text) :]
            left = end - time.monotonic()
            if text and (left <= 0 or not ready.poll(left * 1000)):
                break
    return not text


@contextlib.contextmanager
def _without_waiting(file: int) -> Iterator[int]:
    """The same place, by a descriptor that never waits."""
    if stat.S_ISREG(os.fstat(file).st_mode):  # a file never makes one wait, but has a place in it
        yield file
        return
    try:
        # Opened again: not to wait is a setting that is shared with the shell, and all else there.
        own = os.open(f"/proc/self/fd/{file}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:  # no such way here: then for this moment
        waits = os.get_blocking(file)
        os.set_blocking(file, False)
        try:
            yield file
        finally:
            os.set_blocking(file, waits)
        return
    try:
        yield own
    finally:
        os.close(own)
