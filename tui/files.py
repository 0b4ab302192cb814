"""Writing a result into the current folder, never over a file that is there."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InputError, Place


def file_name(text: str) -> str:
    """A text as the name of a file, without what a shell or a file system would misread.

    >>> file_name("session-sample 2026-11-16 04:30")
    'session-sample-2026-11-16-04-30'
    """
    name = re.sub(r"[^\w.+-]+", "-", text).strip("-.")
    return name[:100] or "unnamed"


def write_new(wanted: Path, text: str) -> Path:
    """Write the text to the file, or, if it exists, to the first free name beside it.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> [write_new(folder / "run.json", "{}").name for _ in range(2)]
    ['run.json', 'run-2.json']
    """
    number = 1
    while True:
        tail = "" if number == 1 else f"-{number}"
        file = wanted.with_name(f"{wanted.stem}{tail}{wanted.suffix}")
        try:
            with file.open("x", encoding="utf-8") as out:
                out.write(text if text.endswith("\n") else text + "\n")
        except FileExistsError:
            number += 1
        except OSError as error:
            reason = error.strerror or "input error"
            raise InputError(f"cannot be written ({reason})", Place(file)) from error
        else:
            return file
