"""Changing a text file that others may change as well: nothing that they wrote is lost."""

from __future__ import annotations

import codecs
import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.base.errors import InputError
from engine.files.atomic import remove_file, replace_whole
from engine.files.reading import follow_links, guard_reading

PATIENCE = 5.0
"""Seconds to wait for another program that changes a file of the same folder."""

_PAUSE = 0.02
_TRIES = 20


class ChangedSinceError(InputError):
    """What was changed cannot be taken back any more: others have written there."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file held before and after; None: there was none."""

    path: Path
    before: bytes | None
    after: bytes | None


def change_file(path: Path, change: Callable[[str], str], *, private: bool = False) -> FileChange:
    """Replace a text by `change(text)`, whole or not at all; a file that is not there is empty.

    If the file changes while it is being changed, what it holds now is changed instead. Lines end
    as `change` leaves them; a byte order mark stays. What was replaced is returned. `private`: the
    file is for its owner alone.
    """
    path = follow_links(path)
    with _alone_with([path]):
        for _ in range(_TRIES):
            before = _read(path)
            held = before or b""
            mark = codecs.BOM_UTF8 if held.startswith(codecs.BOM_UTF8) else b""
            after = mark + change(_decode(held[len(mark) :], path)).encode()
            if after == held:
                return FileChange(path, before, before)
            if _read(path) == before:
                replace_whole(after, path, private=private)
                return FileChange(path, before, after)
    raise InputError("is being changed all the time by another program", path, hint="try again")


def take_back(changes: Sequence[FileChange]) -> None:
    """Put back what the files held before, all of them or none.

    Where others have written since, nothing is put back, and that is said.
    """
    done = [change for change in changes if change.before != change.after]
    with _alone_with(change.path for change in done):
        for change in done:
            if _read(change.path) != change.after:
                hint = "take out by hand what is not wanted"
                raise ChangedSinceError(
                    "was changed since, and is left as it is", change.path, hint=hint
                )
        put: list[FileChange] = []
        try:
            for change in done:
                _put(change.before, change.path)
                put.append(change)
        except InputError:
            for change in put:
                _put(change.after, change.path)
            raise


def _put(content: bytes | None, path: Path) -> None:
    if content is not None:
        replace_whole(content, path)
    else:
        remove_file(path)


def may_be_written(path: Path) -> bool:
    """Whether a file, and the folder in which it is replaced, may be written by this user.

    A file that nobody may write is not written by the administrator either.
    """
    path = follow_links(path)
    return all(
        os.access(place, os.W_OK) and place.stat().st_mode & 0o222
        for place in (path, path.parent)
        if place.exists()
    )


def _read(path: Path) -> bytes | None:
    if not path.exists():
        return None
    with guard_reading(path):
        return path.read_bytes()


def _decode(data: bytes, path: Path) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", path, hint="save it as UTF-8 text") from error


@contextlib.contextmanager
def _alone_with(files: Iterable[Path]) -> Iterator[None]:
    """Wait until no other program changes texts of the files' folders this way.

    Folders are locked in one order, so that no two programs wait for each other.
    """
    first_in = {file.parent: file for file in files}
    with contextlib.ExitStack() as locks:
        for folder in sorted(first_in):
            locks.enter_context(_alone_in(folder, first_in[folder]))
        yield


@contextlib.contextmanager
def _alone_in(folder: Path, file: Path) -> Iterator[None]:
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # then the comparison before the writing must do
        yield
        return
    try:
        with contextlib.suppress(OSError):  # not every file system has locks
            _wait_for_lock(lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB), file)
        yield
    finally:
        os.close(handle)


def _wait_for_lock(lock: Callable[[], None], file: Path) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return lock()
        except BlockingIOError as error:
            if time.monotonic() >= until:
                raise InputError(
                    f"another program has kept its folder locked for {PATIENCE:g} seconds",
                    file,
                    hint="end that program, or try again when it is done",
                ) from error
        time.sleep(_PAUSE)
