"""How many cells a picture has, and how many pixels are wanted for them."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui.frames.images import CellSize

USUAL_ASPECT: Final = 16 / 9
LEAST: Final = (20, 6)
"""Columns and rows below which nothing is recognised."""

IN_A_CELL: Final = CellSize(4, 8)
"""Pixels that are decoded for a cell: enough for octants, and square."""


class PictureSize(NamedTuple):
    """In cells, which are twice as high as wide."""

    columns: int
    rows: int

    @property
    def is_enough(self) -> bool:
        return self.columns >= LEAST[0] and self.rows >= LEAST[1]


def fit_picture(columns: int, rows: int, aspect: float = USUAL_ASPECT) -> PictureSize:
    """The largest picture of an aspect in so many cells.

    >>> [tuple(fit_picture(*room)) for room in ((50, 30), (80, 7), (50, 14, 9 / 16))]
    [(50, 14), (25, 7), (16, 14)]
    """
    wide = min(columns, round(2 * rows * aspect))
    high = min(rows, round(wide / (2 * aspect)))
    return PictureSize(max(1, wide), max(1, high))
