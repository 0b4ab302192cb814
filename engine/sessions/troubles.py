"""What can be wrong with a store, as errors with the path and a remedy."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.protection import name_same_file
from engine.sessions.store_files import find_default_path

ANOTHER_STORE = "name another file with --store, or another folder in $TUI_EVAL_DATA"


class LockedError(InputError):
    """Another program writes to the file: the same may go well a moment later."""


class UnwritableError(InputError):
    """Nothing can be written there: what is to be kept must be kept elsewhere, or in memory."""


class DamagedError(InputError):
    """The file is a store, and not all of it can be trusted."""


class DeletedError(InputError):
    """The session is gone, and the store is sound: another program deleted it."""


def suggest_repair(path: Path) -> str:
    """How what is left of a store can be saved."""
    command = f"tui-eval sessions repair --store {shlex.quote(str(path))}"
    return f"{command} saves what can be read, and keeps the file"


def make_damaged(path: Path, message: str = "is damaged", where: str | None = None) -> DamagedError:
    return DamagedError(message, Place(path, setting=where), hint=suggest_repair(path))


_NO_WRITING = {
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
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written (a fault of the disk, or your quota is used up)",
        f"check the disk, or {ANOTHER_STORE}",
    ),
}
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
"""Our own SQL is sound: what SQLite cannot make sense of is in the file."""


def explain_code(path: Path, code: int, said: str = "") -> InputError:
    """What a result code of SQLite means for the user."""
    place, code = Place(path), code & 0xFF  # without details
    if code in _NO_WRITING:
        message, hint = _NO_WRITING[code]
        return UnwritableError(message, place, hint=hint)
    if code in _DAMAGED:
        return make_damaged(path)
    if code == sqlite3.SQLITE_BUSY:
        hint = "close the other program, then try again"
        return LockedError("is locked by another program", place, hint=hint)
    if code == sqlite3.SQLITE_NOTADB:
        other, repair = f"it is left as it is; {ANOTHER_STORE}", suggest_repair(path)
        # At its usual place it was one, and its header is damaged.
        was_one = name_same_file(path, find_default_path())
        hint = f"{repair}; or {ANOTHER_STORE}" if was_one else f"{other}; if it was one, {repair}"
        return InputError("is not a session store", place, hint=hint)
    if code == sqlite3.SQLITE_TOOBIG:
        return InputError("cannot hold a text this long", place, hint="shorten it")
    hint = f"check the permissions of the file and its folder, or {ANOTHER_STORE}"
    return InputError(f"cannot be used ({said})", place, hint=hint)


@contextlib.contextmanager
def explaining_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what a user can do about it."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a mistake of this program, not of its user
    except sqlite3.Error as error:
        # Without a code: a text in the file that is not UTF-8.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        raise explain_code(path, code, str(error)) from error
    except UnicodeDecodeError as error:  # SQLite quotes a damaged text
        raise make_damaged(path) from error
    except UnicodeEncodeError as error:
        raise InputError("cannot hold a text that is not valid Unicode", Place(path)) from error


@contextlib.contextmanager
def explaining_damage(path: Path) -> Iterator[None]:
    """What was read from the file and has no sense is damage; a value says which it is."""
    try:
        yield
    except (LockedError, UnwritableError, DamagedError, DeletedError):
        raise
    except InputError as error:
        raise DamagedError(error.message, error.place, hint=suggest_repair(path)) from error
    except (ValueError, TypeError, OverflowError) as error:
        raise make_damaged(path) from error
