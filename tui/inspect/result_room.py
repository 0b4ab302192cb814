"""How the columns of the results share a line: what matters takes the free space."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

ROOM_FOR_IDS: Final = 14
"""Cells that an id keeps at least: its beginning and its end."""

_LONGEST_TAIL: Final = 12
_SEPARATOR = re.compile(r"[_\-./ :]")


@dataclass(frozen=True, slots=True)
class IdShape:
    """What the ids of a collection look like.

    longest  cells of the longest one
    prefix   what all of them begin with, up to a separator
    tail     characters at their end that tell them apart, such as a number
    """

    longest: int
    prefix: str
    tail: int

    @classmethod
    def of(cls, ids: Sequence[str]) -> IdShape:
        """
        >>> IdShape.of(["drive_car_0001", "drive_bus_0017"])
        IdShape(longest=14, prefix='drive_', tail=5)
        """
        common = _find_common_beginning(ids)
        cuts = [found.end() for found in _SEPARATOR.finditer(common)]
        ends = [_measure_tail(one) for one in ids]
        return cls(
            longest=max(map(cell_len, ids), default=0),
            prefix=common[: cuts[-1]] if cuts else "",
            tail=max(5, min(max(ends, default=0), _LONGEST_TAIL)),
        )

    @property
    def shortest(self) -> int:
        """Cells of the longest one without what all have."""
        return self.longest - cell_len(self.prefix)


def _find_common_beginning(ids: Sequence[str]) -> str:
    if len(ids) < 2:
        return ""
    first, last = min(ids), max(ids)  # all others stand between them
    same = next(
        (
            place
            for place, (one, other) in enumerate(zip(first, last, strict=False))
            if one != other
        ),
        min(len(first), len(last)),
    )
    return first[:same]


def _measure_tail(one: str) -> int:
    """Characters from the last separator on."""
    found = [match.start() for match in _SEPARATOR.finditer(one)]
    return len(one) - found[-1] if found else 0


def share_room(room: int, why: int, ids: IdShape) -> tuple[int, bool]:
    """The cells of the column that says why, which wants so many, and whether ids lose what all of
    them begin with. Ids keep as much as tells them apart; where a row leaves blanks before its id,
    the id has them.

    >>> ids = IdShape(longest=24, prefix="urban_", tail=5)
    >>> [share_room(room, 24, ids) for room in (60, 46, 37, 28)]
    [(24, False), (24, True), (23, True), (14, True)]
    """
    width = max(0, min(why, room - min(ROOM_FOR_IDS, ids.shortest)))
    return width, room - width < ids.longest
