"""Opening the file of a store: made if it is new, brought up to date if it is old, refused if it is
damaged or not ours. A file that is not ours is never changed."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.points import reach
from engine.files.private import make_private_file, make_private_folder, tighten_file
from engine.files.protection import protect_database
from engine.files.reading import is_folder, read_first_bytes
from engine.sessions.image import MAGIC, has_known_journal, has_whole_log
from engine.sessions.schema import (
    APPLICATION_ID,
    OUR_FORMAT,
    StoreFormat,
    check_ours,
    check_whole,
    make_tables,
)
from engine.sessions.store_files import StoreUse, keeping_others_out, list_files
from engine.sessions.troubles import (
    ANOTHER_STORE,
    DamagedError,
    UnwritableError,
    explaining_errors,
    make_damaged,
)

BUSY_SECONDS = 3.0
"""How long to wait for another process that writes; it needs milliseconds."""


def open_store_file(
    path: Path,
    patience: float,
    longest: float | None = None,
    form: StoreFormat = OUR_FORMAT,
    *,
    make: bool = True,
) -> sqlite3.Connection:
    """Open or make a store.

    longest  seconds that others who make it at once are waited for
    make     whether one is made where there is none
    """
    protect_database(list_files(path)[0])
    if is_folder(path):
        raise InputError("is a folder", Place(path), hint="name a file inside it")
    is_new = _make_place(path, make=make)
    with _removing_what_is_empty(path, is_new), explaining_errors(path):
        # Absolute: to SQLite a relative ":memory:" is no file at all.
        connection = sqlite3.connect(
            path.absolute(), timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare_in_time(connection, path, BUSY_SECONDS if longest is None else longest, form)
        except BaseException:
            connection.close()
            raise
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All of the block, or nothing."""
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
def _removing_what_is_empty(path: Path, is_new: bool) -> Iterator[None]:
    """Leave no file behind that was made here, and could not become a store."""
    try:
        yield
    except UnwritableError:
        with contextlib.suppress(OSError):
            main, log, index = list_files(path)
            # With a log it is somebody else's by now, who made a store of it.
            if is_new and main.stat().st_size == 0 and not (log.exists() and log.stat().st_size):
                for file in (log, index, main):
                    file.unlink(missing_ok=True)
        raise


def _may_be_ours(path: Path) -> bool:
    """Whether a file is new, empty or a database: the folder of anything else is not touched."""
    return not path.exists() or read_first_bytes(path, len(MAGIC)) in (b"", MAGIC)


def _make_place(path: Path, *, make: bool) -> bool:
    """The folder and an empty file, before SQLite would make one that everybody can read; whether
    the file is new. `make`: else it must be there."""
    _, log, _ = list_files(path)
    try:
        make_private_folder(path.parent, [f"{path.name}*"] if _may_be_ours(path) else [])
        if not make:
            reach("read", path)
        is_new = make and make_private_file(path)
        is_empty = path.stat().st_size == 0
        is_cut = is_empty and log.exists() and log.stat().st_size > 0
    except InputError as error:
        raise UnwritableError(error.message, error.place, hint=error.hint or ANOTHER_STORE) from (
            error
        )
    except OSError as error:
        reason = error.strerror or "input error"
        if not make:
            raise InputError(f"cannot be read ({reason})", path, hint="check --store") from error
        raise UnwritableError(
            f"cannot be opened for writing ({reason})", Place(path), hint=ANOTHER_STORE
        ) from error
    first = read_first_bytes(path, 100)
    if is_empty and not (make or is_cut):
        raise UnwritableError("is empty", Place(path))
    is_ours = first[68:72] == APPLICATION_ID.to_bytes(4)
    # SQLite would throw away what is in the log of an empty file.
    if is_cut or (is_ours and not has_known_journal(first)) or _has_damaged_log(path):
        raise make_damaged(path)
    return is_new


def _has_damaged_log(path: Path) -> bool:
    """Whether SQLite would drop what was saved. While another program has the store open, it does
    not look through the log, which may grow meanwhile."""
    if has_whole_log(path):
        return False
    with keeping_others_out(path) as use:
        return use is not StoreUse.OPEN and not has_whole_log(path)


def _prepare_in_time(
    connection: sqlite3.Connection, path: Path, longest: float, form: StoreFormat
) -> None:
    """When several processes make a new file at once, SQLite refuses some without waiting."""
    deadline = time.monotonic() + longest
    while True:
        try:
            return _prepare(connection, path, form)
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
            if code & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _prepare(connection: sqlite3.Connection, path: Path, form: StoreFormat) -> None:
    with transaction(connection, "DEFERRED"):  # reads only: the file may not be ours
        if check_ours(connection, path, form) == form.version:
            check_whole(connection, path, form)
    for file in list_files(path):
        tighten_file(file)
    # Readers and a writer at once, and a commit is one append.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    backup = None
    try:
        with transaction(connection):  # also finds out that the file cannot be written
            version = check_ours(connection, path, form)
            if version == 0:
                make_tables(connection, form)
            elif version < form.version:
                backup = back_up(path, version)
                migrate(connection, path, version, form)
    except BaseException:
        if backup is not None:  # of a store that is as it was; each attempt would leave another
            backup.unlink(missing_ok=True)
        raise


def migrate(
    connection: sqlite3.Connection, path: Path, version: int, form: StoreFormat = OUR_FORMAT
) -> None:
    """Bring a store up to date, inside a transaction of the caller."""
    try:
        for step in form.steps[version - 1 :]:
            step(connection)
        connection.execute(f"PRAGMA user_version={form.version}")
        check_whole(connection, path, form)
    except (sqlite3.Error, DamagedError) as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code != sqlite3.SQLITE_ERROR:  # the disk, or somebody else: not what we do to it
            raise
        raise InputError(
            f"cannot be brought up to date (from format {version} to {form.version})",
            Place(path),
            hint=f"nothing was changed: use the tui-eval that made it, or {ANOTHER_STORE}",
        ) from error


def back_up(path: Path, version: int) -> Path:
    """A private copy beside the store, never over one that is there."""
    size = sum(file.stat().st_size for file in list_files(path) if file.exists())
    if shutil.disk_usage(path.parent).free < 2 * size:
        raise UnwritableError(
            f"needs {2 * size / 1e6:,.0f} MB on its disk for a backup and its new format",
            Place(path),
            hint="free some space; nothing was changed",
        )
    try:
        copy = _make_backup_file(path, version)
    except OSError as error:
        reason = error.strerror or "input error"
        raise UnwritableError(
            f"no backup can be made before its format changes ({reason})",
            Place(path),
            hint="check its disk and its folder; nothing was changed",
        ) from error
    try:
        # A connection of its own: one that writes is not copied.
        with (
            contextlib.closing(sqlite3.connect(path.absolute())) as source,
            contextlib.closing(sqlite3.connect(copy.absolute())) as target,
        ):
            source.backup(target)
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return copy


def _make_backup_file(path: Path, version: int) -> Path:
    for number in count(1):
        copy = path.with_name(f"{path.name}.backup-v{version}{'' if number == 1 else f'-{number}'}")
        if make_private_file(copy):
            return copy
    raise AssertionError
