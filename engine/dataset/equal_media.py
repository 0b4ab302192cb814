"""Clips that are the same recording twice: their media are equal byte by byte, and so are the
moments that are cut from them.

Only files of one size can be equal. Of those the beginnings are compared first, and the rest only
where these are equal too, so that of a folder full of videos next to nothing is read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.dataset.annotations.media_paths import locate_media
from engine.dataset.annotations.read import Annotations
from engine.files.points import reach
from engine.files.reading import is_regular_file

READ_AT_MOST = 4 << 30
"""Bytes of all media together; some ten seconds from a disk."""

_BEGINNING = 64 << 10
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class EqualMedia:
    """Clips, by their rows, whose media and moments are equal: the sets of two and more.

    files    how many different files the clips name, of those that are there
    unread   files that were not compared: together they are too large, or they cannot be read
    """

    sets: tuple[tuple[int, ...], ...]
    files: int
    unread: int

    @property
    def clips(self) -> int:
        """How many clips are one of the others."""
        return sum(len(rows) - 1 for rows in self.sets)


def find_equal_media(annotations: Annotations, most: int = READ_AT_MOST) -> EqualMedia:
    """The clips whose media are equal; `most`: how many bytes may be read."""
    paths = _find_files(annotations)
    contents, unread = _tell_contents(set(paths.values()), most)
    spans = annotations.span_start, annotations.span_end
    sets: dict[Hashable, list[int]] = {}
    for row, path in paths.items():
        moment = tuple("" if column is None else column[row] for column in spans)
        sets.setdefault((contents[path], moment), []).append(row)
    equal = tuple(tuple(rows) for rows in sets.values() if len(rows) > 1)
    return EqualMedia(equal, len(contents), unread)


def _find_files(annotations: Annotations) -> Mapping[int, Path]:
    """The file of each clip that has one: its video, or else its gif."""
    columns = [one for one in (annotations.video_path, annotations.gif_path) if one is not None]
    folder = annotations.path.parent
    known: dict[str, Path | None] = {}
    found: dict[int, Path] = {}
    for row in range(len(annotations.ids)):
        text = next((column[row] for column in columns if column[row]), "")
        if text not in known:
            path = locate_media(text) if text else None
            there = path is not None and is_regular_file(folder / path)
            known[text] = folder / path if path is not None and there else None
        if (path := known[text]) is not None:
            found[row] = path
    return found


def _tell_contents(paths: Iterable[Path], most: int) -> tuple[dict[Path, Hashable], int]:
    """What tells the contents of files apart: their digest where that of another may be the same,
    or else the file itself; and how many could not be compared."""
    contents: dict[Path, Hashable] = {}
    by_size: dict[int, list[Path]] = {}
    unread = 0
    for path in sorted(paths):
        contents[path] = str(path)
        try:
            by_size.setdefault(path.stat().st_size, []).append(path)
        except OSError:
            unread += 1
    for size, alike in by_size.items():
        if size == 0 or len(alike) < 2:
            continue
        beginnings: dict[str, list[Path]] = {}
        for path in alike:
            most -= min(size, _BEGINNING)
            digest = _digest(path, _BEGINNING) if most >= 0 else None
            unread += digest is None
            if digest is not None:
                beginnings.setdefault(digest, []).append(path)
        for digest, some in beginnings.items():
            for path in some if len(some) > 1 else ():
                most -= size if size > _BEGINNING else 0
                whole = digest if size <= _BEGINNING else _digest(path) if most >= 0 else None
                unread += whole is None
                contents[path] = (size, whole) if whole is not None else contents[path]
    return contents, unread


def _digest(path: Path, most: int | None = None) -> str | None:
    """Of the first `most` bytes of a file, or of all; None: it cannot be read."""
    digest, left = hashlib.sha256(), most
    try:
        reach("read", path)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe is not waited for
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 (it is open)
            while left is None or left > 0:
                piece = file.read(_PIECE if left is None else min(_PIECE, left))
                if not piece:
                    break
                digest.update(piece)
                left = None if left is None else left - len(piece)
    except OSError:
        return None
    return digest.hexdigest()
