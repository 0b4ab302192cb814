"""Frames of clips, decoded in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, TypeVar

from engine.base.errors import InputError
from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.media.cache import FrameCache
    from engine.media.clip import ClipMedia, DecodeHook
    from engine.media.pictures import Frames

NOT_READ: Final = "The clips could not be read."
NO_MEDIA_NAMED: Final = "No clip has media: a column video_path or gif_path would name it."

MOST_LOOKED_FOR: Final = 50_000
"""Clips whose files are looked for, to know whether there are any: a second or two, and more on a
disk that is far away."""

_LANES = ("query", "result", "play", "large", "zoomed query", "zoomed result", "found", "media")
T = TypeVar("T")


class ClipFrames:
    """The media of a dataset's clips, and their frames."""

    def __init__(self, dataset: Dataset, lanes: LaneGroup) -> None:
        self._dataset = dataset
        self._decoding = {name: lanes.lane(name) for name in _LANES}
        self._all_missing = ""
        self._kept: FrameCache | None = None
        self._keeping = threading.Lock()

    @property
    def no_media(self) -> str:
        """Why there are no frames to show; nothing: there may be some, or it is not known yet."""
        try:
            named = self._named
        except InputError:  # of which whoever reads the annotations tells
            return NOT_READ
        return self._all_missing if len(named) else NO_MEDIA_NAMED

    @property
    def has_media(self) -> bool:
        """Whether there may be frames to show."""
        return not self.no_media

    def look_for_media(self, told: Callable[[], None]) -> None:
        """Look in the background whether any file is there that the annotations name: on a disk
        that is far away, or of many clips, that takes its time. `told` hears if that is not what
        it was taken to be."""

        def done(problem: str) -> None:
            if problem != self._all_missing:
                self._all_missing = problem
                told()

        if len(self._named):
            nothing = lambda _: None  # noqa: E731 (then there may be some)
            self._decoding["media"].submit(
                lambda ticket: self._find_missing(ticket.check), done, nothing
            )

    @cached_property
    def _named(self) -> Sequence[int]:
        """The rows of the clips for which a file is named."""
        annotations = self._dataset.annotations
        columns = zip_longest(annotations.video_path or (), annotations.gif_path or ())
        return [row for row, paths in enumerate(columns) if any(paths)]

    def _find_missing(self, check: Callable[[], None]) -> str:
        """Which file is missing as all others are; nothing: one is there, or there are too many to
        say so."""
        ids, first = self._dataset.annotations.ids, ""
        for row in self._named[:MOST_LOOKED_FOR]:
            check()
            media = self.media(ids[row])
            if any(path.is_file() for path in media.paths):
                return ""
            first = first or next((str(path) for path in media.paths), media.problem)
        if len(self._named) > MOST_LOOKED_FOR:
            return ""
        return f"None of the media that the annotations name is there, e.g. {first}"

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

    def load(
        self,
        which: str,
        clip: str,
        size: tuple[int, int],
        prepare: Callable[[Frames], T],
        done: Callable[[T], None],
        failed: FailureHook,
    ) -> None:
        """All frames of a clip for the picture `which`, after something is made of them in the
        background too."""
        self._decoding[which].submit(
            lambda ticket: prepare(
                self._cache.clip(self.media(clip), *size, decode=_decoder(ticket))
            ),
            done,
            failed,
        )

    def draw(
        self,
        which: str,
        work: Callable[[Callable[[], None]], T],
        done: Callable[[T], None],
        failed: FailureHook,
    ) -> None:
        """Something made of frames that were loaded for the picture `which`; the work is handed
        what ends it once nobody waits for it any more."""
        self._decoding[which].submit(lambda ticket: work(ticket.check), done, failed)

    def cancel(self, which: str) -> None:
        """Frames for a filmstrip or a picture, or to "play", are no longer waited for."""
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
