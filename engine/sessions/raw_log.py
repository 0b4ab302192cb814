"""The log of a store ("-wal"): pages in the order they were written, each with a sum that goes on
from the one before.

https://www.sqlite.org/fileformat2.html#walformat describes it. A new generation of frames is
written over the one before, from the beginning, as soon as that is in the main file; the header
says which one counts. If the header is damaged, the frames themselves tell.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

PAGE_SIZES = tuple(1 << power for power in range(9, 17))
USUAL_SIZE = 4096

_HEADER = struct.Struct(">8I")  # magic, version, page size, checkpoints, 2 salts, 2 sums
_FRAME_HEADER = struct.Struct(">6I")  # page, pages after a commit or 0, 2 salts, 2 sums
_MAGIC = (0x377F0682, 0x377F0683)
_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Header:
    """What the log begins with; `is_sound`: its own sum fits.

    sums  those that the first frame may go on from: as written, and, if that is damaged, as the
          rest of the header gives it in this order of bytes
    """

    size: int
    order: str
    salts: _Pair
    sums: tuple[_Pair, ...]
    is_sound: bool


@dataclass(frozen=True, slots=True)
class _Frame:
    """A page in the log; `is_sound`: its sum fits to it and to the frame before."""

    page: int
    pages: int
    salts: _Pair
    data: bytes
    is_sound: bool


class RawLog:
    """What was committed to a log, of the newest generation.

    is_whole    SQLite would take over all of it
    lost_pages  pages whose newest state was committed, and cannot be read
    """

    def __init__(self, data: bytes) -> None:
        self.size = USUAL_SIZE
        self.is_whole = True
        self.lost_pages = 0
        self._frames: list[_Frame] = []
        if len(data) < _HEADER.size:
            return
        header = _read_header(data)
        if not header.is_sound:
            header = _guess_header(data)
        self.size = header.size
        found = list(_read_frames(data, header))
        salts = header.salts if header.is_sound else _find_newest_salts(found)
        ours = _list_ours(found, salts)
        commits = [at for at, one in enumerate(found) if ours[at] and one.is_sound and one.pages]
        end = commits[-1] + 1 if commits else 0  # the rest was never committed
        newest = {}
        for frame, is_ours in zip(found[:end], ours, strict=False):
            newest[frame.page] = is_ours and frame.is_sound
            if newest[frame.page]:
                self._frames.append(frame)
        self.lost_pages = sum(not is_read for is_read in newest.values())
        # A header that is no header stands before frames that nobody can vouch for.
        self.is_whole = header.is_sound or not any(data)
        self.is_whole &= all(one.is_sound and one.salts == salts for one in found[:end])

    def apply(self, data: bytearray) -> None:
        """Put the pages of the log into the main file."""
        last = 1 + len(data) // self.size + len(self._frames)
        for frame in self._frames:
            if 0 < frame.page <= last:
                start = (frame.page - 1) * self.size
                data.extend(bytes(max(0, start - len(data))))
                data[start : start + self.size] = frame.data
        if self._frames and self.is_whole:
            del data[self._frames[-1].pages * self.size :]


def _read_header(data: bytes) -> _Header:
    magic, _, size, _, salt1, salt2, sum1, sum2 = _HEADER.unpack_from(data)
    order = ">" if magic & 1 else "<"
    sums = (sum1, sum2)
    sound = magic in _MAGIC and size in PAGE_SIZES and _sum(data[:24], order, (0, 0)) == sums
    return _Header(size, order, (salt1, salt2), (sums,), sound)


def _guess_header(data: bytes) -> _Header:
    """The size of page and the order of bytes by which most frames go on from the one before."""
    said = _read_header(data)
    sizes = sorted(PAGE_SIZES, key=lambda size: (size != said.size, size != USUAL_SIZE))
    orders = sorted("<>", key=lambda order: order != said.order)
    guesses = [
        _Header(size, order, said.salts, (*said.sums, _sum(data[:24], order, (0, 0))), False)
        for size in sizes
        for order in orders
    ]
    return max(guesses, key=lambda guess: _count_links(data, guess))


def _count_links(data: bytes, header: _Header) -> int:
    """Frames that go on from the one before. A sum is made only where the salts are the same, which
    is hardly ever so at another size."""
    step = _FRAME_HEADER.size + header.size
    starts = range(_HEADER.size, len(data) - step + 1, step)
    links = sum(_goes_on(data, at, header, sums) for at in starts[:1] for sums in header.sums)
    for before, at in pairwise(starts):
        salts = data[at + 8 : at + 16]
        if any(salts) and salts == data[before + 8 : before + 16]:
            links += _goes_on(data, at, header, _read_sums(data, before))
    return links


def _read_frames(data: bytes, header: _Header) -> Iterator[_Frame]:
    step = _FRAME_HEADER.size + header.size
    before = header.sums[0]
    for at in range(_HEADER.size, len(data) - step + 1, step):
        page, pages, salt1, salt2, sum1, sum2 = _FRAME_HEADER.unpack_from(data, at)
        body = data[at + _FRAME_HEADER.size : at + step]
        # Each sum goes on from the one before as it is written: so one bad frame is one. What
        # follows a damaged header is believed.
        sound = at == _HEADER.size and not header.is_sound
        sound = sound or _sum(data[at : at + 8] + body, header.order, before) == (sum1, sum2)
        yield _Frame(page, pages, (salt1, salt2), body, sound)
        before = (sum1, sum2)


def _read_sums(data: bytes, at: int) -> _Pair:
    *_, sum1, sum2 = _FRAME_HEADER.unpack_from(data, at)
    return sum1, sum2


def _goes_on(data: bytes, at: int, header: _Header, before: _Pair) -> bool:
    """Whether the sum of a frame is right, if that is the one before it."""
    body = at + _FRAME_HEADER.size
    summed = data[at : at + 8] + data[body : body + header.size]
    return _sum(summed, header.order, before) == _read_sums(data, at)


def _list_ours(frames: list[_Frame], salts: _Pair) -> list[bool]:
    """Which frames are of a generation: by their salts or, as these are in no sum, by going on
    from one that is."""
    ours: list[bool] = []
    for frame in frames:
        goes_on = frame.is_sound and bool(ours) and ours[-1]
        ours.append(frame.salts == salts or goes_on)
    return ours


def _find_newest_salts(frames: list[_Frame]) -> _Pair:
    """Those of the first generation in the log that has committed something: what lies behind it is
    older, however much there is of it."""
    for generation in _split_generations(frames):
        if any(frame.is_sound and frame.pages for frame in generation):
            return Counter(frame.salts for frame in generation).most_common(1)[0][0]
    return (0, 0)


def _split_generations(frames: list[_Frame]) -> list[list[_Frame]]:
    generations: list[list[_Frame]] = []
    known: set[_Pair] = set()
    for number, frame in enumerate(frames):
        if number == 0 or not (frame.is_sound or frame.salts in known):
            generations.append([])
            known = set()
        generations[-1].append(frame)
        known.add(frame.salts)
    return generations


def _sum(data: bytes, order: str, start: _Pair) -> _Pair:
    """SQLite's own checksum, over words of four bytes, two at a time."""
    first, second = start
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for one, two in zip(words, words, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
