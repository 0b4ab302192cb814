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

RUN_BYTES, MOVE_BYTES, FRAME_BYTES = 35, 10, 250
"""Of two colours, of a move of the cursor, and of what comes with a frame, as the line below."""


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
        self._frame: tuple[DrawnClip, int] | None = None
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
        if self._frame is not None and self._frame[0] is clip and self._frame[1] == place:
            return 0  # it stands, and may be sharper by now
        self._frame = clip, place
        picture, lines = clip.draw(place)
        before, self._shown = self._shown, picture
        self._lines = [*lines]
        if before is None or before.size != picture.size:
            self.refresh()
            return _measure_bytes(self._lines)
        changes = picture.find_changes(before).tolist()
        return FRAME_BYTES + sum(self._send_line(y, row) for y, row in enumerate(changes))

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
        """Textual sends a line from its beginning to the last cell that changed, and as often as
        parts of it are asked for: it is asked for one."""
        if not any(changed):
            return 0
        end = len(changed) - changed[::-1].index(True)
        self.refresh(Region(0, y, end, 1))
        return MOVE_BYTES + _measure_bytes([self._lines[y].crop(0, end)])

    def clear(self) -> None:
        if self._image is not None:
            self._image.display = False
        if self._lines:
            self._shown, self._frame, self._lines = None, None, []
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


def _measure_bytes(lines: list[Strip]) -> int:
    return sum(RUN_BYTES + len(run.text.encode()) for line in lines for run in line)
