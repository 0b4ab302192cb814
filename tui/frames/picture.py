"""One frame of a clip on the screen; of the next one, only what looks otherwise is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tui.frames.images import CellSize, DrawingMethod, prepare_images, read_cell_size
from tui.frames.picture_size import IN_A_CELL, PictureSize, fit_picture

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from engine.media.pictures import Frames
    from tui.frames.cell_picture import CellPicture
    from tui.frames.drawn_clip import DrawnClip, DrawnFrame
    from tui.frames.filmstrip_picture import TerminalImage

JOINED_GAP = 4
"""Unchanged cells between two changes that are sent with them: to skip them costs as much."""

RUN_BYTES = 44
"""Of two colours and of a move of the cursor."""


class Picture(Widget, can_focus=False):
    """What it shows is set by its methods; it reads no files."""

    DEFAULT_CSS = "Picture { width: 1fr; height: 1fr; overflow: hidden; }"

    def __init__(self, drawing: DrawingMethod, *, id: str | None = None) -> None:
        super().__init__(id=id)
        prepare_images(drawing)
        self._drawing = drawing
        self._is_real = drawing in ("kitty", "sixel")
        self._cell = read_cell_size() if self._is_real else IN_A_CELL
        self._image: TerminalImage | None = None
        self._shown: CellPicture | None = None
        self._lines: list[Strip] = []

    @property
    def plays(self) -> bool:
        """Whether frames are small enough to be played without being asked: not as real pixels."""
        return not self._is_real

    def ask_size(self, room: PictureSize) -> CellSize:
        """The pixels that are wanted of a frame for so many cells."""
        return CellSize(room.columns * self._cell.width, room.rows * self._cell.height)

    def prepare(self, frames: Frames, room: PictureSize) -> DrawnClip:
        """The clip, with the first of its pictures drawn; may be called in any thread."""
        from tui.frames.drawn_clip import SHAPES, DrawnClip

        height, width = frames.pixels.shape[1:3]
        size = fit_picture(*room, width / height)
        few_colours = self.app.console.color_system == "256"
        shape = SHAPES.get(self._drawing, SHAPES["halfcell"])
        clip = DrawnClip(frames, size, shape, few_colours)
        if self.plays:
            clip.draw(len(frames) // 2)
        return clip

    def show(self, clip: DrawnClip, place: int) -> int:
        """Show a frame; returns roughly how many bytes that sends."""
        if self._image is not None:
            from tui.frames.filmstrip_picture import set_picture

            shot = clip.frames.pixels[place]
            set_picture(self._image, shot, self._cell)
            return int(shot.nbytes)
        picture, lines = clip.draw(place)
        before, self._shown = self._shown, picture
        self._lines = [*lines]
        if before is None or before.size != picture.size:
            self.refresh()
            return _measure_bytes(self._lines, picture.patterns.size)
        changes = picture.find_changes(before).tolist()
        return sum(self._send_line(y, row) for y, row in enumerate(changes))

    def sharpen(self, sharp: DrawnFrame, most: int) -> int:
        """Show lines of a better picture of the same frame, of so many bytes and one more; returns
        roughly how many bytes that sends. 0: all of it is shown."""
        shown = self._shown
        if shown is None or shown.size != sharp.cells.size:
            return 0
        sent = 0
        for y, row in enumerate(sharp.cells.find_changes(shown).tolist()):
            if sent >= most:
                break
            if any(row):
                self._lines[y] = sharp.lines[y]
                shown = shown.take_line(y, sharp.cells)
                sent += self._send_line(y, row)
        self._shown = shown
        return sent

    def _send_line(self, y: int, changed: list[bool]) -> int:
        sent = 0
        for start, end in find_spans(changed):
            self.refresh(Region(start, y, end - start, 1))
            sent += _measure_bytes([self._lines[y].crop(start, end)], end - start)
        return sent

    def clear(self) -> None:
        if self._image is not None:
            self._image.display = False
        if self._lines:
            self._shown, self._lines = None, []
            self.refresh()

    def compose(self) -> ComposeResult:
        if self._is_real:
            from tui.frames.filmstrip_picture import make_picture

            self._image = make_picture(self._drawing)
            yield self._image

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        return self._lines[y].adjust_cell_length(width, self.rich_style)


def find_spans(changed: list[bool]) -> list[tuple[int, int]]:
    """From where to where a line is sent again.

    >>> find_spans([False, True, False, True, False, False, False, False, False, True])
    [(1, 4), (9, 10)]
    """
    spans: list[tuple[int, int]] = []
    for x, is_changed in enumerate(changed):
        if not is_changed:
            continue
        if spans and x - spans[-1][1] <= JOINED_GAP:
            spans[-1] = spans[-1][0], x + 1
        else:
            spans.append((x, x + 1))
    return spans


def _measure_bytes(lines: list[Strip], cells: int) -> int:
    return sum(RUN_BYTES * len(list(line)) for line in lines) + 3 * cells
