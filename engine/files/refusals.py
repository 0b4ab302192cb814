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
}


def refuse_writing(error: OSError, path: Path, what: str = "cannot be written") -> InputError:
    """The error for a file that the system did not let be written."""
    reason = error.strerror or "input error"
    hint = _WRITING_HINTS.get(error.errno or 0, "")
    if isinstance(error, PermissionError):
        hint = suggest_permissions(path)
    return InputError(f"{what} ({reason})", path, hint=hint)


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


def _is_read_only(place: Path) -> bool:
    try:
        return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    except OSError:
        return False
