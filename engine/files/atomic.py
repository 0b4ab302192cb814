"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from engine.base.errors import InputError


def write_whole(content: str | bytes, path: Path) -> None:
    """Write a text or bytes so that the file holds the old ones or the new ones, never a part.

    A pipe or a device is written as it is; a link keeps pointing where it did.
    """
    try:
        data = content.encode() if isinstance(content, str) else content
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(data, path.resolve())
    except OSError as error:
        reason = error.strerror or "input error"
        raise InputError(f"cannot be written ({reason})", path) from error
    except UnicodeEncodeError as error:
        raise InputError("cannot be written (half a character)", path) from error
    except ValueError as error:  # a zero byte, say
        raise InputError("cannot be written (no path)", path) from error


def _replace(data: bytes, path: Path) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:80]}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    """The permissions that new files do not get; it can only be read by setting it."""
    current = os.umask(0o077)
    os.umask(current)
    return current
