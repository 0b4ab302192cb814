"""A store in memory: what could be read of its file, and where it goes in the end."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import sqlite3
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from engine.base.errors import InputError
from engine.files.budget import TooLargeError
from engine.files.points import reach
from engine.files.private import TEMPORARY, make_private_temporary
from engine.files.reading import read_first_bytes
from engine.sessions.image import read_image
from engine.sessions.opening import migrate
from engine.sessions.schema import APPLICATION_ID, OUR_FORMAT, check_ours, check_whole, make_tables
from engine.sessions.troubles import explaining_errors

_MARK = APPLICATION_ID.to_bytes(4)
_RAM_DISK = Path("/dev/shm")
_FOLDERS: tuple[Callable[[], Path], ...] = (
    lambda: Path(tempfile.gettempdir()),
    Path.cwd,
    Path.home,
    lambda: _RAM_DISK,
)
"""Where what cannot be saved at its place is put, the first that takes it."""


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


def save_elsewhere(store: sqlite3.Connection, path: Path, error: InputError) -> InputError:
    """The error with the place where all that was kept is now: a private file, which is known as
    that of the store at the path by its name."""
    for find_folder in _FOLDERS:
        try:
            folder = find_folder()
            reach("make", folder)
            file = make_private_temporary(folder, suffix=_make_suffix(path))
        except (OSError, RuntimeError):
            continue
        try:
            reach("write", file)
            with contextlib.closing(sqlite3.connect(file)) as copy:
                store.backup(copy)
        except (OSError, sqlite3.Error):
            file.unlink(missing_ok=True)
            continue
        hint = f"everything is in {file}; continue with: {suggest_resuming(file)}"
        return InputError(error.message, error.place, hint=hint)
    return InputError(
        error.message, error.place, hint="it could not be saved anywhere else either, and is lost"
    )


def find_saved_elsewhere(path: Path) -> Path | None:
    """The newest file of those that `save_elsewhere` made for the store at the path: whoever lost
    the connection to their terminal was never told of it."""
    found: dict[Path, float] = {}
    for find_folder in _FOLDERS:
        with contextlib.suppress(OSError, RuntimeError):
            for file in find_folder().glob(f"{TEMPORARY}*{_make_suffix(path)}"):
                status = file.lstat()
                if _is_private(status) and read_first_bytes(file, 72)[68:] == _MARK:
                    found[file] = status.st_mtime
    return max(found, key=found.__getitem__, default=None)


def _make_suffix(path: Path) -> str:
    """Which store a file is about, however its path was written."""
    place = os.fsencode(os.path.realpath(path))
    return f"-{hashlib.sha256(place).hexdigest()[:12]}.db"


def suggest_resuming(file: Path) -> str:
    """The command that goes on with the newest session of a store."""
    return f"tui-eval --store {shlex.quote(str(file))} --resume"


def _is_private(status: os.stat_result) -> bool:
    """Whether nobody else can have put it there: folders for temporary files are shared."""
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
