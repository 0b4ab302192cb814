"""The SQLite file of the sessions: opened with care, written in short transactions.

A file that is not ours is never written. Whatever SQLite says becomes an `InputError` with the
path and a remedy.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine.base.errors import InputError, Place
from engine.files.protection import protect_database
from engine.sessions.copy_sessions import copy_sessions
from engine.sessions.schema import ANOTHER_STORE, check_ours, make_tables
from engine.sessions.store_files import StoreFiles, StoreLoss, close_as_it_is

BUSY_SECONDS = 3.0
"""How long to wait for another process that writes; it needs milliseconds."""

_TROUBLES = {
    sqlite3.SQLITE_NOTADB: ("is not a session store", f"it is left as it is; {ANOTHER_STORE}"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", f"restore it from a backup, or {ANOTHER_STORE}"),
    sqlite3.SQLITE_READONLY: ("cannot be written", f"check its permissions, or {ANOTHER_STORE}"),
    sqlite3.SQLITE_PERM: ("cannot be written", f"check its permissions, or {ANOTHER_STORE}"),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened for writing",
        f"check the permissions of the file and its folder, or {ANOTHER_STORE}",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot be written: the disk is full",
        f"free some space (what was saved before is safe), or {ANOTHER_STORE}",
    ),
    sqlite3.SQLITE_BUSY: (
        "is locked by another program",
        "close the other program, then try again",
    ),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written (the disk, or your quota of it)",
        f"check the disk, or {ANOTHER_STORE}",
    ),
    sqlite3.SQLITE_TOOBIG: ("cannot hold so long a text", "shorten it"),
}


class LockedError(InputError):
    """Another program writes to the file: the same may go well a moment later."""


class Database:
    """One connection to the file. It may be used from several threads.

    If the file is deleted or replaced meanwhile, it is made again before the next write, with all
    that was saved in it; `notice` is called with what happened. Until that succeeds, what was saved
    can be read, and nothing can be written; if not even a copy of it could be taken, because it is
    in the hands of another program, reading fails too.

    renumbered  for each time that sessions came into another store: ids that changed, old → new
    """

    def __init__(self, path: Path, patience: float = BUSY_SECONDS) -> None:
        self.path = path
        self.notice: Callable[[str], None] = lambda _: None
        self.renumbered: list[dict[int, int]] = []
        self._patience = patience
        self._lock = threading.RLock()
        self._connection = _open(path, patience)
        self._files = StoreFiles.at(path)
        self._has_written = False
        self._adrift: StoreLoss | None = None
        """What befell the file, while `_connection` is a copy of it in memory."""
        self._has_copy = True
        """False: that copy is worth nothing, and looks like an empty store."""

    def close(self) -> None:
        """Close it; what was written to a file that is gone is saved before, somewhere."""
        with self._lock:
            self._patience = BUSY_SECONDS  # no key waits any more
            try:
                if self._has_written:
                    with _explaining_errors(self.path):
                        self._mend()
            except InputError as error:
                if not self._has_copy:
                    raise
                raise _with_copy(error, self._connection) from error
            finally:
                self._connection.close()

    def look_after(self) -> None:
        """See that the file is still there; to be called now and then."""
        with self._lock, _explaining_errors(self.path):
            if self._has_written and self._adrift is None:
                self._mend()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds."""
        with self._lock, _explaining_errors(self.path):
            if not self._has_copy:
                self._mend()
            return self._connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is saved when the block ends, or nothing."""
        with self._lock, _explaining_errors(self.path):
            self._mend()
            with _transaction(self._connection):
                self._has_written = True
                yield self._connection

    def _mend(self) -> None:
        """Get back to a store at the path, if the files there are not those that are open."""
        now = StoreFiles.at(self.path)
        loss = self._adrift or self._files.loss(now)
        if loss is StoreLoss.NOTHING:
            return
        if self._adrift is None:
            self._leave(loss)
        was_there = now.main is not None
        try:
            fresh = _open(self.path, self._patience, self._patience)
        except InputError as error:
            message = f"{_befallen(loss, was_there)}: {error.message}"
            raise type(error)(message, error.place, hint=error.hint) from error
        try:
            with _transaction(fresh):
                numbers = {} if loss is StoreLoss.TAKEN else copy_sessions(self._connection, fresh)
        except BaseException:
            fresh.close()
            raise
        self._connection.close()
        self._connection, self._files, self._adrift = fresh, StoreFiles.at(self.path), None
        self._has_copy = True
        self.renumbered.append(numbers)
        self.notice(_mended(self.path, loss, was_there))

    def _leave(self, loss: StoreLoss) -> None:
        """Take everything out of files that are lost, and let them go."""
        if loss is StoreLoss.LOG:  # programs that share the index cannot read what is in no file
            found = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if found[0]:  # what is in the log could not be put into the main file
                raise _store_error(self.path, sqlite3.SQLITE_BUSY)
        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        make_tables(copy)
        try:
            self._connection.backup(copy)
            checked = copy.execute("PRAGMA quick_check(1)").fetchone()
            sound = loss is not StoreLoss.TAKEN or checked == ("ok",)
        except sqlite3.DatabaseError:
            if loss is not StoreLoss.TAKEN:  # then what we see may be no database any more
                raise
            sound = False
        close_as_it_is(self._connection, self.path)
        self._files.drop_leftovers(self.path)
        self._connection, self._adrift, self._has_copy = copy, loss, sound


def _befallen(loss: StoreLoss, was_there: bool) -> str:
    """What happened to a store that is still lost."""
    if loss is not StoreLoss.STORE:
        return "was deleted in part, and cannot be opened again"
    return f"was {'replaced' if was_there else 'deleted'}, and cannot be made again"


def _mended(path: Path, loss: StoreLoss, was_there: bool) -> str:
    """What happened, for the user."""
    if loss is not StoreLoss.STORE:
        return f"A part of {path} was deleted: it is mended, nothing is lost."
    if was_there:
        return f"{path} was replaced: all that was saved here is carried over to it."
    return f"{path} was deleted: it is made again, with all that was saved in it."


def _with_copy(error: InputError, connection: sqlite3.Connection) -> InputError:
    """The error with the place where all that was saved is now."""
    try:
        handle, name = tempfile.mkstemp(prefix="tui-eval-", suffix=".db")
        os.close(handle)
        with contextlib.closing(sqlite3.connect(name)) as copy:
            connection.backup(copy)
    except (OSError, sqlite3.Error):
        return error
    hint = f"all that was saved is in {name}: go on with it by --store, or move it there"
    return InputError(error.message, error.place, hint=hint)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    # IMMEDIATE waits for another writer before anything was read, so nothing read grows stale.
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def _explaining_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what a user can do about it."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a mistake of this program, not of its user
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # without details
        raise _store_error(path, code, (f"cannot be used ({error})", ANOTHER_STORE)) from error
    except UnicodeEncodeError as error:
        raise InputError("cannot hold a text that is not valid Unicode", Place(path)) from error


def _store_error(path: Path, code: int, otherwise: tuple[str, str] = ("", "")) -> InputError:
    message, hint = _TROUBLES.get(code, otherwise)
    kind = LockedError if code == sqlite3.SQLITE_BUSY else InputError
    return kind(message, Place(path), hint=hint)


def _open(path: Path, patience: float, longest: float | None = None) -> sqlite3.Connection:
    """Open or make a store; `longest`: seconds that others who make it at once are waited for."""
    protect_database(path)
    _make_folder(path.parent)
    if path.is_dir():
        raise InputError("is a folder", Place(path), hint="name a file inside it")
    with _explaining_errors(path):
        # Absolute: to SQLite a relative ":memory:" is no file at all.
        connection = sqlite3.connect(
            path.absolute(), timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare_in_time(connection, path, BUSY_SECONDS if longest is None else longest)
        except BaseException:
            connection.close()
            raise
    return connection


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"the folder cannot be made ({reason})", Place(folder), hint=ANOTHER_STORE
        ) from error


def _prepare_in_time(connection: sqlite3.Connection, path: Path, longest: float) -> None:
    """When several processes make a new file at once, SQLite refuses some without waiting."""
    deadline = time.monotonic() + longest
    while True:
        try:
            return _prepare(connection, path)
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    with _transaction(connection, "DEFERRED"):  # reads only: the file may not be ours
        check_ours(connection, path)
    # Readers and a writer at once, and a commit is one append.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    with _transaction(connection):  # also finds out that the file cannot be written
        if check_ours(connection, path) == 0:
            make_tables(connection)
