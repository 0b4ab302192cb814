"""A clip as a row of frames under its title; it can also be played in place.

Half cells are drawn by lines, and only lines that differ from those on the screen are sent: what
is shown again costs nothing. Kitty and sixel pictures are children that lie below the title.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from engine.base.visible import spell_message
from tui.frames.filmstrip_text import draw_box, format_title, make_line, measure_change
from tui.frames.images import CellSize, DrawingMethod, prepare_images, read_cell_size
from tui.look.safe import escape

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from textual import events
    from textual.app import ComposeResult

    from engine.media.pictures import Frames
    from tui.frames.filmstrip_picture import TerminalImage

FilmstripState: TypeAlias = Literal["empty", "loading", "shown", "failed"]

NO_CLIP = "no clip"
LOADING = "loading frames…"

FILMSTRIP_ROWS = 12  # of a frame, in cells, at most
ASPECT = 16 / 9
FRAME_GAP = 1
FRAMES_SHOWN = 6
MOST_PER_SECOND = 12
LEAST_PER_SECOND = 2  # for a clip of which only a few frames were read
LOOPS = 2


@dataclass(slots=True)
class _Playing:
    """A clip that is being played: `speed` frames per tick, from the first frame on."""

    frames: Frames
    timer: Timer
    speed: float
    tick: int = 0

    @property
    def place(self) -> int:
        return int(self.tick * self.speed) % len(self.frames)

    @property
    def over(self) -> bool:
        return int(self.tick * self.speed) >= LOOPS * len(self.frames)


class Filmstrip(Widget):
    """Shows one clip. What it shows is set by its methods; it reads no files."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "filmstrip--title",
        "filmstrip--times",
        "filmstrip--quiet",
        "filmstrip--problem",
    }

    @dataclass
    class Resized(Message):
        """Another number or size of frames is wanted now."""

        filmstrip: Filmstrip

        @property
        def control(self) -> Filmstrip:
            return self.filmstrip

    def __init__(self, drawing: DrawingMethod = "halfcell", *, id: str | None = None) -> None:
        super().__init__(id=id)
        prepare_images(drawing)
        self._drawing = drawing
        self._cell = read_cell_size() if drawing in ("kitty", "sixel") else CellSize(1, 2)
        self._pictures: list[TerminalImage] = []
        self._state: FilmstripState = "empty"
        self._title = ""
        self._text = NO_CLIP
        self._frames: Frames | None = None
        self._playing: _Playing | None = None
        self._cells: list[list[Strip]] = []
        self._lines: list[Strip] = []
        self._wanted = (0, 0, 0)

    # What it shows.

    @property
    def state(self) -> FilmstripState:
        return self._state

    @property
    def playing(self) -> bool:
        return self._playing is not None

    def show(self, frames: Frames, title: str) -> None:
        """Show frames of a clip side by side."""
        self._change("shown", title, "", frames)

    def show_loading(self, title: str) -> None:
        self._change("loading", title, LOADING)

    def show_problem(self, title: str, reason: str) -> None:
        """Say why there are no frames, and of which file."""
        self._change("failed", title, reason)

    def clear(self, text: str = NO_CLIP) -> None:
        """Show no clip, and say why or what to press."""
        self._change("empty", "", text)

    def wanted(self) -> tuple[int, int, int]:
        """How many frames fit, and the width and height in pixels that each may have."""
        width, height = self.content_size
        rows = max(1, min(FILMSTRIP_ROWS, height - 1))
        ideal = int(2 * rows * ASPECT)
        count = max(1, min(FRAMES_SHOWN, int((width + FRAME_GAP) / (ideal + FRAME_GAP) + 0.4)))
        columns = max(1, min(ideal, (width + FRAME_GAP) // count - FRAME_GAP))
        return count, columns * self._cell.width, rows * self._cell.height

    # Playing.

    def play(self, frames: Frames) -> None:
        """Play frames where the first one stands, twice at most."""
        self.stop()
        rate = max(LEAST_PER_SECOND, min(frames.fps, MOST_PER_SECOND))
        timer = self.set_interval(1 / rate, self._tick)
        self._playing = _Playing(frames, timer, max(1.0, frames.fps / rate))
        self._update()

    def stop(self) -> None:
        if self._playing is None:
            return
        self._playing.timer.stop()
        self._playing = None
        self._update()

    def _tick(self) -> None:
        if self._playing is None:
            return
        self._playing.tick += 1
        if self._playing.over:
            self.stop()
        else:
            self._update()

    # Drawing.

    def compose(self) -> ComposeResult:
        if self._drawing in ("kitty", "sixel"):
            from tui.frames.filmstrip_picture import make_picture

            self._pictures = [make_picture(self._drawing) for _ in range(FRAMES_SHOWN)]
        yield from self._pictures

    def on_resize(self, event: events.Resize) -> None:
        self._update()
        wanted = self.wanted()
        if wanted != self._wanted:
            self._wanted = wanted
            self.post_message(self.Resized(self))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self._cells = []  # half a cell may show the background
            self._update()

    def render_line(self, y: int) -> Strip:
        if y < len(self._lines):
            return self._lines[y]
        return Strip.blank(self.content_size.width, self.rich_style)

    def _change(
        self, state: FilmstripState, title: str, text: str, frames: Frames | None = None
    ) -> None:
        self.stop()
        if frames is not self._frames:
            self._cells = []
        self._state, self._frames = state, frames
        self._title, self._text = escape(title), spell_message(text)
        self._update()

    def _update(self) -> None:
        """Draw again, and send what differs from the screen."""
        before, self._lines = self._lines, self._drawn()
        self._set_pictures()
        for y, line in enumerate(self._lines):
            if width := measure_change(before[y], line) if y < len(before) else line.cell_length:
                self.refresh(Region(0, y, width, 1))

    def _drawn(self) -> list[Strip]:
        width, height = self.content_size
        if not width or not height:
            return []
        body = [line.adjust_cell_length(width, self.rich_style) for line in self._body()]
        blank = Strip.blank(width, self.rich_style)
        return [self._title_line(), *body, *[blank] * height][:height]

    def _title_line(self) -> Strip:
        note = ""
        if self._playing:
            times = self._playing.frames.times
            note = f"playing {times[self._playing.place]:.1f} of {times[-1]:.1f} s"
        return format_title(
            self._title,
            note,
            self._frames.times if self._frames else (),
            self.content_size.width,
            self.get_component_rich_style("filmstrip--title"),
            self.get_component_rich_style("filmstrip--times"),
        )

    def _body(self) -> list[Strip]:
        width, height = self.content_size
        if self._playing or self._state == "shown":
            return [] if self._pictures else self._row_of_frames(height - 1)
        if self._state == "failed":
            style = self.get_component_rich_style("filmstrip--problem")
            return draw_box(self._text, width, height - 1, style)
        return [make_line(self._text, width, self.get_component_rich_style("filmstrip--quiet"))]

    def _row_of_frames(self, rows: int) -> list[Strip]:
        if self._frames and not self._cells:
            self._cells = list(map(self._half_cells, self._frames.pixels))
        cells = self._cells
        if self._playing:
            now = self._half_cells(self._playing.frames.pixels[self._playing.place])
            cells = [now, *cells[1:]]
        gap = Strip.blank(FRAME_GAP, self.rich_style)

        def line_of_frame(frame: list[Strip], y: int) -> Strip:
            lower = Strip.blank(frame[0].cell_length, self.rich_style)
            return frame[y] if y < len(frame) else lower

        return [
            Strip.join([part for frame in cells for part in (line_of_frame(frame, y), gap)])
            for y in range(min(rows, max(map(len, cells))))
        ]

    def _half_cells(self, pixels: npt.NDArray[np.uint8]) -> list[Strip]:
        from tui.frames.halfcell import draw_half_cells  # with numpy: not before the first frame

        few_colours = self.app.console.color_system == "256"
        return draw_half_cells(pixels, self.background_colors[1].rgb, few_colours=few_colours)

    def _set_pictures(self) -> None:
        """Give the children of kitty and sixel their pictures."""
        if not self._pictures:
            return
        from tui.frames.filmstrip_picture import set_picture

        shots = list(self._frames.pixels) if self._frames else []
        if self._playing:
            shots[:1] = [self._playing.frames.pixels[self._playing.place]]
        for picture, shot in zip_longest(self._pictures, shots[: len(self._pictures)]):
            set_picture(picture, shot, self._cell)
