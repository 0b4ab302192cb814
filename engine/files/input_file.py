"""The files that a result was computed from, each with the digest of the bytes that were read.

Readers open a file by its name; many map it, or leave it to numpy or Arrow. `reading_inputs` holds
the same file open beside them, and makes sure that they have read that one. It may be replaced from
then on: what is held keeps its bytes, and the digest is taken from those when it is asked for.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from engine.base.errors import InputError
from engine.files.points import reach

_DIGESTED_AT_ONCE = 8 << 20
"""Bytes, read in milliseconds: such a file is not held, and may be edited once it was read."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file and the digest of the bytes that were read from it.

    >>> InputFile("clips.csv", "ab12").as_document()
    {'path': 'clips.csv', 'sha256': 'ab12'}
    """

    path: str
    sha256: str

    def as_document(self) -> dict[str, str]:
        return {"path": self.path, "sha256": self.sha256}


class _HeldFile:
    """A file that is held open until its digest was taken; one that cannot be is reported then."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sha256: str | None = None
        self._digesting = threading.Lock()
        try:
            reach("read", path)
            self._descriptor = os.open(
                path, os.O_RDONLY | os.O_NONBLOCK
            )  # a pipe is not waited for
        except (OSError, ValueError) as error:
            self._problem = getattr(error, "strerror", None) or "no path"
            return
        self._problem = ""
        self._close = weakref.finalize(self, os.close, self._descriptor)
        found = os.fstat(self._descriptor)
        self._version = _version(found)
        self._entry_changed = found.st_ctime_ns
        if not stat.S_ISREG(found.st_mode):
            self._problem = "not a regular file"
            self._close()

    def confirm(self) -> None:
        """Refuse it unless its name still leads to it, as it was when it was opened."""
        if self._problem:
            return  # whoever has to read it says what is wrong
        if _version_of(self.path) != self._version:
            raise _changed(self.path)
        if self._version[-1] <= _DIGESTED_AT_ONCE:
            _ = self.sha256

    def check_unchanged(self) -> None:
        """Refuse it if something else stands under its name by now; it may be gone."""
        if not self._problem and _version_of(self.path) not in (None, self._version):
            raise _changed(self.path)

    @property
    def sha256(self) -> str:
        with self._digesting:
            if self._sha256 is None:
                self._sha256 = self._digest()
                self._close()
            return self._sha256

    @property
    def fingerprint(self) -> str | None:
        """What tells its bytes from any others without reading many: the digest of a small file,
        else which file it is and when it was written; None: it could not be opened."""
        if self._problem:
            return None
        if self._version[-1] <= _DIGESTED_AT_ONCE:
            return self.sha256
        return " ".join(map(str, (*self._version, self._entry_changed)))

    def _digest(self) -> str:
        if self._problem:
            raise InputError(f"cannot be read ({self._problem})", self.path)
        try:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            with open(self._descriptor, "rb", closefd=False) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if _version(os.fstat(self._descriptor)) != self._version:
                raise _changed(self.path)
            return digest
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror})", self.path) from error


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files that were read, by their paths."""

    _held: Mapping[Path, _HeldFile] = field(default_factory=dict)

    def __or__(self, others: FileSet) -> FileSet:
        return FileSet({**self._held, **others._held})

    def named(
        self, roles: Mapping[str, Path], known: Mapping[str, InputFile] | None = None
    ) -> Mapping[str, InputFile]:
        """The files by their roles, digested when they are first asked for; after them the `known`.

        A file that was not read has a role all the same, and is held from now on.
        """
        held = {role: self._held.get(path) or _HeldFile(path) for role, path in roles.items()}
        return _Named({**held, **(known or {})})

    def fingerprints(self) -> dict[str, str | None]:
        """What tells the bytes that were read from others, by path."""
        return {str(path): file.fingerprint for path, file in self._held.items()}

    def check_unchanged(self, path: Path) -> None:
        """Refuse a file that was written since it was read."""
        if path in self._held:
            self._held[path].check_unchanged()


@dataclass(frozen=True, slots=True)
class _Named(Mapping[str, InputFile]):
    _files: Mapping[str, _HeldFile | InputFile]

    def __getitem__(self, role: str) -> InputFile:
        file = self._files[role]
        return file if isinstance(file, InputFile) else InputFile(str(file.path), file.sha256)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@contextmanager
def reading_inputs(*paths: Path | None) -> Iterator[FileSet]:
    """Hold files while they are read; one that changes meanwhile is an InputError."""
    held = {path: _HeldFile(path) for path in paths if path is not None}
    yield FileSet(held)
    for file in held.values():
        file.confirm()


def hash_file(path: Path) -> str:
    """Digest of a file's bytes."""
    return _HeldFile(path).sha256


def _version(found: os.stat_result) -> tuple[int, ...]:
    """Which file it is, when it was last written, and how long it is."""
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _version_of(path: Path) -> tuple[int, ...] | None:
    try:
        return _version(path.stat())
    except OSError:
        return None


def _changed(path: Path) -> InputError:
    return InputError(
        "has changed since it was opened", path, hint="start again to read it as it is now"
    )
