"""The keywords that a result lacks, in as many letters as there is room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from tui.look.safe import escape

if TYPE_CHECKING:
    from engine.base.keyword import Keyword

SHORTEST_NAME = 3
"""Letters that a shortened name keeps at least."""


def name_shortly(keywords: Sequence[Keyword]) -> list[str]:
    """The names of a query's keywords; where two are called the same, with their group.

    >>> from engine.base.keyword import Keyword
    >>> name_shortly([Keyword("object_type", "other"), Keyword("scene", "city")])
    ['other', 'city']
    >>> name_shortly([Keyword("object_type", "other"), Keyword("scene", "other")])
    ['object type: other', 'scene: other']
    """
    times = Counter(keyword.name for keyword in keywords)
    return [
        escape(one.name if times[one.name] == 1 else f"{one.group.replace('_', ' ')}: {one.name}")
        for one in keywords
    ]


def find_least_lengths(names: Sequence[str]) -> list[int]:
    """How many letters of each name tell it from the others.

    >>> find_least_lengths(["pedestrian", "crossing", "car", "car door"])
    [3, 3, 3, 5]
    """
    return [_find_least(name, [other for other in names if other != name]) for name in names]


def _find_least(name: str, others: Sequence[str]) -> int:
    least = max([SHORTEST_NAME, *(_count_common(name, other) + 1 for other in others)])
    while name[least - 1 : least].isspace():  # a blank at the end is not seen
        least += 1
    return min(least, len(name))


def _count_common(one: str, other: str) -> int:
    """Letters that two names begin with alike."""
    pairs = zip(one, other, strict=False)
    return next(
        (place for place, (mine, its) in enumerate(pairs) if mine != its),
        min(len(one), len(other)),
    )


class LackingWords:
    """What results lack of a query's keywords, each behind a minus.

    >>> words = LackingWords(["pedestrian", "crossing"], "-")
    >>> [words.write([0, 1], width) for width in (30, 15, 14, 9, 8)]
    ['-pedestrian -crossing', '-pede -crossing', '-ped -crossing', '-ped -cro', '-2 of 2']
    >>> words.write([0], 30), words.write([], 30)
    ('-pedestrian', '')
    >>> LackingWords(["straight crossing path"], "-").write([0], 22)
    '-straight crossing'
    """

    def __init__(self, names: Sequence[str], minus: str) -> None:
        self.names = names
        self.minus = minus
        self._least = find_least_lengths(names)

    @property
    def widths(self) -> list[int]:
        """Cells of each name with its minus."""
        return [cell_len(self.minus) + cell_len(name) for name in self.names]

    def write(self, lacking: Sequence[int], width: int) -> str:
        """The names by their numbers: the longest lose letters first, none so many that it could
        be another; where that is not enough, how many more there are, or how many of how many."""
        shown = [self.names[number] for number in lacking]
        over = self._measure(shown) - width
        for place in sorted(range(len(shown)), key=lambda place: -cell_len(shown[place])):
            if over > 0:
                least = self._least[lacking[place]]
                short = self._cut(shown[place], cell_len(shown[place]) - over, least)
                over -= cell_len(shown[place]) - cell_len(short)
                shown[place] = short
        if over <= 0:
            return self._join(shown)
        return self._count(shown, width)

    @staticmethod
    def _cut(name: str, cells: int, least: int) -> str:
        whole = name[:least]
        cut = whole if cells < cell_len(whole) else set_cell_size(name, cells)
        words, gap, begun = cut.rpartition(" ")
        if gap and len(words) >= least and not name.startswith(f"{cut} ") and cut != name:
            cut = words if len(begun) <= SHORTEST_NAME else cut  # a few letters say nothing more
        return cut.rstrip()

    def _measure(self, names: Sequence[str]) -> int:
        return cell_len(self._join(names))

    def _join(self, names: Sequence[str]) -> str:
        return " ".join(f"{self.minus}{name}" for name in names)

    def _count(self, shown: Sequence[str], width: int) -> str:
        """As many as fit, and the number of the others; none fits: how many of the query's."""
        for count in range(len(shown) - 1, 0, -1):
            text = self._join([*shown[:count], f"{len(shown) - count} more"])
            if cell_len(text) <= width:
                return text
        return f"{self.minus}{len(shown)} of {len(self.names)}"
