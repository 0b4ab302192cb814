"""Printing: data on stdout, progress on stderr, and nothing from a file as an escape sequence."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.errors import InputError, Place

if TYPE_CHECKING:
    from rich.console import Console

Format = Literal["table", "json", "csv"]

PIPE_WIDTH = 120
"""Columns of a table that is not written to a terminal."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """Text from a user's file, with every control character made visible.

    >>> safe("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def stdout_console() -> Console:
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


def say(text: str) -> None:
    """A line for the person at the terminal, kept out of the data."""
    print(safe(text), file=sys.stderr)  # noqa: T201


def print_json(document: Any, *, indent: int | None = 2) -> None:
    print(as_json(document, indent=indent))  # noqa: T201


def as_json(document: Any, *, indent: int | None = 2) -> str:
    return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)


def emit(text: str, out: Path | None) -> None:
    """Write a finished document to a file, or to stdout."""
    if out is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    try:
        out.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", Place(out)) from error
    say(f"wrote {out}")


def check_writable(path: Path | None) -> None:
    """Find out before the work that its result could not be saved."""
    if path is None:
        return
    if path.is_dir():
        raise InputError("is a folder", Place(path), hint="name a file inside it")
    if not path.parent.is_dir():
        raise InputError("the folder does not exist", Place(path.parent), hint="make it first")


@contextlib.contextmanager
def progress_bars() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Bars on stderr, one per part of the work, only if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )

    def part(name: str) -> Callable[[int, int], None]:
        task = bars.add_task(f"{name} queries", total=None)
        return lambda done, total: bars.update(task, completed=done, total=total)

    with bars:
        yield part


@contextlib.contextmanager
def telling_what_takes_long(what: str) -> Iterator[None]:
    """A spinner on stderr while something of unknown length runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def tell_that_the_encoder_starts() -> None:
    """For `SentenceEncoder(on_start=…)`: the one wait that a newcomer would wonder about."""
    if sys.stderr.isatty():
        say("starting the text encoder (some seconds; encoded texts are cached) …")
