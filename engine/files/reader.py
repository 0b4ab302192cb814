"""Readers: the boundary behind which a file is no longer hostile.

A function marked with `@reads` takes a path and gives a checked value or an `InputError` that names
the file, whatever the file holds: also what a library raises of its own accord, which nobody has
foreseen. All readers are listed, so that the fuzzer finds them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from engine.base.errors import InputError, Place
from engine.files.protection import protect_input
from engine.files.reading import NO_ROOM_HINT
from engine.files.refusals import refuse_reading

P = ParamSpec("P")
T = TypeVar("T")


class FileReader(NamedTuple):
    """A function that reads files of users, and what it reads."""

    what: str
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        """Where it is, and what it is called."""
        return f"{self.function.__module__}.{self.function.__qualname__}"


READERS: dict[str, FileReader] = {}
"""All that are imported, by name."""


class UnforeseenError(InputError):
    """A library failed in a way that its reader does not know: the file is named all the same."""


def reads(
    what: str, find_path: Callable[..., Path] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Mark a function as a reader of files such as "a run file".

    find_path  finds the file in the arguments of the function; None: it is the first of them

    >>> @reads("a number")
    ... def read_number(path: Path) -> int:
    ...     return int("many")
    >>> read_number(Path("n.txt"))
    Traceback (most recent call last):
    engine.files.reader.UnforeseenError: n.txt: cannot be read as a number (ValueError: invalid \
literal for int() with base 10: 'many'); check that it is one, and whole
    """

    def mark(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def read(*args: P.args, **kwargs: P.kwargs) -> T:
            path = find_path(*args, **kwargs) if find_path else _take_first(*args, *kwargs.values())
            if path is not None:
                protect_input(path)
            try:
                return function(*args, **kwargs)
            except (InputError, ImportError):  # the latter tells of the install, not of the file
                raise
            except MemoryError as error:
                raise InputError("does not fit in memory", path, hint=NO_ROOM_HINT) from error
            except OSError as error:
                if error.strerror is None:  # of a library, not of the system
                    raise _unforeseen(error, what, path) from error
                raise refuse_reading(error, error.filename or path) from error
            except Exception as error:
                raise _unforeseen(error, what, path) from error

        reader = FileReader(what, read)
        READERS[reader.name] = reader
        return read

    return mark


def _take_first(first: Any = None, *_: object) -> Path | None:
    return None if first is None else Path(first)


def _unforeseen(error: Exception, what: str, path: Path | None) -> Exception:
    """What to raise in place of an error; itself for whoever looks for its cause, which may be
    ours."""
    if os.environ.get("TUI_EVAL_DEBUG"):
        return error
    reason = f"{type(error).__name__}: {str(error)[:120]}".rstrip(": ")
    return UnforeseenError(
        f"cannot be read as {what} ({reason})",
        Place(path),
        hint="check that it is one, and whole",
    )
