"""Where the commands about sessions find them: a store, one session of it, an exported file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.base.errors import InputError, Place

if TYPE_CHECKING:
    from engine.sessions import SessionStore

SessionArgument = Annotated[
    str,
    typer.Argument(
        metavar="SESSION", help='Its number, its name or the beginning of it, or "latest".'
    ),
]


def store_path(store: Path | None) -> Path:
    from engine.sessions import find_default_path

    return store or find_default_path()


def open_store(store: Path | None, *, make: bool = False) -> SessionStore:
    """The store; one that was named must be there, unless something is to be put into it."""
    from engine.sessions import SessionStore

    path = store_path(store)
    if store is not None and not make and not path.exists():
        raise no_store(path)
    return SessionStore(path)


def no_store(path: Path) -> InputError:
    return InputError("no such file", Place(path), hint="check --store")


def read_json(file: Path) -> Any:
    from engine.files.text import parse_json, read_text

    return parse_json(read_text(file), Place(file))
