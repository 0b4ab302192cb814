"""A picture drawn in cells of two colours each, as near to the frame as bytes and glyphs allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.frames.area import FloatPixels, resize_by_area
from tui.frames.cell_glyphs import CellShape
from tui.frames.cell_runs import join_runs
from tui.frames.palette import Rgb, find_nearest_of_256, quantise
from tui.frames.two_colours import ColourSums, split_cells

BYTES_PER_CELL = 12.0
"""Of a picture, on the line: one of 50×14 cells takes 8.4 KB at most, where each cell with two
colours of its own would take 30."""

_RUN_BYTES, _FEW_COLOURS_RUN_BYTES = 36, 17
"""Of a change to the two colours of a run."""

_UNSEEN = 3.0
"""Squared error per part and channel that nobody sees: the noise of a video."""

_UNMOVED = 60.0
"""The same for a line that stays while others move: a moving eye sees less."""


@dataclass(frozen=True, slots=True, eq=False)
class CellPicture:
    """What each cell of a picture shows.

    patterns  (rows, columns): which parts are ink
    colours   (rows, columns, 2, 3): ground and ink
    """

    shape: CellShape
    patterns: npt.NDArray[np.int64]
    colours: npt.NDArray[np.uint8]

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        rows, columns = self.patterns.shape
        return columns, rows

    @property
    def parts(self) -> npt.NDArray[np.uint8]:
        """(rows, columns, parts, 3): what a terminal shows of each cell."""
        ink = (self.patterns[..., None] >> np.arange(self.shape.parts)) & 1
        return np.take_along_axis(self.colours, ink[..., None], axis=2)

    @property
    def pixels(self) -> npt.NDArray[np.uint8]:
        """What a terminal shows, one pixel for each part of a cell."""
        columns, rows = self.size
        shape = self.shape
        laid = self.parts.reshape(rows, columns, shape.rows, shape.columns, 3).swapaxes(1, 2)
        return laid.reshape(rows * shape.rows, columns * shape.columns, 3)

    def find_changes(self, before: CellPicture | None) -> npt.NDArray[np.bool_]:
        """(rows, columns): the cells that look otherwise than in a picture of the same size."""
        if before is None or before.size != self.size or before.shape is not self.shape:
            return np.ones(self.patterns.shape, np.bool_)
        changed: npt.NDArray[np.bool_] = (self.parts != before.parts).any(axis=(2, 3))
        return changed

    def take_line(self, y: int, other: CellPicture) -> CellPicture:
        """This picture, with one line of another of the same size and shape."""
        patterns, colours = self.patterns.copy(), self.colours.copy()
        patterns[y], colours[y] = other.patterns[y], other.colours[y]
        return CellPicture(self.shape, patterns, colours)

    def write_strips(self, *, few_colours: bool = False) -> list[Strip]:
        """The lines of the picture; neighbours of the same two colours are one segment."""
        return [
            Strip(_write_row(patterns, colours, self.shape.glyphs, few_colours), self.size[0])
            for patterns, colours in zip(self.patterns, self.colours, strict=True)
        ]


def draw_cells(
    pixels: npt.NDArray[np.uint8],
    columns: int,
    rows: int,
    shape: CellShape,
    *,
    few_colours: bool = False,
    bytes_per_cell: float = BYTES_PER_CELL,
    before: CellPicture | None = None,
) -> CellPicture:
    """A picture (height, width, 3) in so many cells.

    few_colours     of the palette of 256
    bytes_per_cell  on the line, at most; infinite: the least error that two colours can have
    before          a line that shows nearly the same as there is left as it is

    >>> from tui.frames.cell_glyphs import QUADRANTS
    >>> corner = np.zeros((2, 2, 3), np.uint8)
    >>> corner[0, 1] = 255
    >>> [strip.text for strip in draw_cells(corner, 1, 1, QUADRANTS).write_strips()]
    ['▝']
    """
    parts = _cut(pixels, columns, rows, shape)
    unseen = 3 * _UNSEEN * shape.parts if np.isfinite(bytes_per_cell) else 0.0
    cells = split_cells(parts, unseen)
    count = rows * columns
    if np.isfinite(bytes_per_cell):
        per_run = _FEW_COLOURS_RUN_BYTES if few_colours else _RUN_BYTES
        glyphs = _measure_glyphs(cells, shape)
        most = int((bytes_per_cell * count - glyphs) / per_run)
        runs = join_runs(cells, columns, max(rows, most), unseen)
        run_of_cell = runs.spread(count)
        colours = runs.colours.colours
    else:
        run_of_cell, colours = np.arange(count), cells.colours
    sent, ink = _settle(parts, colours, run_of_cell, few_colours=few_colours)
    patterns = (ink << np.arange(shape.parts)).sum(axis=1)
    drawn = CellPicture(
        shape,
        patterns.reshape(rows, columns),
        sent[run_of_cell].reshape(rows, columns, 2, 3),
    )
    return drawn if before is None else _keep_alike(drawn, before, parts)


def _keep_alike(drawn: CellPicture, before: CellPicture, parts: FloatPixels) -> CellPicture:
    """The picture, with each line of the one before whose cells are as good, or nearly. Single
    cells would break the runs of the line, which cost more than is saved."""
    error, error_before = (
        np.square(one.parts.reshape(parts.shape) - parts).sum(axis=(1, 2))
        for one in (drawn, before)
    )
    alike = error_before <= error + 3 * _UNMOVED * parts.shape[1]
    kept = alike.reshape(drawn.patterns.shape).all(axis=1, keepdims=True)
    return CellPicture(
        drawn.shape,
        np.where(kept, before.patterns, drawn.patterns),
        np.where(kept[..., None, None], before.colours, drawn.colours),
    )


def _cut(pixels: npt.NDArray[np.uint8], columns: int, rows: int, shape: CellShape) -> FloatPixels:
    """(cells, parts, 3): the mean colour of every part of every cell."""
    small = resize_by_area(pixels, columns * shape.columns, rows * shape.rows)
    laid = small.reshape(rows, shape.rows, columns, shape.columns, 3).swapaxes(1, 2)
    return laid.reshape(rows * columns, shape.parts, 3)


def _measure_glyphs(cells: ColourSums, shape: CellShape) -> int:
    """Bytes of the characters; of a cell of one colour it is a space."""
    longest = max(len(glyph.encode()) for glyph in shape.glyphs)
    two = int((cells.counts[:, 1] > 0).sum())
    return longest * two + len(cells.counts) - two


def _settle(
    parts: FloatPixels,
    colours: FloatPixels,
    run_of_cell: npt.NDArray[np.intp],
    *,
    few_colours: bool,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The runs' colours as they are sent, and which parts are ink: each has the nearer colour."""
    ink = _find_nearer(parts, colours, run_of_cell)
    colours = _find_means(parts, ink, run_of_cell, colours)
    colours = quantise(colours) if few_colours else np.round(colours)
    ink = _find_nearer(parts, colours, run_of_cell)
    return colours.astype(np.uint8), ink


