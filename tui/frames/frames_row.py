"""The frames of the query clip and of the result, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal

from tui.frames.filmstrip import Filmstrip
from tui.frames.picture_loader import describe_problem
from tui.look.nouns import find_nouns

if TYPE_CHECKING:
    from engine.media.pictures import Frames
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames


class FramesRow(Horizontal):
    """Two filmstrips; that of the query is there only when a clip was asked for. They come when the row
    first appears."""

    def __init__(self, frames: ClipFrames, images: ImageSupport, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._frames = frames
        self._images = images
        self._clips: dict[str, str | None] = {"query": None, "result": None}
        self._strips = {which: Filmstrip(images.drawing, id=f"{which}-frames") for which in self._clips}
        self._strips["query"].display = False

    def strip(self, which: str) -> Filmstrip:
        return self._strips[which]

    def appear(self, shown: bool) -> None:
        """Come, or go."""
        if self.display != shown:
            self.display = shown
            if not self.children:
                self.mount(*self._strips.values())
            self.call_after_refresh(self.refresh_clips)

    # Clips

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
        if not strip.is_attached:
            return  # it was never wanted
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
            strip.show_problem(f"{which} {clip}", describe_problem(error))

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
            lambda error: strip.show_problem(f"result {clip}", describe_problem(error)),
        )
