"""The clip of one picture: fetched, drawn ahead in the background, and shown a frame at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.base.errors import InputError
from tui.frames.clip_moment import ClipMoment, find_place
from tui.frames.picture_size import PictureSize

if TYPE_CHECKING:
    from engine.media.pictures import Frames
    from tui.frames.drawn_clip import DrawnClip, DrawnFrame
    from tui.frames.looper import Looper
    from tui.frames.picture import Picture
    from tui.work.clip_frames import ClipFrames

PictureState: TypeAlias = Literal["empty", "loading", "shown", "failed"]

PICTURE_LOADING: Final = "loading…"

_PART: Final = 3_000
"""Bytes of a sharper picture that are sent at a time, or one line of it."""


class PictureLoader:
    """What is painted is always of the clip that is wanted now: of another, nothing moves.

    clip     what is wanted; None: nothing
    state    how far it is
    problem  why there is no picture of the clip, in a few words
    """

    def __init__(
        self, picture: Picture, frames: ClipFrames, lane: str, changed: Callable[[], None]
    ) -> None:
        """`changed` is told of another state."""
        self.picture = picture
        self.clip: str | None = None
        self.state: PictureState = "empty"
        self.problem = ""
        self._frames = frames
        self._lane = lane
        self._changed = changed
        self._room = PictureSize(0, 0)
        self._drawn: DrawnClip | None = None
        self._drawn_for: tuple[str, PictureSize] | None = None
        self._is_fetching = False
        self._is_seen = True
        self._sharp_place: int | None = None
        self._sharp: DrawnFrame | None = None

    @property
    def frames(self) -> Frames | None:
        """The frames of the clip, once they can be shown."""
        return self._drawn.frames if self._drawn is not None and self.state == "shown" else None

    @property
    def room(self) -> PictureSize:
        return self._room

    # Where it stands

    def find_moment(self, looper: Looper) -> ClipMoment | None:
        """The moment that a looper shows; None: there is no picture."""
        if self.clip is None or self.frames is None:
            return None
        times = self.frames.times
        place = min(looper.place, len(times) - 1)
        return ClipMoment(self.clip, times[place] - times[0], looper.state == "paused")

    def load_into(self, looper: Looper, moment: ClipMoment | None) -> None:
        """Let a looper play what is shown: from a moment on, if it is one of this clip, or as any
        other clip from its middle."""
        frames = self.frames
        if frames is None:
            return
        count = len(frames)
        if moment is None or moment.clip != self.clip:
            looper.load(count, frames.fps, count // 2)
        else:
            place = find_place(frames.times, moment.seconds)
            looper.load(count, frames.fps, place, moment.is_paused)

    # What is wanted

    def expect(self, clip: str | None) -> None:
        """Another clip will be wanted: what stands here does not move any more, unless it turns
        out to be that very clip."""
        if clip == self.clip:
            return
        self.clip = clip
        self.stop_fetching()
        if clip is None:
            self.forget()
            self._change("empty")
        elif self._drawn_for == (clip, self._room):
            self._change("shown")
        else:
            self._change("loading")

    def show_clip(self, clip: str | None) -> None:
        """Fetch a clip, unless it is here or on its way."""
        self.expect(clip)
        if self.state != "shown" and not self._is_fetching:
            self._fetch()

    def set_room(self, room: PictureSize) -> None:
        """So many cells are there for the picture; none: it is forgotten. What stands here stays
        until it is drawn anew."""
        if room == self._room:
            return
        self._room = room
        self.stop_fetching()
        if room.columns:
            self._fetch()
            return
        self.forget()
        if self.state != "empty":
            self.state = "loading"

    def forget(self) -> None:
        """Whatever was drawn."""
        self._drawn = self._drawn_for = self._sharp_place = self._sharp = None

    def stop_fetching(self) -> None:
        """Nobody waits for it now."""
        self._is_fetching, self._sharp_place = False, None
        self._frames.cancel(self._lane)

    def see(self, seen: bool) -> None:
        """Somebody looks at it, or it need not be fetched."""
        if seen == self._is_seen:
            return
        self._is_seen = seen
        if not seen:
            self.stop_fetching()
        elif self.state == "shown" and self._drawn_for == (self.clip, self._room):
            self._draw_ahead()
        elif self.state != "failed":
            self._fetch()

    def _fetch(self) -> None:
        clip, room, picture = self.clip, self._room, self.picture
        if clip is None or not room.columns or not self._is_seen:
            return
        if self.state == "failed":
            self._change("loading")

        def done(drawn: DrawnClip) -> None:
            self.forget()
            self._drawn, self._drawn_for = drawn, (clip, room)
            self._is_fetching = False
            self._change("shown", is_new=True)
            self._draw_ahead()

        def failed(error: Exception) -> None:
            self.forget()
            self._is_fetching = False
            self.problem = describe_problem(error)
            self._change("failed")

        self._is_fetching = True
        size = picture.ask_size(room)
        self._frames.load(self._lane, clip, size, lambda f: picture.prepare(f, room), done, failed)

    def _change(self, state: PictureState, *, is_new: bool = False) -> None:
        before, self.state = self.state, state
        if state != before or is_new:
            self._changed()

    # Frames

    def paint(self, place: int) -> int:
        """Show a frame; returns roughly how many bytes that sends. Until the clip is here, it
        shows none."""
        if self._drawn is None or self.state != "shown":
            return 0
        return self.picture.show(self._drawn, min(place, len(self._drawn.frames) - 1))

    def sharpen(self, place: int) -> int | None:
        """Show a part of the frame that stands as sharply as its cells allow; returns its bytes. 0:
        all of it is shown; None: it is being drawn."""
        drawn = self._drawn
        if drawn is None or self.state != "shown" or not self.picture.plays or self._is_fetching:
            return 0
        place = min(place, len(drawn.frames) - 1)
        if self._sharp_place != place:
            self._draw_sharply(drawn, place)
        return None if self._sharp is None else self.picture.sharpen(self._sharp, _PART)

    def _draw_sharply(self, drawn: DrawnClip, place: int) -> None:
        self._sharp_place, self._sharp = place, None

        def done(frame: DrawnFrame) -> None:
            self._sharp = frame
            self._draw_ahead()

        def failed(_: Exception) -> None:
            self._sharp_place = None

        self._frames.draw(self._lane, lambda _: drawn.draw_sharply(place), done, failed)

    def _draw_ahead(self) -> None:
        """What has not been drawn, before it is due: the UI thread has other work."""
        drawn = self._drawn
        if drawn is not None and self.picture.plays and not drawn.is_complete:
            nothing = lambda _: None  # noqa: E731 (who shows a frame draws it, and hears of errors)
            self._frames.draw(self._lane, drawn.draw_ahead, nothing, nothing)


def describe_problem(error: Exception) -> str:
    """Why there is no picture, and of which file."""
    if not isinstance(error, InputError):
        return f"{type(error).__name__}: {error}"
    place = str(error.place)
    return f"{error.message}: {place}" if place else error.message
