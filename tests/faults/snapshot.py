"""What all files of a folder hold, to be compared and put back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_DATABASES = (".db", ".sqlite")


@dataclass(frozen=True)
class Snapshot:
    """Files by their paths."""

    files: Mapping[str, bytes]

    @classmethod
    def take(cls, folder: Path, *, databases: bool = False) -> Snapshot:
        """Without databases: SQLite writes them in its own way, while they are open."""
        found = (path for path in sorted(folder.rglob("*")) if path.is_file())
        kept = (path for path in found if databases or not _is_database(path))
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
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_bytes(self.files[name])
            else:
                Path(name).unlink()


def _is_database(path: Path) -> bool:
    return path.suffix.partition("-")[0] in _DATABASES
