"""The frames of the query clip and of the result, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from engine.base.errors import InputError
from tui.frames.filmstrip import Filmstrip
from tui.look.nouns import find_nouns
from tui.work.throttle import Debounce

if TYPE_CHECKING:
    from engine.media.pictures import Frames
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames


LEAST_HEIGHT = 34
"""Rows of the screen from which on there is room for frames; below, f shows them."""

REST = 0.2
"""Seconds that the cursor rests on a result before its frames are fetched."""

NO_MEDIA = (
    "No item has media: a column video_path or gif_path in the table of labels would name it."
)


class FramesRow(Horizontal):
    """Two filmstrips; that of the query is there only when a clip was asked for.

    wanted  whether the user wants frames; None: they have not said
    """

    def __init__(
        self,
        frames: ClipFrames,
        images: ImageSupport,
        wanted: bool | None,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._frames = frames
        self._images = images
        self._wanted = wanted
        self._result: str | None = None
        self._fetch_result = Debounce(self, REST, self.show_result)
        self._clips: dict[str, str | None] = {"query": None, "result": None}

    def compose(self) -> ComposeResult:
        query = Filmstrip(self._images.drawing, id="query-frames")
        query.display = False
        yield query
        yield Filmstrip(self._images.drawing, id="result-frames")

    def strip(self, which: str) -> Filmstrip:
        return self.query_one(f"#{which}-frames", Filmstrip)

    # Coming and going

    def make_room(self) -> None:
        """Come and go with the room for frames, unless the user has chosen."""
        if self._images.drawing != "off" and self._frames.has_media:
            room = self.screen.size.height >= LEAST_HEIGHT
            self._appear(room if self._wanted is None else self._wanted)

    def toggle(self, *, is_read: bool) -> None:
        """As the user wants it; `is_read`: the annotations are, and say whether there is media."""
        if self._images.drawing == "off":
            self.notify(f"No frames here: {self._images.reason}", markup=False)
        elif is_read and not self._frames.has_media:
            self.notify(NO_MEDIA, markup=False)
        else:
            self._wanted = not self.display
            self._appear(self._wanted)

    def _appear(self, shown: bool) -> None:
        if self.display != shown:
            self.display = shown
            self.call_after_refresh(self.refresh_clips)

    # Clips

    def select(self, clip: str | None) -> None:
        """The result under the cursor; its frames are fetched once the cursor rests."""
        self._result = clip
        self._fetch_result()

    def show_result(self) -> None:
        """Fetch the frames of the selected result now."""
        self.show_clip("result", self._result)

    def show_clip(self, which: str, clip: str | None) -> None:
        """Show the clip's frames as soon as they are decoded."""
        if self._clips[which] == clip:
            return
        self._clips[which] = clip
        if which == "query":
            self.strip("query").display = clip is not None
        self.strip(which).stop()
        if which == "result":
            self._frames.cancel("play")
        self._fetch(which)

    def refresh_clips(self) -> None:
        """Fetch again what is shown, after the row came back or changed its size."""
        for which in self._clips:
            self._fetch(which)

    @on(Filmstrip.Resized)
    def _resized(self, event: Filmstrip.Resized) -> None:
        event.stop()
        which = (event.control.id or "").partition("-")[0]
        if which in self._clips:
            self._fetch(which)

    def _fetch(self, which: str) -> None:
        clip, strip = self._clips[which], self.strip(which)
        if clip is None:
            self._frames.cancel(which)  # else it would paint the clip that has gone
            strip.clear(find_nouns(self.app).spell("no clip"))
            return
        if not self.display or not strip.wanted()[0]:
            return

        if strip.state != "shown":
            strip.show_loading(f"{which} {clip}")

        def done(frames: Frames) -> None:
            strip.show(frames, f"{which} {clip}")

        def failed(error: Exception) -> None:
            strip.show_problem(f"{which} {clip}", _reason(error))

        self._frames.strip(which, clip, strip.wanted(), done, failed)

    def play(self) -> None:
        """Play the result's clip in place, or stop it."""
        strip, clip = self.strip("result"), self._clips["result"]
        if strip.playing:
            strip.stop()
            return
        if clip is None:
            return
        _, width, height = strip.wanted()
        self._frames.playable(
            clip,
            (width, height),
            strip.play,
            lambda error: strip.show_problem(f"result {clip}", _reason(error)),
        )


def _reason(error: Exception) -> str:
    if not isinstance(error, InputError):
        return f"{type(error).__name__}: {error}"
    place = str(error.place)
    return f"{error.message}: {place}" if place else error.message
