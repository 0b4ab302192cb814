"""The SQLite file of the sessions: opened with care, written in short transactions.

A file that is not ours is never written. Whatever SQLite says becomes an `InputError` with the
path and a remedy.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import InputError, Place

APPLICATION_ID = 0x74756965  # "tuie": which program an SQLite file belongs to
VERSION = 1
BUSY_SECONDS = 3.0
"""How long to wait for another process that writes; it needs milliseconds."""

_TABLES = """
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- a deleted session's id never means another one
    name TEXT NOT NULL,
    dataset_name TEXT NOT NULL,
    dataset_source TEXT NOT NULL,
    created TEXT NOT NULL,
    updated TEXT NOT NULL,
    view TEXT,
    done INTEGER NOT NULL DEFAULT 0        -- changes up to here are done, those after are undone
);
CREATE TABLE answers (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position INTEGER NOT NULL,             -- when first asked
    used INTEGER NOT NULL,                 -- when last asked
    asked TEXT NOT NULL,
    mode TEXT NOT NULL,
    query TEXT NOT NULL,
    question TEXT NOT NULL,
    body TEXT NOT NULL,                    -- long: what is read often stands before it
    UNIQUE (session, question)
);
CREATE INDEX first_asked ON answers (session, position);
CREATE INDEX last_used ON answers (session, used);
CREATE INDEX history ON answers (session, mode, query, used);
CREATE TABLE judgements (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    mode TEXT NOT NULL,
    query TEXT NOT NULL,
    clip TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, mode, query, clip)
) WITHOUT ROWID;
CREATE TABLE changes (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    mode TEXT NOT NULL,
    query TEXT NOT NULL,
    clip TEXT NOT NULL,
    before TEXT,
    after TEXT,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
"""

_ELSEWHERE = "name another file with --store, or another folder in $TUI_EVAL_DATA"
_TROUBLES = {
    sqlite3.SQLITE_NOTADB: ("is not a session store", f"it is left as it is; {_ELSEWHERE}"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", f"restore it from a backup, or {_ELSEWHERE}"),
    sqlite3.SQLITE_READONLY: ("cannot be written", f"check its permissions, or {_ELSEWHERE}"),
    sqlite3.SQLITE_PERM: ("cannot be written", f"check its permissions, or {_ELSEWHERE}"),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened for writing",
        f"check the permissions of the file and its folder, or {_ELSEWHERE}",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot be written: the disk is full",
        f"free some space (what was saved before is safe), or {_ELSEWHERE}",
    ),
    sqlite3.SQLITE_BUSY: (
        "is locked by another program",
        "close the other program, then try again",
    ),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written (the disk, or your quota of it)",
        f"check the disk, or {_ELSEWHERE}",
    ),
    sqlite3.SQLITE_TOOBIG: ("cannot hold so long a text", "shorten it"),
}


class LockedError(InputError):
    """Another program writes to the file: the same may go well a moment later."""


class Database:
    """One connection to the file. It may be used from several threads."""

    def __init__(self, path: Path, patience: float = BUSY_SECONDS) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection = _open(path, patience)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds."""
        with self._lock, _telling(self.path):
            return self._connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is saved when the block ends, or nothing."""
        with self._lock, _telling(self.path), _transaction(self._connection):
            yield self._connection


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
def _telling(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what a user can do about it."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a mistake of this program, not of its user
    except sqlite3.Error as error:
        raise _told(error, path) from error
    except UnicodeEncodeError as error:
        raise InputError("cannot hold a text that is not valid Unicode", Place(path)) from error


def _told(error: sqlite3.Error, path: Path) -> InputError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # without its details
    message, hint = _TROUBLES.get(code, (f"cannot be used ({error})", _ELSEWHERE))
    kind = LockedError if code == sqlite3.SQLITE_BUSY else InputError
    return kind(message, Place(path), hint=hint)


def _open(path: Path, patience: float) -> sqlite3.Connection:
    _make_folder(path.parent)
    if path.is_dir():
        raise InputError("is a folder", Place(path), hint="name a file inside it")
    with _telling(path):
        # Absolute: to SQLite a relative ":memory:" is no file at all.
        connection = sqlite3.connect(
            path.absolute(), timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare_in_time(connection, path)
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
            f"the folder cannot be made ({reason})", Place(folder), hint=_ELSEWHERE
        ) from error


def _prepare_in_time(connection: sqlite3.Connection, path: Path) -> None:
    """When several processes make a new file at once, SQLite refuses some without waiting."""
    deadline = time.monotonic() + BUSY_SECONDS
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
        _check_ours(connection, path)
    # Readers and a writer at once, and a commit is one append.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    with _transaction(connection):  # also finds out that the file cannot be written
        if _check_ours(connection, path) == 0:
            for statement in filter(str.strip, _TABLES.split(";\n")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={VERSION}")


def _check_ours(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the file, 0 if it is new."""
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner == APPLICATION_ID and version > VERSION:
        raise InputError(
            f"was written by a newer tui-eval (format {version}, this one knows {VERSION})",
            Place(path),
            hint=f"update tui-eval, or {_ELSEWHERE}",
        )
    if owner not in (0, APPLICATION_ID) or (owner == 0 and (tables or version)):
        raise InputError(
            "is a database of another program",
            Place(path),
            hint=f"it is left as it is; {_ELSEWHERE}",
        )
    return int(version)
