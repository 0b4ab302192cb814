"""The files of a store that is open, and what became of them: SQLite goes on writing to files that
were deleted, and never says so.

A store is three files: the main one, its log ("-wal": what was committed lately) and the index of
the log ("-shm", shared by all programs that have the store open).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from engine.files.data_folder import find_data_folder
from engine.files.reading import follow_links

FileIdentity: TypeAlias = tuple[int, int] | None
"""Device and inode; None: there is no such file."""

_SHARED_LOCK = (0x40000002, 510)
"""The bytes of the main file that SQLite locks: first one and number. Whoever has the store open
holds them."""


def find_default_path() -> Path:
    """Where sessions are saved: `$TUI_EVAL_DATA/sessions.db`, or in the user's data folder."""
    return find_data_folder() / "sessions.db"


def list_files(path: Path) -> tuple[Path, Path, Path]:
    """The main file, the log and its index. Of a link they lie where it leads: SQLite follows it.

    >>> [file.name for file in list_files(Path("sessions.db"))]
    ['sessions.db', 'sessions.db-wal', 'sessions.db-shm']
    """
    main, log, index = map(Path, _list_names(path))
    return main, log, index


def _list_names(path: Path) -> tuple[str, str, str]:
    """The same as texts: a `Path` costs more than to look at its file, as every key does."""
    if os.path.islink(path):  # noqa: PTH114 (Path.is_symlink raises where one may not look)
        path = follow_links(path)
    return str(path), f"{path}-wal", f"{path}-shm"


class StoreUse(Enum):
    """Whether other programs have a store open.

    NONE     nobody has, and nobody can open it now
    OPEN     somebody has
    UNKNOWN  the system does not tell: the file cannot be written, or its disk knows no locks
    """

    NONE = "none"
    OPEN = "open"
    UNKNOWN = "unknown"


class StoreLoss(Enum):
    """What became of the files.

    NOTHING     all are as they were
    LOG         the log or its index is gone, and nobody has made another
    TAKEN       another program has made a new log or index beside what is left of ours: it has all
                that we had, and what we still see may not fit together
    STORE       the store is deleted, or another one is in its place
    CUT         the main file has become shorter than what it holds
    UNWRITABLE  they are there, and nothing more can be written to them
    """

    NOTHING = "nothing"
    LOG = "log"
    TAKEN = "taken"
    STORE = "store"
    CUT = "cut"
    UNWRITABLE = "unwritable"


@dataclass(frozen=True, slots=True)
class StoreFiles:
    """Which files are at the path of a store; `size`: of the main one."""

    main: FileIdentity
    log: FileIdentity
    index: FileIdentity
    log_is_empty: bool = field(compare=False, default=False)
    size: int = field(compare=False, default=0)

    @classmethod
    def at(cls, path: Path) -> StoreFiles:
        main, log, index = map(_stat, _list_names(path))
        empty = log is not None and log.st_size == 0
        size = main.st_size if main is not None else 0
        return cls(_identity(main), _identity(log), _identity(index), empty, size)

    def loss(self, now: StoreFiles) -> StoreLoss:
        """What became of these files, by those that are there now.

        >>> was = StoreFiles((1, 1), (1, 2), (1, 3))
        >>> was.loss(was).name, was.loss(StoreFiles(None, None, None)).name
        ('NOTHING', 'STORE')
        >>> was.loss(StoreFiles((1, 1), None, (1, 3))).name
        'LOG'
        >>> was.loss(StoreFiles((1, 1), (1, 9), (1, 3))).name
        'TAKEN'
        """
        if now == self and self.main is not None:
            return StoreLoss.NOTHING
        if now.main != self.main or self.main is None:
            return StoreLoss.STORE
        # An empty log that is not ours was made by a program that has written nothing yet.
        log = None if now.log_is_empty and now.log != self.log else now.log
        if log in (self.log, None) and now.index in (self.index, None):
            return StoreLoss.LOG
        return StoreLoss.TAKEN if self.log == log or self.index == now.index else StoreLoss.STORE

    def drop_leftovers(self, path: Path) -> None:
        """Remove our log and index beside another main file: SQLite would mix them into it."""
        now = StoreFiles.at(path)
        if now.main == self.main:
            return
        _, log, index = list_files(path)
        for file, ours, there in ((log, self.log, now.log), (index, self.index, now.index)):
            if ours is not None and ours == there:
                with contextlib.suppress(OSError):
                    file.unlink()


def close_as_it_is(connection: sqlite3.Connection, path: Path) -> None:
    """Close it and leave the files alone.

    The last program to close a store moves the log into the main file and deletes it by its
    name, which may mean the log of another by now.
    """
    with _kept_from_the_last(connection, path):
        connection.close()


@contextlib.contextmanager
def keeping_others_out(path: Path) -> Iterator[StoreUse]:
    """Whether a program has the store open; if none has, none can as long as the block runs."""
    try:
        import fcntl  # noqa: F401
    except ImportError:  # then the system lets nobody move a file that is open
        yield StoreUse.NONE
        return
    handle = os.open(path, os.O_RDWR if os.access(path, os.W_OK) else os.O_RDONLY)
    try:
        try:
            _lock(handle)
        except (BlockingIOError, PermissionError):
            use = StoreUse.OPEN
        except OSError:
            use = StoreUse.UNKNOWN
        else:
            use = StoreUse.NONE
        yield use
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Take for ourselves what everybody who has the store open shares."""
    import fcntl

    if sys.platform == "linux":  # a lock that also holds against this process
        lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, *_SHARED_LOCK, 0)
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, lock)
    else:
        first, number = _SHARED_LOCK
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, number, first)


@contextlib.contextmanager
def _kept_from_the_last(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    if hasattr(connection, "setconfig"):  # from Python 3.12 on
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)  # type: ignore[attr-defined]
        yield
        return
    # A lock as another program would have it: SQLite then believes that it is not the last.
    handle = None
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe may lie there by now
        lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, *_SHARED_LOCK, 0)
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, lock)  # type: ignore[attr-defined,unused-ignore]
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _stat(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)  # noqa: PTH116
    except OSError:
        return None


def _identity(found: os.stat_result | None) -> FileIdentity:
    return None if found is None else (found.st_dev, found.st_ino)
