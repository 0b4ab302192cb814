"""How the frames of a result are shown: one large picture, a filmstrip, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from engine.base.visible import spell_message
from tui.frames.frames_row import FramesRow
from tui.frames.picture_pane import PicturePane
from tui.keys.keymap import find_keymap
from tui.look.nouns import find_nouns
from tui.opening.frame_choices import FrameView
from tui.work.throttle import Debounce

if TYPE_CHECKING:
    from tui.frames.clip_moment import ClipMoment
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames

REST: Final = 0.15
"""Seconds that the cursor rests on a result before its picture is fetched."""

NEXT_VIEW: Final[dict[FrameView, FrameView]] = {
    "large": "filmstrip",
    "filmstrip": "none",
    "none": "large",
}

NO_ROOM: Final = "There is no room for a large frame here; zoom shows it on the whole screen."
FRAMES_OFF: Final = "Frames are off; {inspect.toggle_frames} shows them."
NO_STEPS: Final = "Only the large frame is stepped through; {inspect.toggle_frames} shows it."


class FrameDisplay:
    """Owns what was chosen, and hands the clips to whatever shows them."""

    def __init__(
        self,
        row: FramesRow,
        pane: PicturePane,
        frames: ClipFrames,
        images: ImageSupport,
        view: FrameView,
        chosen: Callable[[FrameView], None],
    ) -> None:
        """`chosen` is told how frames are to be shown from now on."""
        self.view = view
        self._tell = chosen
        self._row = row
        self._pane = pane
        self._frames = frames
        self._images = images
        self._clip: str | None = None
        self._text_height = 0
        self._is_read = False
        self._is_covered = False
        self._fetch_soon = Debounce(pane, REST, self.show_result)

    @property
    def can_show(self) -> bool:
        """Whether there are frames, and a terminal that shows them."""
        return self._images.drawing != "off" and self._is_read and self._frames.has_media

    @property
    def is_wanted(self) -> bool:
        """Whether frames are looked at, in whichever size."""
        return self.can_show and self.view != "none"

    @property
    def is_large(self) -> bool:
        """Whether the large frame is on the screen."""
        return self._pane.shows_picture

    def make_room(self, text_height: int | None = None) -> None:
        """The annotations are read, or there is another room; the text needs so many rows."""
        if not self._is_read:
            self._is_read = True
            self._look_for_media()
        self._text_height = self._text_height if text_height is None else text_height
        self._row.appear(self.can_show and self.view == "filmstrip")
        self._pane.want_picture(self.can_show and self.view == "large", self._text_height)

    def cycle(self) -> None:
        """The next way to show frames."""
        if reason := self._find_reason():
            self._row.notify(reason, markup=False)
            return
        self.view = NEXT_VIEW[self.view]
        self._tell(self.view)
        if not self._is_read:
            return  # what is wanted is shown once the clips are read
        self.make_room()
        self.show_result()
        if self.view == "large" and not self._pane.has_room:
            self._row.notify(NO_ROOM, markup=False)

    def _find_reason(self) -> str:
        """Why there are no frames at all; empty: there are."""
        if self._images.drawing == "off":
            return f"No frames here: {self._images.reason}"
        if self._is_read and not self._frames.has_media:
            self._look_for_media()  # somebody may have brought it meanwhile
            return spell_message(find_nouns(self._row.app).spell(self._frames.no_media))
        return ""

    def _look_for_media(self) -> None:
        if self._images.drawing != "off":
            self._frames.look_for_media(self._learn_of_media)

    def _learn_of_media(self) -> None:
        self.make_room()
        self.show_result()
        self._row.screen.refresh_bindings()

    # Clips

    def show_query(self, clip: str | None) -> None:
        """The clip that was asked with, if one was."""
        self._row.show_clip("query", clip)

    def select(self, clip: str | None) -> None:
        """The result under the cursor; its frames are fetched once the cursor rests."""
        self._clip = clip
        if self._is_covered:
            return
        if self.view == "large" and self.can_show:
            self._pane.picture.expect(clip)
        self._fetch_soon()

    def show_result(self) -> None:
        """Fetch the frames of the selected result now."""
        if self._is_covered:
            return
        self._fetch_soon.cancel()
        if self.view == "filmstrip":
            self._row.show_clip("result", self._clip)
        elif self.view == "large" and self.can_show:
            self._pane.picture.show_clip(self._clip)

    def cover(self) -> ClipMoment | None:
        """Another screen shows the picture meanwhile; returns where it goes on."""
        self._is_covered = True
        self._fetch_soon.cancel()
        self._pane.picture.cover(True)
        return self._pane.picture.moment

    def uncover(self, moment: ClipMoment | None) -> None:
        """The other screen is gone; go on where it was."""
        self._is_covered = False
        self._pane.picture.go_on_at(moment)
        self.show_result()
        self._pane.picture.cover(False)

    # Commands

    def play(self) -> None:
        """Play or pause; where nothing is shown, say why."""
        if reason := self._find_reason():
            self._row.notify(reason, markup=False)
        elif self.view == "filmstrip":
            self._row.show_clip("result", self._clip)
            self._row.play()
        elif self.is_large:
            self._pane.picture.looper.toggle()
        else:
            self._row.notify(self._explain_no_picture(), markup=False)

    def step(self, frames: int) -> None:
        """So many frames on, or back."""
        if self.is_large:
            self._pane.picture.looper.step(frames)
        elif self.view == "filmstrip":
            no_steps = find_keymap(self._row.app).spell(NO_STEPS)
            self._row.notify(self._find_reason() or no_steps, markup=False)
        else:
            self._row.notify(self._find_reason() or self._explain_no_picture(), markup=False)

    def _explain_no_picture(self) -> str:
        if self.view == "none":
            return find_keymap(self._row.app).spell(FRAMES_OFF)
        return self._pane.picture.problem or NO_ROOM
