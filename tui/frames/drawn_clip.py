"""The frames of a clip as pictures in cells of one size, each drawn when it is first wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tui.frames.cell_glyphs import HALVES, OCTANTS, QUADRANTS, SEXTANTS, CellShape
from tui.frames.images import DrawingMethod
from tui.frames.picture_size import PictureSize

if TYPE_CHECKING:
    from engine.media.pictures import Frames
    from tui.frames.cell_picture import CellPicture

SHAPES: Final[dict[DrawingMethod, CellShape]] = {
    "halfcell": HALVES,
    "quadrant": QUADRANTS,
    "sextant": SEXTANTS,
    "octant": OCTANTS,
}

MOST_DRAWN: Final = 256
"""Pictures that are kept of a clip."""

SHARP: Final = 28.0
"""Bytes per cell of a picture that stands: next to nothing is left out for their sake."""


@dataclass(slots=True)
class DrawnClip:
    """Frames, and what was drawn of them so far."""

    frames: Frames
    size: PictureSize
    shape: CellShape
    few_colours: bool = False
    _drawn: dict[int, CellPicture] = field(default_factory=dict)

    def draw(self, place: int) -> CellPicture:
        """The picture of a frame, in the bytes of one that is gone again soon. What looks as in
        the frame before is left as it is there."""
        from tui.frames.cell_picture import draw_cells  # with numpy: not before the first frame

        if place not in self._drawn:
            if len(self._drawn) >= MOST_DRAWN:
                self._drawn.clear()
            pixels, before = self.frames.pixels[place], self._drawn.get(place - 1)
            self._drawn[place] = draw_cells(
                pixels, *self.size, self.shape, few_colours=self.few_colours, before=before
            )
        return self._drawn[place]

    def draw_sharply(self, place: int) -> CellPicture:
        """The picture of a frame that stands."""
        from tui.frames.cell_picture import draw_cells

        return draw_cells(
            self.frames.pixels[place],
            *self.size,
            self.shape,
            few_colours=self.few_colours,
            bytes_per_cell=SHARP,
        )
