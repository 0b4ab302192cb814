"""A pane of text with a picture above it, or beside it where the pane is low and wide.

The text comes first: what it needs stays, and the picture gets the rest of the room, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from tui.frames.picture_size import PictureSize, fit_picture

if TYPE_CHECKING:
    from tui.frames.large_frame import LargeFrame

LEAST_TEXT_WIDTH: Final = 42
"""Columns that the text keeps beside a picture."""

LEAST_TEXT_HEIGHT: Final = 6
"""Rows that the text keeps below a picture whatever it says."""


def place_picture(width: int, height: int, text_height: int) -> tuple[PictureSize, bool]:
    """The room for a picture in a pane, and whether it is beside the text; none: (0, 0).

    >>> place_picture(50, 32, 10), place_picture(78, 8, 10), place_picture(40, 12, 10)
    ((PictureSize(columns=50, rows=14), False), (PictureSize(columns=25, rows=7), True), \
(PictureSize(columns=0, rows=0), False))
    """
    above = fit_picture(width, height - text_height - 1)
    if height > text_height and above.is_enough:
        return above, False
    beside = fit_picture(width - LEAST_TEXT_WIDTH - 1, height - 1)
    if beside.is_enough:
        return beside, True
    return PictureSize(0, 0), False


class PicturePane(Vertical):
    """Makes room for the picture when there is one and somebody wants it.

    text_height  rows that the text needs
    """

    DEFAULT_CSS = """
    PicturePane.-beside > LargeFrame { dock: right; }
    """

    def __init__(
        self, make_picture: Callable[[], LargeFrame], text: Widget, *, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._make_picture = make_picture
        self._picture: LargeFrame | None = None
        self._is_hidden = False
        self.text_height = LEAST_TEXT_HEIGHT
        self._text = text
        self._is_wanted = False

    def compose(self) -> ComposeResult:
        yield self._text  # the picture comes when it is first wanted: the first paint has none

    @property
    def picture(self) -> LargeFrame:
        """The large frame, made when it is first asked for."""
        if self._picture is None:
            self._picture = self._make_picture()
            self._picture.leave(self._is_hidden)
        return self._picture

    @property
    def _has_picture(self) -> bool:
        """Whether a picture was ever wanted here, be it shown or not."""
        return self._picture is not None and self._picture.is_attached

    @property
    def shows_picture(self) -> bool:
        return self._has_picture and self.picture.display

    @property
    def has_room(self) -> bool:
        return bool(self._find_room()[0].columns)

    def want_picture(self, wanted: bool, text_height: int) -> None:
        self._is_wanted = wanted
        if wanted and not self._has_picture:
            self.mount(self.picture, before=0)
        self.text_height = max(LEAST_TEXT_HEIGHT, text_height)
        self.make_room()

    def on_resize(self) -> None:
        self.make_room()

    def on_hide(self) -> None:
        self._follow_pane(hidden=True)

    def on_show(self) -> None:
        self._follow_pane(hidden=False)

    def _follow_pane(self, *, hidden: bool) -> None:
        self._is_hidden = hidden
        if self._picture is not None:
            self._picture.leave(hidden)

    def on_large_frame_state_changed(self, event: LargeFrame.StateChanged) -> None:
        event.stop()
        self.make_room()

    def _find_room(self) -> tuple[PictureSize, bool]:
        return place_picture(*self.content_size, self.text_height)

    def make_room(self) -> None:
        """Give the picture its room."""
        if not self.content_size.width or not self._has_picture:
            return  # another pane has the place for a while, or there never was a picture
        room, beside = self._find_room() if self._is_wanted else (PictureSize(0, 0), False)
        if not room.columns:
            self.picture.hide()
            self.picture.display = False
            return
        self.set_class(beside, "-beside")
        self.picture.set_room(room)
        self.picture.display = self.picture.state in ("loading", "shown")
