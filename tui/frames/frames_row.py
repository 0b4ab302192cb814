"""The frames of the query clip and of the result, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal

from tui.frames.picture_loader import describe_problem
from tui.look.nouns import find_nouns

if TYPE_CHECKING:
    from engine.media.pictures import Frames
    from tui.frames.filmstrip import Filmstrip
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames


class FramesRow(Horizontal):
    """Two filmstrips, made when they are first wanted; that of the query is there only when a clip
    was asked for."""

    def __init__(self, frames: ClipFrames, images: ImageSupport, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._frames = frames
        self._images = images
        self._clips: dict[str, str | None] = {"query": None, "result": None}
        self._strips: dict[str, Filmstrip] = {}

    def strip(self, which: str) -> Filmstrip:
        """That of the query or of the result, once the row has appeared."""
        return self._strips[which]

    def appear(self, shown: bool) -> None:
        """Come, or go."""
        if self.display != shown:
            self.display = shown
            if not self._strips:
                self._make_strips()
            self.call_after_refresh(self.refresh_clips)

    def _make_strips(self) -> None:
        from tui.frames.filmstrip import Filmstrip

        for which in self._clips:
            self._strips[which] = Filmstrip(self._images.drawing, id=f"{which}-frames")
        self._strips["query"].display = self._clips["query"] is not None
        self.mount(*self._strips.values())

    # Clips

    def show_clip(self, which: str, clip: str | None) -> None:
        """Show the clip's frames as soon as they are decoded."""
        if self._clips[which] == clip:
            return
        self._clips[which] = clip
        if not self._strips:
            return
        if which == "query":
            self.strip("query").display = clip is not None
        self.strip(which).stop()
        if which == "result":
            self._frames.cancel("play")
        self._fetch(which)

    def refresh_clips(self) -> None:
        """Fetch again what is shown, after the row came back or changed its size."""
        for which in self._strips:
            self._fetch(which)

    def on_filmstrip_resized(self, event: Filmstrip.Resized) -> None:
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
            strip.show_problem(f"{which} {clip}", describe_problem(error))

        self._frames.strip(which, clip, strip.wanted(), done, failed)

    def play(self) -> None:
        """Play the result's clip in place, or stop it."""
        if not self._strips:
            return
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
