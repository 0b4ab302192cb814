"""Changing a text file that others may change as well: nothing that they wrote is lost."""

from __future__ import annotations

import codecs
import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.base.errors import InputError
from engine.files.atomic import write_whole
from engine.files.reading import guard_reading

_TRIES = 20


def change_file(path: Path, change: Callable[[str], str]) -> None:
    """Replace a text by `change(text)`, whole or not at all; a file that is not there is empty.

    If the file changes while it is being changed, what it holds now is changed instead. Lines end
    as `change` leaves them; a byte order mark stays.
    """
    path = path.resolve()
    with _alone_in(path.parent):
        for _ in range(_TRIES):
            before = _read(path)
            mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
            after = mark + change(_decode(before[len(mark) :], path)).encode()
            if after == before:
                return
            if _read(path) == before:
                write_whole(after, path)
                return
    raise InputError("is being changed all the time by another program", path, hint="try again")


def may_be_written(path: Path) -> bool:
    """Whether a file, and the folder in which it is replaced, may be written by this user.

    A file that nobody may write is not written by the administrator either.
    """
    path = path.resolve()
    return all(
        os.access(place, os.W_OK) and place.stat().st_mode & 0o222
        for place in (path, path.parent)
        if place.exists()
    )


def _read(path: Path) -> bytes:
    if not path.exists():
        return b""
    with guard_reading(path):
        return path.read_bytes()


def _decode(data: bytes, path: Path) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", path, hint="save it as UTF-8 text") from error


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other program changes a text of the folder this way."""
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # then the comparison before the writing must do
        yield
        return
    try:
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
