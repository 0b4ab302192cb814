"""Pictures as text: two pixels in each cell, in as few bytes as the eye allows.

A change of colour costs some thirty bytes, a cell within a run one or three. So a run goes on as
long as its two colours are near enough to every pixel in it: whatever is upper, lower, both or
neither of the two is drawn with ▀, ▄, █ or a space. Beside one escape sequence per cell this takes
a third of the bytes, and looks the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.frames.palette import Rgb, find_nearest_of_256

PixelRow: TypeAlias = list[Rgb]

HALF_CELL_GLYPHS = ((" ", "▄"), ("▀", "█"))
"""By the upper and the lower half: 0 ground, 1 ink."""

TURNED = str.maketrans(" ▄▀█", "█▀▄ ")
"""The same with ground and ink exchanged."""

TOLERANCE = 14
"""How far a pixel may be from the colour that stands for it, of 255. Chosen by looking: at 20 the
grey of roads and skies falls into stripes."""


def draw_half_cells(
    pixels: npt.NDArray[np.uint8],
    background: Rgb = (0, 0, 0),
    *,
    few_colours: bool = False,
    tolerance: int = TOLERANCE,
) -> list[Strip]:
    """Lines of cells that show a picture (height, width, 3); half a cell may stay background.

    `few_colours` is for terminals of 256 colours.

    >>> [strip.text for strip in draw_half_cells(np.uint8([[[255, 0, 0]] * 3, [[0, 0, 255]] * 3]))]
    ['▀▀▀']
    """
    rows: list[PixelRow] = [list(map(tuple, row)) for row in pixels.tolist()]
    if len(rows) % 2:
        rows.append([background] * len(rows[0]))
    limit = 9 * tolerance * tolerance
    return [
        Strip(_segments(upper, lower, limit, few_colours), len(upper))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]


def _segments(upper: PixelRow, lower: PixelRow, limit: int, few_colours: bool) -> list[Segment]:
    """One line of cells as runs of two colours, each run as long as it can be."""
    runs: list[_Run] = []
    for top, bottom in zip(upper, lower, strict=True):
        if not (runs and runs[-1].take(top, bottom, limit)):
            runs.append(_Run(top, bottom, limit))
    return [run.segment(few_colours) for run in runs]


class _Run:
    """Cells beside each other that share a ground and, if need be, an ink."""

    def __init__(self, top: Rgb, bottom: Rgb, limit: int) -> None:
        self.ground = bottom
        self.ink = None if _far(top, bottom) <= limit else top
        self.cells: list[str] = []
        self.pixels: tuple[PixelRow, PixelRow] = ([], [])  # of the ground, of the ink
        self.take(top, bottom, limit)

    def take(self, top: Rgb, bottom: Rgb, limit: int) -> bool:
        """Add a cell, if the run's colours are near enough to both its pixels."""
        upper, lower = self._nearest(top, limit), self._nearest(bottom, limit)
        if self.ink is None and (upper is None) != (lower is None):
            self.ink = top if upper is None else bottom  # one is new: it can be the ink
            upper, lower = self._nearest(top, limit), self._nearest(bottom, limit)
        if upper is None or lower is None:
            return False
        self.pixels[upper].append(top)
        self.pixels[lower].append(bottom)
        self.cells.append(HALF_CELL_GLYPHS[upper][lower])
        return True

    def _nearest(self, colour: Rgb, limit: int) -> int | None:
        to_ground = _far(colour, self.ground)
        if self.ink is not None:
            to_ink = _far(colour, self.ink)
            if to_ink < to_ground:
                return 1 if to_ink <= limit else None
        return 0 if to_ground <= limit else None

    def segment(self, few_colours: bool) -> Segment:
        """The cells in the mean colours of their pixels."""
        ground, ink = self.pixels
        text = "".join(self.cells)
        if len(ink) > len(ground):
            # Spaces are shorter than blocks, and fonts whose blocks leave a gap show less of it.
            ground, ink, text = ink, ground, text.translate(TURNED)
        return Segment(text, _style(_mean(ground), _mean(ink), few_colours))


def _far(one: Rgb, other: Rgb) -> int:
    """The square of a distance, weighted roughly as the eye weighs red, green and blue."""
    red, green, blue = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    return 2 * red * red + 4 * green * green + 3 * blue * blue


def _mean(colours: PixelRow) -> Rgb | None:
    if not colours:
        return None
    red, green, blue = map(sum, zip(*colours, strict=True))
    count = len(colours)
    return red // count, green // count, blue // count


@lru_cache(8192)
def _style(ground: Rgb | None, ink: Rgb | None, few_colours: bool) -> Style:
    return Style.from_color(_colour(ink, few_colours), _colour(ground, few_colours))


def _colour(rgb: Rgb | None, few_colours: bool) -> Color | None:
    if rgb is None:
        return None
    return find_nearest_of_256(rgb) if few_colours else Color.from_rgb(*rgb)
