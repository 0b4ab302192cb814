"""What the ids of a collection look like, and how one is shown in fewer cells than it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from rich.cells import cell_len

from tui.widgets.line_layout import fit

_ROOMS: Final = (14, 18, 24, 32)
"""Cells that an id may keep at least: an id is whole in the first of them, or has its beginning
and its end, which nearly always tells it from the others; else it keeps more."""

_SAMPLE: Final = 1_000
"""Ids that are measured, however many there are."""

_LONGEST_TAIL: Final = 12
_SEPARATOR = re.compile(r"[_\-./ :]")


@dataclass(frozen=True, slots=True)
class IdShape:
    """What the ids of a collection look like.

    longest  cells of the longest one
    prefix   what all of them begin with, up to a separator
    suffix   what all of them end with, from a separator on
    tail     characters before the suffix that tell them apart, such as a number
    least    cells that tell them apart, which each of them keeps
    """

    longest: int
    prefix: str = ""
    suffix: str = ""
    tail: int = 5
    least: int = 0

    @classmethod
    def of(cls, ids: Sequence[str]) -> IdShape:
        """
        >>> IdShape.of(["drive_car_0001", "drive_bus_0017"])
        IdShape(longest=14, prefix='drive_', suffix='', tail=5, least=14)
        >>> IdShape.of(["night_drive_01_front.mp4", "night_drive_02_front.mp4"])
        IdShape(longest=24, prefix='night_drive_', suffix='_front.mp4', tail=5, least=14)
        """
        return _measure(tuple(ids[:_SAMPLE]))

    def shorten(self, one: str, cells: int, ellipsis: str = "…") -> str:
        """An id in so many cells. It loses first what all begin with, then what all end with, then
        its middle.

        >>> shape = IdShape.of(["night_drive_01_front.mp4", "night_drive_02_front.mp4"])
        >>> [shape.shorten("night_drive_01_front.mp4", cells) for cells in (24, 23, 12)]
        ['night_drive_01_front.mp4', '…01_front.mp4', '…01…']
        """
        if cell_len(one) <= cells:
            return one
        before = self.prefix if one.startswith(self.prefix) else ""
        after = self.suffix if one.endswith(self.suffix) else ""
        own = one[len(before) : len(one) - len(after)]
        if not own:
            return fit(one, max(1, cells), ellipsis=ellipsis, tail=self.tail).rstrip()
        before, cut = ellipsis if before else "", ellipsis if after else ""
        for shown in (f"{before}{own}{after}", f"{before}{own}{cut}"):
            if cell_len(shown) <= cells:
                return shown
        room = max(1, cells - cell_len(before) - cell_len(cut))
        return before + fit(own, room, ellipsis=ellipsis, tail=self.tail).rstrip() + cut

    def tells_apart(self, ids: Sequence[str], cells: int) -> bool:
        """Whether no two ids look the same in so many cells."""
        return len({self.shorten(one, cells) for one in ids}) == len(ids)


@lru_cache(maxsize=4)
def _measure(ids: tuple[str, ...]) -> IdShape:
    """Remembered, because the same ids are listed by one query after the other."""
    prefix, suffix = _find_common_parts(ids)
    tails = [_measure_tail(one.removesuffix(suffix)) for one in ids]
    shape = IdShape(
        longest=max(map(cell_len, ids), default=0),
        prefix=prefix,
        suffix=suffix,
        tail=max(5, min(max(tails, default=0), _LONGEST_TAIL)),
    )
    wide = (cells for cells in _ROOMS if cells >= shape.longest or shape.tells_apart(ids, cells))
    return replace(shape, least=min(shape.longest, next(wide, _ROOMS[-1])))


def _find_common_parts(ids: Sequence[str]) -> tuple[str, str]:
    """What all ids begin with, and what the rest of all ends with."""
    if len(ids) < 2:
        return "", ""
    prefix = _find_common_beginning(ids)
    rest = [one[len(prefix) :] for one in ids]
    return prefix, _find_common_beginning([one[::-1] for one in rest])[::-1]


def _find_common_beginning(ids: Sequence[str]) -> str:
    """Up to a separator, which it includes."""
    first, last = min(ids), max(ids)  # all others stand between them
    pairs = zip(first, last, strict=False)
    same = next(
        (place for place, (one, other) in enumerate(pairs) if one != other),
        min(len(first), len(last)),
    )
    cuts = [found.end() for found in _SEPARATOR.finditer(first[:same])]
    return first[: cuts[-1]] if cuts else ""


def _measure_tail(one: str) -> int:
    """Characters from the last separator on."""
    found = [match.start() for match in _SEPARATOR.finditer(one)]
    return len(one) - found[-1] if found else 0
