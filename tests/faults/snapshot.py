"""What all files of a folder hold, to be compared and put back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_OPEN_DATABASES = ("sessions.db", "vectors-")
"""How their names begin: the store and the cache."""


@dataclass(frozen=True)
class Snapshot:
    """Files by their paths."""

    files: Mapping[str, bytes]

    @classmethod
    def take(cls, folder: Path, *, databases: bool = False) -> Snapshot:
        """Without databases: SQLite writes them in its own way, while they are open."""
        found = _list_files(folder)
        kept = (path for path in found if databases or not is_open_database(path))
        return cls({str(path): path.read_bytes() for path in kept})

    def compare(self, now: Snapshot) -> dict[str, bytes | None]:
        """What became of the files that are not as they were; None: it is gone."""
        names = self.files.keys() | now.files.keys()
        return {
            name: now.files.get(name)
            for name in sorted(names)
            if self.files.get(name) != now.files.get(name)
        }

    def restore(self, now: Snapshot) -> None:
        """Put back what is not as it was."""
        for name in self.compare(now):
            if name in self.files:
                Path(name).parent.mkdir(0o700, parents=True, exist_ok=True)
                Path(name).touch(0o600)  # it may be one that is private
                Path(name).write_bytes(self.files[name])
            else:
                Path(name).unlink()


class Originals:
    """A second name for every file of a folder, so that a file which was replaced can come back.

    A command knows its inputs by their numbers (inodes). If the number of a file that it has read
    became free, the next new file could get it, and would be taken for that input.
    """

    def __init__(self, folder: Path, aside: Path) -> None:
        """`aside`: an empty folder on the same disk, outside of the other."""
        self._folder = folder
        self._aside = aside
        self._numbers: dict[Path, int] = {}

    def keep(self) -> None:
        """Note which files are there now."""
        self._numbers = {}
        for path in _list_files(self._folder):
            if is_open_database(path):
                continue
            number = self._numbers[path] = path.stat().st_ino
            second = self._aside / str(number)
            if not second.exists():
                os.link(path, second)

    def bring_back(self) -> None:
        """Every file that was there is the same file again, whatever it holds by now."""
        for path, number in self._numbers.items():
            if not path.exists() or path.stat().st_ino != number:
                path.parent.mkdir(parents=True, exist_ok=True)
                again = self._aside / "again"
                os.link(self._aside / str(number), again)
                again.replace(path)


def _list_files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def is_open_database(path: Path) -> bool:
    """Whether it is one that SQLite has open while a command runs, or belongs to one."""
    return path.name.startswith(_OPEN_DATABASES)
