"""Frames read before, up to a limit of bytes, the longest unused dropped first."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import NamedTuple

from engine.base.caches import RecentCache
from engine.media.clip import ClipMedia, DecodeHook, MediaError, read_clip, read_strip
from engine.media.decoder_process import decode_apart
from engine.media.pictures import Frames

CACHE_BYTES = 64_000_000
FAILURE_SECONDS = 5.0


class _Failure(NamedTuple):
    error: MediaError
    until: float


class FrameCache:
    """`read_strip` and `read_clip` with a memory; safe to share between threads.

    A file that changes is read again. A failure is remembered for a few seconds, so that stepping
    over broken clips stays quick and a mended one is found.
    """

    def __init__(
        self,
        most_bytes: int = CACHE_BYTES,
        failure_seconds: float = FAILURE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._failure_seconds = failure_seconds
        self._clock = clock
        self._known: RecentCache[Hashable, Frames | _Failure] = RecentCache(most_bytes)

    @property
    def bytes(self) -> int:
        """What the frames held now take."""
        return self._known.size

    def strip(
        self,
        media: ClipMedia,
        count: int,
        width: int,
        height: int,
        decode: DecodeHook = decode_apart,
    ) -> Frames:
        """As `read_strip`."""
        key = ("strip", count, width, height, _identity(media))
        return self._get(key, lambda: read_strip(media, count, width, height, decode))

    def clip(
        self,
        media: ClipMedia,
        width: int,
        height: int,
        most: int = 240,
        decode: DecodeHook = decode_apart,
    ) -> Frames:
        """As `read_clip`."""
        key = ("clip", most, width, height, _identity(media))
        return self._get(key, lambda: read_clip(media, width, height, most, decode))

    def _get(self, key: Hashable, read: Callable[[], Frames]) -> Frames:
        known = self._known.get(key)
        if isinstance(known, Frames):
            return known
        if known is not None and known.until >= self._clock():
            raise known.error
        try:
            frames = read()
        except MediaError as error:
            self._keep(key, _Failure(error, self._clock() + self._failure_seconds))
            raise
        self._keep(key, frames)
        return frames

    def _keep(self, key: Hashable, entry: Frames | _Failure) -> None:
        self._known.put(key, entry, _size(entry))


def _size(entry: Frames | _Failure) -> int:
    """Bytes of an entry; a small sum for the rest, so that even failures are dropped in time."""
    return 1_000 + (entry.pixels.nbytes if isinstance(entry, Frames) else 0)


def _identity(media: ClipMedia) -> Hashable:
    """What the frames depend on: the files as they are now, and the moment."""
    return media.start, media.end, tuple(map(_version, media.paths)), media.problem


def _version(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return str(path), -1, -1
    return str(path), found.st_mtime_ns, found.st_size
