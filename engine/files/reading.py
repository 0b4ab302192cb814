"""What keeps a file from being read, said in the same words whoever reads it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.base.errors import InputError
from engine.files.points import reach
from engine.files.protection import protect_input
from engine.files.refusals import refuse_reading

NO_ROOM_HINT = "free some memory, or split it"


@contextmanager
def guard_reading(path: Path, wanted: str = "a file") -> Iterator[int]:
    """Check that there is a file to read, of so many bytes; what the system says of it while it is
    read becomes an InputError. `wanted` is what may lie inside a folder that was named instead.

    It is not written over by the same command.
    """
    protect_input(path)
    try:
        reach("read", path)
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise InputError("is a folder, not a file", path, hint=f"name {wanted} inside it")
        require_regular(path)
        yield found.st_size
    except FileNotFoundError as error:
        raise InputError("no such file", path, hint="check the path") from error
    except OSError as error:
        raise refuse_reading(error, path) from error
    except ValueError as error:
        if "null byte" not in str(error):
            raise
        raise InputError("is no path: it holds a zero byte", ascii(str(path))) from error
    except MemoryError as error:
        raise InputError("does not fit in memory", path, hint=NO_ROOM_HINT) from error


def read_first_bytes(path: Path, count: int) -> bytes:
    """How a file begins; nothing of one that cannot be read, which its reader will report."""
    try:
        reach("read", path)
        with require_regular(path).open("rb") as file:
            return file.read(count)
    except (OSError, ValueError):
        return b""


def follow_links(path: Path) -> Path:
    """Where a path leads. Links in a circle lead to themselves, and the system tells whoever opens
    them; `Path.resolve` would raise what is no OSError. In a folder that is deleted, no relative
    path leads anywhere."""
    try:
        return Path(os.path.realpath(path))
    except OSError:
        return path


def is_folder(path: Path) -> bool:
    """Whether a path names a folder; one that names nothing at all, being too long, does not."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_regular_file(path: Path) -> bool:
    """Whether a path names a file; one that names nothing at all, being too long, does not."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def name_kind(path: Path) -> str:
    """A folder, or how the name of the file ends."""
    return "a folder" if is_folder(path) else path.suffix.lower() or "a file without an extension"


def require_regular(path: Path) -> Path:
    """Refuse pipes and devices: they may never end, and cannot be hashed or read twice."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise InputError("is not a regular file", path, hint="copy it to a file first")
    except OSError as error:
        raise refuse_reading(error, path) from error
    return path
