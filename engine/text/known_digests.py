"""Large files that were found to be what they should be: nobody waits a second time for that.

What was found is kept with the file's identity (device, inode, size, and the times at which its
bytes and its entry last changed, the latter of which nobody can set). A file that was damaged,
replaced or written over has another one and is read again. Bytes that rot on the disk leave it
as it is: so it is read again anyway once a week.

The note is believed only if nobody else could have written it. Who can write the user's own files
can do anything that the user can, and is not kept out by this.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from pathlib import Path

from engine.base.errors import InputError
from engine.files.atomic import replace_whole
from engine.files.data_folder import find_cache_folder
from engine.files.input_file import hash_file
from engine.files.points import reach
from engine.files.private import make_private_folder

_BELIEVED = 7 * 24 * 3600.0  # seconds
_SETTLED = 2.0  # seconds: a file this young may change within the same tick of its clock
_LONGEST = 1_000  # characters of a note


def find_digest(path: Path, expected: str) -> str:
    """The sha256 of a file; one that had the `expected` one, and is the same since, is not read."""
    before = _identify(path)
    note = find_cache_folder() / f"verified-{expected[:16]}"
    if before is not None and _read_note(note) == before:
        return expected
    digest = hash_file(path)
    if digest == expected and before is not None and _identify(path) == before:
        _write_note(note, before)
    return digest


def _identify(path: Path) -> str | None:
    """What tells the file from any other; None if it was written just now, or is not there."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None  # whoever reads it says why
    if abs(time.time() - found.st_ctime) < _SETTLED:
        return None
    numbers = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return " ".join(map(str, numbers))


def _read_note(note: Path) -> str | None:
    try:
        reach("read", note)
        with note.open(encoding="ascii") as file:
            found = os.fstat(file.fileno())
            is_private = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            if found.st_uid != os.getuid() or not is_private:
                return None
            if not 0 <= time.time() - found.st_mtime < _BELIEVED:
                return None
            return file.read(_LONGEST)
    except (OSError, ValueError):  # none, or none that can be read
        return None


def _write_note(note: Path, identity: str) -> None:
    """Whole and for the user alone; where that cannot be, the file will be read again.

    It takes the place of an older one, which is protected from what the user writes: it is ours.
    """
    with contextlib.suppress(InputError):
        make_private_folder(note.parent)
        replace_whole(identity, note, private=True)
