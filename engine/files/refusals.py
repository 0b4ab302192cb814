"""What the system says of a file that it keeps from being read or written, and what to do then."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from engine.base.errors import InputError

_ELSEWHERE = "name a file elsewhere"
_WRITING_HINTS = {
    errno.ENOSPC: f"free some space, or {_ELSEWHERE}",
    errno.EDQUOT: f"free some space, or {_ELSEWHERE}",
    errno.EROFS: _ELSEWHERE,
    errno.ENAMETOOLONG: "name a shorter path",
}


def refuse_writing(error: OSError, path: Path, what: str = "cannot be written") -> InputError:
    """The error for a file that the system did not let be written."""
    reason = error.strerror or "input error"
    hint = _WRITING_HINTS.get(error.errno or 0, "")
    if isinstance(error, PermissionError):
        hint = suggest_permissions(path)
    elif isinstance(error, FileNotFoundError):
        hint = _suggest_folder(path)
    return InputError(f"{what} ({reason})", path, hint=hint)


def refuse_reading(error: OSError, path: Path | str | None) -> InputError:
    """The error for a file that the system did not let be read."""
    reason = error.strerror or " ".join(str(error).split())[:120] or "input error"
    hint = "name a shorter path" if error.errno == errno.ENAMETOOLONG else ""
    if isinstance(error, PermissionError) and path is not None:
        hint = suggest_permissions(Path(path))
    return InputError(f"cannot be read ({reason})", path, hint=hint)


def require_writable(place: Path, path: Path) -> None:
    """Refuse an output if the place that must be written for it, a file or a folder, cannot be."""
    if os.access(place, os.W_OK):
        return
    code = errno.EROFS if _is_read_only(place) else errno.EACCES
    raise refuse_writing(OSError(code, os.strerror(code)), path)


def suggest_permissions(path: Path) -> str:
    """Whose permissions to check: the file's own, or those of the first closed folder on the way.

    >>> suggest_permissions(Path("a.csv"))
    'check its permissions'
    """
    for folder in reversed(path.absolute().parents):
        if not os.access(folder, os.X_OK):
            return f"check the permissions of the folder {folder}"
    return "check its permissions"


def _suggest_folder(path: Path) -> str:
    try:
        path.absolute()
    except FileNotFoundError:
        return "the folder that you are in is gone: change to one that exists"
    return "make its folder first"


def _is_read_only(place: Path) -> bool:
    try:
        return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    except OSError:
        return False
