"""Files and folders that only their owner can read, whatever the umask says.

Queries, notes and what was learned from them are nobody else's business, and machines are shared.
What is made here is 0600 or 0700 before anything is written to it; what lies about from before is
tightened, if it is ours to tighten.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.files.points import reach

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

EVALUATIONS = "evaluations"
"""The folder, among the caches, of evaluations that are shown again."""

OUR_NAMES = ("sessions.db*", "vectors-*.sqlite*", "verified-*", "learned", EVALUATIONS)
"""What tui-eval keeps in folders of its own."""

TEMPORARY = "tui-eval-"
"""How the names of temporary files begin."""

_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_SHARED = stat.S_ISVTX | stat.S_ISGID
"""A folder with one of these was set up for several people."""


def make_private_folder(folder: Path, names: Iterable[str] = ()) -> None:
    """Make a folder, and those on the way to it, for its owner alone.

    One that is there is tightened only if it belongs to us and holds files of ours and nothing
    else: those of `OUR_NAMES` and of `names` (patterns). An empty one was made by somebody else,
    who may have other plans for it.
    """
    if str(folder).startswith("~"):
        raise _refuse_tilde(folder)
    try:
        reach("make", folder)
        if folder.is_dir():
            _tighten_folder(folder, (*OUR_NAMES, *names))
        else:
            _make_on_the_way(folder)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise InputError(f"the folder cannot be made ({reason})", Place(folder)) from error


def _refuse_tilde(folder: Path) -> InputError:
    """Nobody means a folder whose name begins with ~: it was not expanded, or cannot be."""
    try:
        whole = folder.expanduser()
    except RuntimeError:
        user = folder.parts[0][1:]
        whose = f' of a user "{user}"' if user else ""
        hint = "set $HOME, or name a whole path in $TUI_EVAL_DATA, $TUI_EVAL_CACHE or --store"
        return InputError(f"there is no home folder{whose}", Place(folder), hint=hint)
    return InputError("~ was not expanded", Place(folder), hint=f"write {whole}")


def make_private_file(path: Path) -> bool:
    """Make an empty file for its owner alone; False: there is one, which is left as it is.

    A link that points nowhere is followed: SQLite would follow it too.
    """
    reach("make", path)
    try:
        handle = os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE_FILE)
    except FileExistsError:
        return False
    try:
        os.fchmod(handle, PRIVATE_FILE)
    finally:
        os.close(handle)
    return True


def tighten_file(path: Path) -> None:
    """Leave a file to its owner alone, if that is us; what cannot be done is left.

    One that its owner has protected from writing stays so.
    """
    with contextlib.suppress(OSError):
        found = path.stat()
        wanted = found.st_mode & PRIVATE_FILE or PRIVATE_FILE
        ours = stat.S_ISREG(found.st_mode) and _is_ours(found)
        if ours and stat.S_IMODE(found.st_mode) != wanted:
            path.chmod(wanted)


def make_private_temporary(folder: Path | None = None, *, suffix: str = "") -> Path:
    """An empty private file of a new name: in the folder, or where temporary files go."""
    handle, name = tempfile.mkstemp(prefix=TEMPORARY, suffix=suffix, dir=folder)
    try:
        os.fchmod(handle, PRIVATE_FILE)
    finally:
        os.close(handle)
    return Path(name)


def _make_on_the_way(folder: Path) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    if not missing:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    for step in reversed(missing):
        try:
            reach("make", step)
            step.mkdir(PRIVATE_FOLDER)
        except FileExistsError:  # by another program at the same moment: then it is its own
            if not step.is_dir():
                raise
            continue
        step.chmod(PRIVATE_FOLDER)  # the umask may have taken our own bits as well


def _tighten_folder(folder: Path, names: tuple[str, ...]) -> None:
    with contextlib.suppress(OSError, RuntimeError):  # where one cannot look, nothing is changed
        folder = folder.resolve()  # "." would be taken for a mount
        found = folder.stat()
        if not _is_ours(found) or found.st_mode & _SHARED or not found.st_mode & _OF_OTHERS:
            return
        if folder.is_mount() or folder.samefile(Path.home()):
            return
        if _holds_only(folder, names):
            folder.chmod(PRIVATE_FOLDER)


def _holds_only(folder: Path, names: tuple[str, ...]) -> bool:
    """Whether there are files of these names, and no others."""
    found = False
    for file in folder.iterdir():
        if not any(fnmatchcase(file.name, name) for name in names):
            return False
        found = True
    return found


def _is_ours(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
