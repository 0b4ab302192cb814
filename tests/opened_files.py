"""Which files are opened, by whatever library: Python itself is asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_opened: set[str] | None = None


@contextmanager
def noting_opened_files() -> Iterator[set[str]]:
    """The real paths of all that is opened in here, also by SQLite."""
    global _opened
    _listen()
    _opened = found = set()
    try:
        yield found
    finally:
        _opened = None


@cache
def _listen() -> None:
    sys.addaudithook(_note)  # it cannot be taken away again


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if _opened is None or event not in ("open", "sqlite3.connect"):
        return
    if not isinstance(arguments[0], int):  # open already
        _opened.add(os.path.realpath(os.fsdecode(arguments[0])))
