"""Which file of saved sessions a command line means, and whether it is there."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError, Place
from engine.files.protection import name_same_file

if TYPE_CHECKING:
    from engine.sessions import SessionStore

PATIENCE_WITH_WRITERS = 0.25
"""Seconds that a key may wait for another program that writes to the store."""


def format_store_option(path: Path) -> str:
    """What names a store in a command line that is suggested, with a blank behind it; nothing where
    that is the usual one."""
    from engine.sessions import find_default_path

    is_usual = name_same_file(path, find_default_path())
    return "" if is_usual else f"--store {shlex.quote(str(path))} "


def require_named(store: Path | None) -> None:
    """Refuse a store that was named and is not there; None: none was named."""
    if store is not None and not store.exists():
        raise InputError("no such file", Place(store), hint="check --store")


def open_store(file: Path | None, *, resumes: bool = False) -> SessionStore:
    """The store for the inspector; where nothing can be written it is in memory, which is said.

    resumes  a session of it is looked for: where there is no store, none is made
    """
    from engine.sessions import SessionStore, UnwritableError, find_default_path

    path = file or find_default_path()
    if resumes:
        require_named(file)
        if not path.exists():
            return SessionStore(path, unsaved=UnwritableError("no such file", path))
    return SessionStore.open_anyway(path, PATIENCE_WITH_WRITERS)
