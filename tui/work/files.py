"""Writing a result into a folder, never over a file that is there."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from engine.base.errors import InputError, Place


def file_name(text: str) -> str:
    """A text as the name of a file, without what a shell or a file system would misread.

    >>> file_name("session-sample 2026-11-16 04:30")
    'session-sample-2026-11-16-04-30'
    """
    name = re.sub(r"[^\w.+-]+", "-", text).strip("-.")
    return name.encode()[:100].decode(errors="ignore") or "unnamed"


def open_new(wanted: Path) -> TextIO:
    """Open the file to write to, or, if it exists, the first free name beside it."""
    number = 1
    while True:
        tail = "" if number == 1 else f"-{number}"
        file = wanted.with_name(f"{wanted.stem}{tail}{wanted.suffix}")
        try:
            return file.open("x", encoding="utf-8", newline="")
        except FileExistsError:
            number += 1
        except OSError as error:
            reason = error.strerror or "input error"
            raise InputError(f"cannot be written ({reason})", Place(file)) from error


def write_new(wanted: Path, text: str) -> Path:
    """Write the text to a new file, and say which one it became.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> [write_new(folder / "run.json", "{}").name for _ in range(2)]
    ['run.json', 'run-2.json']
    """
    try:
        with open_new(wanted) as file:
            file.write(text if text.endswith("\n") else text + "\n")
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", Place(wanted)) from error
    return Path(file.name)


def write_cells(wanted: Path, cells: Iterable[list[str]]) -> Path:
    """Write rows of cells as CSV to a new file, and say which one it became."""
    try:
        with open_new(wanted) as file:
            csv.writer(file).writerows(cells)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", Place(wanted)) from error
    return Path(file.name)
