"""A store as its files hold it, read without SQLite: the main file, and over it what was committed
to the log. Nothing is locked, changed or made by reading it so.

https://www.sqlite.org/fileformat2.html describes both files.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from engine.files.budget import require_room
from engine.files.reading import guard_reading
from engine.sessions.store_files import list_files

MAGIC = b"SQLite format 3\0"

_COPIES = 6
"""Of the files that are in memory at a time: as they are read, put together, and as a database."""

_MORE_MEMORY = "close other programs, or use a machine with more memory"


class StoreImage(NamedTuple):
    """The bytes of a store, as a file without a log.

    is_whole    all of the log could be read, and SQLite would find its way to it by the main file
    lost_pages  pages of the log whose newest state could not be read
    """

    data: bytes
    is_whole: bool
    lost_pages: int = 0


def has_known_journal(first: bytes) -> bool:
    """Whether a file that begins so says how it is to be written: with a journal, or with a log.

    SQLite does not write to others, as if they were protected.
    """
    return not first.startswith(MAGIC) or set(first[18:20]) <= {1, 2}


def has_whole_log(path: Path) -> bool:
    """Whether SQLite would take over all of a store's log.

    It leaves out whatever follows a damaged frame, without a word, and deletes the log.
    """
    log = list_files(path)[1]
    if not log.is_file() or not log.stat().st_size:
        return True
    from engine.sessions.raw_log import RawLog

    with guard_reading(log) as size:
        require_room(_COPIES * size, log, hint=_MORE_MEMORY)
        return RawLog(log.read_bytes()).is_whole


def read_image(path: Path, memory_per_byte: int = _COPIES) -> StoreImage:
    """The store at a path with what its log adds; a part of the log that is damaged is left out.

    memory_per_byte  what reading it, and what is made of it then, may take
    """
    from engine.sessions.raw_log import RawLog

    main, log, _ = list_files(path)
    with guard_reading(main) as size:
        size += log.stat().st_size if log.exists() else 0
        require_room(memory_per_byte * size, main, hint=_MORE_MEMORY)
        data = bytearray(main.read_bytes())
        frames = RawLog(log.read_bytes()) if log.exists() else None
    first = bytes(data[:100])
    if frames is not None:
        frames.apply(data)
    known = has_known_journal(first) and has_known_journal(bytes(data[:20]))
    known = known and _begins_alike(first, bytes(data[:100]))
    if data.startswith(MAGIC):
        data[18:20] = b"\1\1"
    if frames is None:
        return StoreImage(bytes(data), known)
    return StoreImage(bytes(data), known and frames.is_whole, frames.lost_pages)


def _begins_alike(first: bytes, image: bytes) -> bool:
    """Whether a main file that begins so says the same as it does with its log: SQLite looks there
    for the size of the pages, and throws away the log of an empty file."""
    return all(first[part] == image[part] for part in (slice(18), slice(20, 24)))
