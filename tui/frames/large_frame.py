"""One large frame of the selected result, looping while the cursor rests on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from engine.base.errors import InputError
from tui.frames.looper import Looper, LoopHooks
from tui.frames.picture import Picture
from tui.frames.picture_line import PictureLine, collect_picture_hints, format_line
from tui.frames.picture_size import PictureSize
from tui.look.line_pace import find_pace

if TYPE_CHECKING:
    from tui.frames.drawn_clip import DrawnClip
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames

LargeFrameState: TypeAlias = Literal["empty", "loading", "shown", "failed"]

PICTURE_LOADING = "loading…"


class LargeFrame(Container):
    """Fetches the frames of the clip it is given, and shows them in the room it is given.

    problem  why there is no picture of the clip, in a few words
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
        self.state: LargeFrameState = "empty"
        self.problem = ""
        self._frames = frames
        self._lane = lane
        self._picture = Picture(images.drawing)
        self._line = PictureLine()
        self._hints: tuple[str, ...] = ()
        self._room = PictureSize(0, 0)
        self._clip: str | None = None
        self._drawn: DrawnClip | None = None
        self._looper: Looper | None = None

    def compose(self) -> ComposeResult:
        yield self._picture
        yield self._line

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._follow_keys)

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
        return self._clip

    @property
    def line(self) -> str:
        """What stands under the picture."""
        return self._line.text

    def show_clip(self, clip: str | None) -> None:
        """Show another clip as soon as it is decoded; the picture before stands meanwhile, and the
        line below says that it is another's."""
        if clip == self._clip and self.state != "failed":
            return
        self._clip = clip
        self.expect(clip)
        self._fetch()

    def expect(self, clip: str | None) -> None:
        """Another clip will be shown: what is shown does not move any more."""
        if clip == self._clip and self.state == "shown":
            return
        self.looper.stop()
        if clip is None:
            self._change("empty")
        elif self.state != "failed":  # the rows of a picture come back with the picture
            self._change("loading")

    def show_again(self, clip: str | None) -> None:
        """Nothing covers it any more: go on with what stood here, unless another clip comes."""
        if clip == self._clip and self._drawn is not None and self.state == "shown":
            frames = self._drawn.frames
            self.looper.load(len(frames), frames.fps, self.looper.place)

    def set_room(self, room: PictureSize) -> None:
        """So many cells are there for the picture."""
        if room == self._room:
            return
        self._room = room
        self.styles.width, self.styles.height = room.columns, room.rows + 1
        self._fetch()

    def hide(self) -> None:
        """There is no room, or nobody wants it."""
        self._room = PictureSize(0, 0)
        self.looper.stop()
        self._drawn = None
        self._frames.cancel(self._lane)
        if self.state != "empty":
            self.state = "loading"

    def _fetch(self) -> None:
        clip, room = self._clip, self._room
        if clip is None or not room.columns:
            self._frames.cancel(self._lane)
            return
        picture = self._picture

        def done(drawn: DrawnClip) -> None:
            self._drawn = drawn
            self._change("shown")
            self.looper.load(len(drawn.frames), drawn.frames.fps, len(drawn.frames) // 2)

        def failed(error: Exception) -> None:
            self.problem = describe_problem(error)
            self._change("failed")

        size = picture.ask_size(room)
        self._frames.load(self._lane, clip, size, lambda f: picture.prepare(f, room), done, failed)

    def _change(self, state: LargeFrameState) -> None:
        before, self.state = self.state, state
        if state in ("empty", "failed"):
            self._drawn = None
            self._picture.clear()
            self._line.say("")
        elif state == "loading":
            self._line.say(PICTURE_LOADING)
        if state != before:
            self.post_message(self.StateChanged())

    def _show(self, *, sharply: bool = False) -> int:
        drawn = self._drawn
        if drawn is None or self.state != "shown":
            return 0
        place = min(self.looper.place, len(drawn.frames) - 1)
        sent = self._picture.show(drawn, place, sharply=sharply)
        self._say_where()
        return sent

    def _sharpen(self) -> None:
        self._show(sharply=True)

    def _say_where(self) -> None:
        drawn, looper = self._drawn, self.looper
        if drawn is None or self.state != "shown":
            return
        times, place = drawn.frames.times, looper.place
        width = self._room.columns
        text = format_line(times[place], place, len(times), looper.state, self._hints, width)
        self._line.say(text)

    def _follow_keys(self, screen: Screen[Any]) -> None:
        if screen is not self.screen or not self.app.app_focus:
            return
        hints = collect_picture_hints(screen)
        if hints != self._hints:
            self._hints = hints
            self._say_where()


def describe_problem(error: Exception) -> str:
    """Why there is no picture, and of which file."""
    if not isinstance(error, InputError):
        return f"{type(error).__name__}: {error}"
    place = str(error.place)
    return f"{error.message}: {place}" if place else error.message
