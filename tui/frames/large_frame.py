"""One large frame of the selected result, looping while the cursor rests on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from tui.frames.clip_moment import ClipMoment
from tui.frames.looper import Looper, LoopHooks
from tui.frames.picture import Picture
from tui.frames.picture_line import PictureLine, collect_picture_hints, format_line
from tui.frames.picture_loader import PICTURE_LOADING, PictureLoader, PictureState
from tui.frames.picture_size import PictureSize
from tui.look.line_pace import find_pace

if TYPE_CHECKING:
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames


class LargeFrame(Container):
    """Shows the frames of the clip it is given in the room it is given.

    state  how far the picture is; after one that failed it takes no room until the next is there
    """

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    class StateChanged(Message):
        """There is a picture to make room for, or no more."""

    def __init__(
        self,
        frames: ClipFrames,
        images: ImageSupport,
        lane: str = "large",
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.state: PictureState = "empty"
        self._picture = Picture(images.drawing)
        self._shot = PictureLoader(self._picture, frames, lane, self._follow_picture)
        self._line = PictureLine()
        self._hints: tuple[str, ...] = ()
        self._looper: Looper | None = None
        self._moment: ClipMoment | None = None
        self._is_covered = self._is_left = self._is_below = False

    def compose(self) -> ComposeResult:
        yield self._picture
        yield self._line

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._follow_keys)
        self.app.screen_change_signal.subscribe(self, self._follow_screens)
        self._follow_screens(self.screen)
        self.call_after_refresh(self._follow_keys, self.screen)  # they may be as they stay

    # What it shows

    @property
    def looper(self) -> Looper:
        """Plays what is shown."""
        if self._looper is None:
            hooks = LoopHooks(self._show, self._sharpen)
            self._looper = Looper(self, hooks, find_pace(self.app))
            if not self._picture.plays:
                self._looper.state = "paused"  # real pixels are large: played when asked to
        return self._looper

    @property
    def clip(self) -> str | None:
        """What is shown, or fetched."""
        return self._shot.clip

    @property
    def problem(self) -> str:
        """Why there is no picture of the clip, in a few words."""
        return self._shot.problem

    @property
    def line(self) -> str:
        """What stands under the picture."""
        return self._line.text

    def show_clip(self, clip: str | None) -> None:
        """Show another clip as soon as it is decoded; the picture before stands meanwhile, and the
        line below says that it is another's."""
        self._shot.show_clip(clip)

    def expect(self, clip: str | None) -> None:
        """Another clip will be shown: what is shown does not move any more."""
        self._shot.expect(clip)

    def set_room(self, room: PictureSize) -> None:
        """So many cells are there for the picture."""
        self.styles.width, self.styles.height = room.columns, room.rows + 1
        self._shot.set_room(room)

    @property
    def moment(self) -> ClipMoment | None:
        """Where the clip stands; None: it is not shown."""
        return self._shot.find_moment(self.looper)

    def go_on_at(self, moment: ClipMoment | None) -> None:
        """Go on where another view has left a clip, as soon as it is shown here."""
        self._moment = moment
        if moment is not None and self._shot.frames is not None and self.clip == moment.clip:
            self._shot.load_into(self.looper, moment)
            self._moment = None

    def hide(self) -> None:
        """There is no room, or nobody wants it."""
        self.looper.stop()
        self._shot.set_room(PictureSize(0, 0))
        self.state = self._shot.state

    def _follow_picture(self) -> None:
        state, before = self._shot.state, self.state
        if state == "loading":
            self.looper.stop()
            if before == "failed":
                return  # the rows of a picture come back with the picture
            self._line.say(PICTURE_LOADING)
        self.state = state
        frames = self._shot.frames
        if frames is not None:
            self._shot.load_into(self.looper, self._moment)
            self._moment = None
        elif state in ("empty", "failed"):
            self.looper.stop()
            self._picture.clear()
            self._line.say("")
        if state != before:
            self.post_message(self.StateChanged())

    def _show(self) -> int:
        sent = self._shot.paint(self.looper.place)
        self._say_where()
        return sent

    def _sharpen(self) -> int | None:
        return self._shot.sharpen(self.looper.place)

    # Whether somebody sees it

    def cover(self, covered: bool) -> None:
        """Another screen shows the picture meanwhile, or no more."""
        self._is_covered = covered
        self._rest_unseen()

    def leave(self, left: bool) -> None:
        """The pane around it is gone for a while, or back."""
        self._is_left = left
        self._rest_unseen()

    def _follow_screens(self, _: Screen[Any]) -> None:
        self._is_below = self.app.screen is not self.screen
        self._rest_unseen()

    def _rest_unseen(self) -> None:
        """What nobody sees neither moves nor is fetched; under another screen it is fetched, as
        that may be a small one, or gone soon."""
        is_gone = self._is_covered or self._is_left
        self.looper.hold(is_gone or self._is_below)
        self._shot.see(not is_gone)

    # The line below

    def _say_where(self) -> None:
        frames, looper = self._shot.frames, self.looper
        if frames is None:
            return
        times, place, width = frames.times, looper.place, self._shot.room.columns
        text = format_line(times[place], place, len(times), looper.state, self._hints, width)
        self._line.say(text)

    def _follow_keys(self, screen: Screen[Any]) -> None:
        if screen is not self.screen or not self.app.app_focus:
            return
        hints = collect_picture_hints(screen)
        if hints != self._hints:
            self._hints = hints
            self._say_where()
