"""Which character shows which part of a cell: half cells, quadrants, sextants and octants.

A cell is cut into parts of equal size, numbered row by row from the upper left; bit n of a pattern
says that part n is ink. Unicode has a character for every pattern of 2×2, 2×3 and 2×4 parts, though
not in one place: what an older character shows got no new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_QUADRANTS: Final = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"

_FIRST_SEXTANT, _FIRST_OCTANT = 0x1FB00, 0x1CD00


@dataclass(frozen=True, slots=True)
class CellShape:
    """How many parts a cell has, and the character of every pattern of them."""

    columns: int
    rows: int
    glyphs: str

    @property
    def parts(self) -> int:
        return self.columns * self.rows


def _write_bits(*parts: int) -> int:
    """A pattern by the numbers of its parts, from 1, as the names of Unicode give them."""
    return sum(1 << (part - 1) for part in parts)


def _fill_gaps(older: dict[int, str], count: int, first: int) -> str:
    """Every pattern's character: an older one, or the next of a row that begins at `first`."""
    glyphs, code = [], first
    for pattern in range(count):
        glyphs.append(older.get(pattern) or chr(code))
        code += pattern not in older
    return "".join(glyphs)


def _make_sextants() -> str:
    older = {
        0: " ",
        _write_bits(1, 3, 5): "▌",
        _write_bits(2, 4, 6): "▐",
        _write_bits(1, 2, 3, 4, 5, 6): "█",
    }
    return _fill_gaps(older, 64, _FIRST_SEXTANT)


def _make_octants() -> str:
    halves = ((1, 3), (2, 4), (5, 7), (6, 8))  # a quadrant is two octants, one above the other
    older = {
        _write_bits(*(part for n, own in enumerate(halves) if quarter >> n & 1 for part in own)): g
        for quarter, g in enumerate(_QUADRANTS)
    }
    older |= {
        _write_bits(1): "\U0001cea8",
        _write_bits(2): "\U0001ceab",
        _write_bits(7): "\U0001cea3",
        _write_bits(8): "\U0001cea0",
        _write_bits(3, 5): "\U0001fbe6",
        _write_bits(4, 6): "\U0001fbe7",
        _write_bits(1, 2): "\U0001fb82",
        _write_bits(7, 8): "▂",
        _write_bits(1, 2, 3, 4, 5, 6): "\U0001fb85",
        _write_bits(3, 4, 5, 6, 7, 8): "▆",
    }
    return _fill_gaps(older, 256, _FIRST_OCTANT)


HALVES: Final = CellShape(1, 2, " ▀▄█")
QUADRANTS: Final = CellShape(2, 2, _QUADRANTS)
SEXTANTS: Final = CellShape(2, 3, _make_sextants())
OCTANTS: Final = CellShape(2, 4, _make_octants())
