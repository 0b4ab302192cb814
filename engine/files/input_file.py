"""InputFile: a file that a result was computed from, as the result names it."""

from __future__ import annotations

from dataclasses import dataclass


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
