"""A store in memory: what could be read of its file, and where it goes in the end."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
import tempfile
from pathlib import Path

from engine.base.errors import InputError
from engine.files.budget import TooLargeError
from engine.files.points import reach
from engine.files.private import make_private_temporary
from engine.sessions.image import read_image
from engine.sessions.opening import migrate
from engine.sessions.schema import OUR_FORMAT, check_ours, check_whole, make_tables
from engine.sessions.troubles import explaining_errors

_RAM_DISK = Path("/dev/shm")


def make_empty() -> sqlite3.Connection:
    """A store in memory, without anything in it."""
    store = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    store.execute("PRAGMA foreign_keys=ON")
    make_tables(store)
    return store


def load_to_memory(path: Path) -> sqlite3.Connection:
    """What the file holds, though it cannot be written; an empty store if it cannot be read.

    A file that is damaged, not ours, or too large for the memory is an error: nobody should go on
    beside it unawares.
    """
    copy = make_empty()
    try:
        image = read_image(path).data
    except TooLargeError:
        raise
    except InputError:
        image = b""
    if image:
        with explaining_errors(path), contextlib.closing(sqlite3.connect(":memory:")) as found:
            found.deserialize(image)
            version = check_ours(found, path)
            if version == OUR_FORMAT.version:
                check_whole(found, path)
            if version:
                found.backup(copy)
                migrate(copy, path, version)
    return copy


def save_elsewhere(store: sqlite3.Connection, error: InputError) -> InputError:
    """The error with the place where all that was kept is now: a private file."""
    for folder in (None, Path.cwd, Path.home, lambda: _RAM_DISK):
        try:
            where = None if folder is None else folder()
            reach("make", where or Path(tempfile.gettempdir()))
            file = make_private_temporary(where, suffix=".db")
        except (OSError, RuntimeError):
            continue
        try:
            reach("write", file)
            with contextlib.closing(sqlite3.connect(file)) as copy:
                store.backup(copy)
        except (OSError, sqlite3.Error):
            file.unlink(missing_ok=True)
            continue
        command = f"tui-eval --store {shlex.quote(str(file))} --resume"
        hint = f"everything is in {file}; continue with: {command}"
        return InputError(error.message, error.place, hint=hint)
    return InputError(
        error.message, error.place, hint="it could not be saved anywhere else either, and is lost"
    )
