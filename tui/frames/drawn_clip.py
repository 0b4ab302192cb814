"""The frames of a clip as pictures in cells of one size, each drawn once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from tui.frames.cell_glyphs import HALVES, OCTANTS, QUADRANTS, SEXTANTS, CellShape
from tui.frames.images import DrawingMethod
from tui.frames.picture_size import PictureSize

if TYPE_CHECKING:
    from textual.strip import Strip

    from engine.media.pictures import Frames
    from tui.frames.cell_picture import CellPicture

SHAPES: Final[dict[DrawingMethod, CellShape]] = {
    "halfcell": HALVES,
    "quadrant": QUADRANTS,
    "sextant": SEXTANTS,
    "octant": OCTANTS,
}

MOST_CELLS: Final = 300_000
"""Of the pictures that are kept of a clip: some 30 MB."""

SHARP: Final = 28.0
"""Bytes per cell of a picture that stands: next to nothing is left out for their sake."""


class DrawnFrame(NamedTuple):
    """A picture, and its lines as they are written."""

    cells: CellPicture
    lines: list[Strip]


@dataclass(slots=True)
class DrawnClip:
    """Frames, and what was drawn of them so far. Two threads may draw: at worst, the same."""

    frames: Frames
    size: PictureSize
    shape: CellShape
    few_colours: bool = False
    _drawn: dict[int, DrawnFrame] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """Pictures that are kept."""
        return max(2, MOST_CELLS // (self.size.columns * self.size.rows))

    @property
    def is_complete(self) -> bool:
        """Whether no more can be drawn ahead."""
        return len(self._drawn) >= min(self.most, len(self.frames))

    def is_drawn(self, place: int) -> bool:
        return place in self._drawn

    def draw(self, place: int) -> DrawnFrame:
        """The picture of a frame, in the bytes of one that is gone again soon. What looks as in
        the frame before is left as it is there."""
        found = self._drawn.get(place)
        if found is None:
            before = self._drawn.get(place - 1)
            if len(self._drawn) >= self.most:
                self._drawn.clear()
            found = self._draw(place, before=None if before is None else before.cells)
            self._drawn[place] = found
        return found

    def draw_ahead(self, check: Callable[[], None]) -> None:
        """All frames from the middle on, or as many as are kept; `check` may end that."""
        count = len(self.frames)
        for step in range(count):
            check()
            if self.is_complete:
                return
            self.draw((count // 2 + step) % count)

    def draw_sharply(self, place: int) -> DrawnFrame:
        """The picture of a frame that stands."""
        return self._draw(place, bytes_per_cell=SHARP)

    def _draw(
        self, place: int, bytes_per_cell: float | None = None, before: CellPicture | None = None
    ) -> DrawnFrame:
        # With numpy: not before the first frame.
        from tui.frames.cell_picture import BYTES_PER_CELL, draw_cells

        cells = draw_cells(
            self.frames.pixels[place],
            *self.size,
            self.shape,
            few_colours=self.few_colours,
            bytes_per_cell=BYTES_PER_CELL if bytes_per_cell is None else bytes_per_cell,
            before=before,
        )
        return DrawnFrame(cells, cells.write_strips(few_colours=self.few_colours))
