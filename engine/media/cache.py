"""Frames read before, up to a limit of bytes, the longest unused dropped first."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from engine.media.clip import ClipMedia, Frames, MediaError, read_clip, read_strip

MOST_BYTES = 64_000_000
FAILURE_SECONDS = 5.0


class _Failure(NamedTuple):
    error: MediaError
    until: float


class FrameCache:
    """`read_strip` and `read_clip` with a memory; safe to share between threads.

    A file that changes is read anew. A failure is remembered for a few seconds, so that stepping
    over broken clips stays quick and a mended one is found.
    """

    def __init__(
        self,
        most_bytes: int = MOST_BYTES,
        failure_seconds: float = FAILURE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_bytes = most_bytes
        self._failure_seconds = failure_seconds
        self._clock = clock
        self._lock = Lock()
        self._known: OrderedDict[Hashable, Frames | _Failure] = OrderedDict()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """What the frames held now take."""
        return self._bytes

    def strip(self, media: ClipMedia, count: int, width: int, height: int) -> Frames:
        """As `read_strip`."""
        key = ("strip", count, width, height, _identity(media))
        return self._get(key, lambda: read_strip(media, count, width, height))

    def clip(self, media: ClipMedia, width: int, height: int, most: int = 240) -> Frames:
        """As `read_clip`."""
        key = ("clip", most, width, height, _identity(media))
        return self._get(key, lambda: read_clip(media, width, height, most))

    def _get(self, key: Hashable, read: Callable[[], Frames]) -> Frames:
        known = self._look_up(key)
        if isinstance(known, _Failure):
            raise known.error
        if known is not None:
            return known
        try:
            frames = read()
        except MediaError as error:
            self._keep(key, _Failure(error, self._clock() + self._failure_seconds))
            raise
        self._keep(key, frames)
        return frames

    def _look_up(self, key: Hashable) -> Frames | _Failure | None:
        with self._lock:
            known = self._known.get(key)
            if isinstance(known, _Failure) and known.until < self._clock():
                del self._known[key]
                return None
            if known is not None:
                self._known.move_to_end(key)
            return known

    def _keep(self, key: Hashable, entry: Frames | _Failure) -> None:
        with self._lock:
            self._bytes -= _size(self._known.pop(key, None))
            self._known[key] = entry
            self._bytes += _size(entry)
            while self._bytes > self._most_bytes:
                _, dropped = self._known.popitem(last=False)
                self._bytes -= _size(dropped)


def _size(entry: Frames | _Failure | None) -> int:
    """Bytes of an entry; a small sum for the rest, so that even failures are dropped in time."""
    if entry is None:
        return 0
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
