"""Evaluations on disk, so that a table is there again at once when the app is started again.

It is only a cache: what is damaged is as if it were not there, a folder that cannot be written
keeps nothing, and what was not used for longest makes room.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Final

from engine.base.errors import InputError
from engine.files.atomic import remove_file, replace_whole
from engine.files.private import make_private_folder
from engine.files.reading import guard_reading

MOST_BYTES: Final = 256 << 20
"""Of all evaluations; that of 200,000 clips by all of them takes some 40 MB."""

MOST_FILES: Final = 64

_SUFFIX = ".evaluation"
_MAGIC = b"tui-eval evaluation 2\n"
_SEAL_BYTES = len(_MAGIC) + hashlib.sha256().digest_size


class EvaluationStore:
    """Bytes by key, in a folder that is the user's alone."""

    def __init__(
        self, folder: Path, most_bytes: int = MOST_BYTES, most_files: int = MOST_FILES
    ) -> None:
        self.folder = folder
        self._most_bytes = most_bytes
        self._most_files = most_files

    def get(self, key: str) -> bytes | None:
        """What was put; None: nothing was, or it is not whole any more."""
        file = self._file(key)
        try:
            with guard_reading(file) as size:
                if size > self._most_bytes:
                    return None
                with file.open("rb", buffering=0) as kept:  # a buffer would copy the body
                    seal, body = kept.read(_SEAL_BYTES), kept.read()
            if seal != _seal(key, body):
                return None
            os.utime(file)  # it was used
        except (InputError, OSError, ValueError):
            return None
        return body

    def put(self, key: str, body: bytes) -> None:
        """Keep it, and let go of what was not used for longest; what cannot be kept is not."""
        if _SEAL_BYTES + len(body) > self._most_bytes:
            return
        with contextlib.suppress(InputError, OSError):
            make_private_folder(self.folder)
            replace_whole(_seal(key, body) + body, self._file(key), private=True)
            self._make_room()

    def _make_room(self) -> None:
        found = [(file, file.stat()) for file in self.folder.glob(f"*{_SUFFIX}")]
        total = 0
        newest_first = sorted(found, key=lambda one: one[1].st_mtime_ns, reverse=True)
        for place, (file, stat) in enumerate(newest_first):
            total += stat.st_size
            if total > self._most_bytes or place >= self._most_files:
                remove_file(file)

    def _file(self, key: str) -> Path:
        return self.folder / f"{key[:32]}{_SUFFIX}"


def _seal(key: str, body: bytes) -> bytes:
    """What stands before the body in a file: whatever happens to either is seen, and a file that
    was given another name."""
    digest = hashlib.sha256(f"{key}\n".encode())
    digest.update(body)
    return _MAGIC + digest.digest()