def _find_nearer(
    parts: FloatPixels, colours: FloatPixels, run_of_cell: npt.NDArray[np.intp]
) -> npt.NDArray[np.int64]:
    """(cells, parts): 1 where the ink is nearer than the ground."""
    # |x-g|² > |x-i|² where 2x·(i-g) > |i|² - |g|²
    apart = colours[:, 1] - colours[:, 0]
    middle = (np.square(colours[:, 1]) - np.square(colours[:, 0])).sum(axis=1) / 2
    along = np.matmul(parts, apart[run_of_cell][..., None])[..., 0]
    nearer: npt.NDArray[np.int64] = (along > middle[run_of_cell][:, None]).astype(np.int64)
    return nearer


def _find_means(
    parts: FloatPixels,
    ink: npt.NDArray[np.int64],
    run_of_cell: npt.NDArray[np.intp],
    before: FloatPixels,
) -> FloatPixels:
    """The mean colour of each run's ground and ink; of one without parts, what it was `before`."""
    firsts = np.flatnonzero(np.diff(run_of_cell, prepend=-1))
    inked = (parts * ink[..., None]).sum(axis=1)
    sums = np.stack([parts.sum(axis=1) - inked, inked], axis=1)
    counts = np.stack([(1 - ink).sum(axis=1), ink.sum(axis=1)], axis=1).astype(np.float32)
    total = np.add.reduceat(counts, firsts)[..., None]
    means = np.add.reduceat(sums, firsts) / np.maximum(total, 1)
    chosen: FloatPixels = np.where(total > 0, means, before).astype(np.float32)
    return chosen


# Writing


def _write_row(
    patterns: npt.NDArray[np.int64],
    colours: npt.NDArray[np.uint8],
    glyphs: str,
    few_colours: bool,
) -> list[Segment]:
    changes = (colours[1:] != colours[:-1]).any(axis=(1, 2))
    starts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(patterns)]
    own, texts = colours.tolist(), patterns.tolist()
    segments = []
    for start, end in pairwise(starts):
        ground, ink = map(tuple, own[start])
        segments.append(_write_run(texts[start:end], ground, ink, glyphs, few_colours))
    return segments


def _write_run(
    patterns: Sequence[int], ground: Rgb, ink: Rgb, glyphs: str, few_colours: bool
) -> Segment:
    """Cells of two colours. Where most are full they are turned: spaces are shorter than blocks,
    and fonts whose blocks leave a gap show less of it."""
    full = len(glyphs) - 1
    if sum(pattern == full for pattern in patterns) > sum(not pattern for pattern in patterns):
        patterns, ground, ink = [full ^ pattern for pattern in patterns], ink, ground
    has_ink = any(patterns)
    text = "".join([glyphs[pattern] for pattern in patterns])
    return Segment(text, _make_style(ground, ink if has_ink else None, few_colours))


@lru_cache(8192)
def _make_style(ground: Rgb, ink: Rgb | None, few_colours: bool) -> Style:
    return Style.from_color(
        None if ink is None else _make_colour(ink, few_colours), _make_colour(ground, few_colours)
    )


def _make_colour(rgb: Rgb, few_colours: bool) -> Color:
    return find_nearest_of_256(rgb) if few_colours else Color.from_rgb(*rgb)
