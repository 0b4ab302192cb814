"""A store as its files hold it, read without SQLite: the main file, and over it what was committed
to the log. Nothing is locked, changed or made by reading it so.

https://www.sqlite.org/fileformat2.html describes both files.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.files.budget import require_room
from engine.files.reading import guard_reading
from engine.sessions.store_files import list_files

MAGIC = b"SQLite format 3\0"
PAGE_SIZES = tuple(1 << power for power in range(9, 17))

_LOG_HEADER = struct.Struct(">8I")  # magic, version, page size, checkpoints, 2 salts, 2 sums
_FRAME_HEADER = struct.Struct(">6I")  # page, pages after a commit or 0, 2 salts, 2 sums
_LOG_MAGIC = (0x377F0682, 0x377F0683)

_COPIES = 6
"""Of the files that are in memory at a time: as they are read, put together, and as a database."""

_MORE_MEMORY = "close other programs, or use a machine with more memory"
_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StoreImage:
    """The bytes of a store, as a file without a log; `is_whole`: all of the log could be read, and
    the file says in a known way whether it has one."""

    data: bytes
    is_whole: bool


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
    with guard_reading(log) as size:
        require_room(_COPIES * size, log, hint=_MORE_MEMORY)
        return _Log(log.read_bytes()).is_whole


def read_image(path: Path, memory_per_byte: int = _COPIES) -> StoreImage:
    """The store at a path with what its log adds; a part of the log that is damaged is left out.

    memory_per_byte  what reading it, and what is made of it then, may take
    """
    main, log, _ = list_files(path)
    with guard_reading(main) as size:
        size += log.stat().st_size if log.exists() else 0
        require_room(memory_per_byte * size, main, hint=_MORE_MEMORY)
        data = bytearray(main.read_bytes())
        frames = _Log(log.read_bytes()) if log.exists() else None
    is_cut = not data  # SQLite throws away the log of an empty file
    if frames is not None:
        frames.apply(data)
    known = has_known_journal(bytes(data[:20]))
    if data.startswith(MAGIC):
        data[18:20] = b"\1\1"
    is_whole = frames is None or (frames.is_whole and not (is_cut and data))
    return StoreImage(bytes(data), known and is_whole)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A page in the log; `is_sound`: its sum fits to it and to the frame before."""

    page: int
    pages: int
    salts: _Pair
    data: bytes
    is_sound: bool


class _Log:
    """The log of a store: pages, in the order written, of one generation."""

    def __init__(self, data: bytes) -> None:
        self._frames: list[_Frame] = []
        self.size = 0
        self.is_whole = True
        if len(data) < _LOG_HEADER.size:
            return
        magic, _, self.size, _, salt1, salt2, sum1, sum2 = _LOG_HEADER.unpack_from(data)
        order = ">" if magic & 1 else "<"
        has_header = magic in _LOG_MAGIC and self.size in PAGE_SIZES
        has_header = has_header and _sum(data[:24], order, (0, 0)) == (sum1, sum2)
        if not has_header:
            self.size = _guess_size(data)
        found = list(self._read(data, order, (sum1, sum2) if has_header else None))
        salts = (salt1, salt2) if has_header else _most_common_salts(found)
        commits = [
            number
            for number, one in enumerate(found)
            if one.is_sound and one.pages and one.salts == salts
        ]
        committed = found[: commits[-1] + 1] if commits else []  # the rest was never committed
        self._frames = [frame for frame in committed if frame.salts == salts]
        # A header that is no header stands before frames that nobody can vouch for.
        self.is_whole = has_header or not any(data)
        self.is_whole &= all(one.is_sound and one.salts == salts for one in committed)

    def _read(self, data: bytes, order: str, before: _Pair | None) -> Iterator[_Frame]:
        step = _FRAME_HEADER.size + self.size
        for at in range(_LOG_HEADER.size, len(data) - step + 1, step):
            page, pages, salt1, salt2, *sums = _FRAME_HEADER.unpack_from(data, at)
            body = data[at + _FRAME_HEADER.size : at + step]
            after = (sums[0], sums[1])
            # Each sum goes on from the one before as it is written: so one bad frame is one.
            sound = before is None or _sum(data[at : at + 8] + body, order, before) == after
            yield _Frame(page, pages, (salt1, salt2), body, sound)
            before = after

    def apply(self, data: bytearray) -> None:
        """Put the pages of the log into the main file."""
        for frame in self._frames:
            if frame.is_sound and 0 < frame.page <= 1 + (len(data) // self.size) + len(
                self._frames
            ):
                start = (frame.page - 1) * self.size
                data.extend(bytes(max(0, start - len(data))))
                data[start : start + self.size] = frame.data
        if self._frames and self.is_whole:
            del data[self._frames[-1].pages * self.size :]


def _sum(data: bytes, order: str, start: _Pair) -> _Pair:
    """SQLite's own checksum, over words of four bytes, two at a time."""
    first, second = start
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for one, two in zip(words, words, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second


def _most_common_salts(frames: list[_Frame]) -> _Pair:
    return Counter(frame.salts for frame in frames).most_common(1)[0][0] if frames else (0, 0)


def _guess_size(data: bytes) -> int:
    """The size of page at which the frames have the same salts."""

    def alike(size: int) -> tuple[float, bool]:
        step = _FRAME_HEADER.size + size
        starts = range(_LOG_HEADER.size, len(data) - step + 1, step)
        salts = Counter(data[at + 8 : at + 16] for at in starts)
        del salts[bytes(8)]  # what was never written
        share = max(salts.values(), default=0) / max(1, len(starts))
        return share, size == PAGE_SIZES[3]

    return max(PAGE_SIZES, key=alike)
