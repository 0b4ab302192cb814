"""Frames of clips, decoded in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.media.cache import FrameCache
    from engine.media.clip import ClipMedia, DecodeHook
    from engine.media.pictures import Frames


class ClipFrames:
    """The media of a dataset's clips, and their frames."""

    def __init__(self, dataset: Dataset, lanes: LaneGroup) -> None:
        self._dataset = dataset
        self._decoding = {name: lanes.lane(name) for name in ("query", "result", "play")}
        self._kept: FrameCache | None = None
        self._keeping = threading.Lock()

    @property
    def has_media(self) -> bool:
        """Whether there may be frames to show; labels often come without any."""
        if not self._dataset.has_labels:
            return True
        annotations = self._dataset.annotations
        return any(annotations.video_path or ()) or any(annotations.gif_path or ())

    def media(self, clip: str) -> ClipMedia:
        """The files of a clip."""
        from engine.media.clip import find_media

        return find_media(self._dataset.annotations, clip)

    def strip(
        self,
        which: str,
        clip: str,
        wanted: tuple[int, int, int],
        done: Callable[[Frames], None],
        failed: FailureHook,
    ) -> None:
        """Frames of a clip for the filmstrip `which` ("query" or "result")."""
        self._decoding[which].submit(
            lambda ticket: self._cache.strip(self.media(clip), *wanted, decode=_decoder(ticket)),
            done,
            failed,
        )

    def playable(
        self, clip: str, size: tuple[int, int], done: Callable[[Frames], None], failed: FailureHook
    ) -> None:
        """All frames of a clip, to play it."""
        self._decoding["play"].submit(
            lambda ticket: self._cache.clip(self.media(clip), *size, decode=_decoder(ticket)),
            done,
            failed,
        )

    def cancel(self, which: str) -> None:
        """Frames for a filmstrip, or to "play", are no longer waited for."""
        self._decoding[which].cancel()

    @property
    def _cache(self) -> FrameCache:
        from engine.media.cache import FrameCache

        with self._keeping:
            if self._kept is None:
                self._kept = FrameCache()
            return self._kept


def _decoder(ticket: Ticket[Any]) -> DecodeHook:
    """Decodes only for as long as somebody waits for the frames."""
    from engine.media.decoder_process import decode_apart

    return partial(decode_apart, check=ticket.check)
