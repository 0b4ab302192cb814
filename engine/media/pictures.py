"""Pictures on their way out of a file: what is wanted of them, and how much it may cost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

MOST_PIXELS = 64_000_000  # of one picture; 8K video has 33 million

READING_SECONDS = 6.0  # of decoding, after which what was read so far is what there is


class DecodeError(Exception):
    """Why a file gives no picture, in a few words."""


@dataclass(frozen=True, slots=True)
class Box:
    """The most pixels a picture may take."""

    width: int
    height: int

    def fit(self, width: float, height: float) -> tuple[int, int]:
        """The size of a picture scaled down into the box, with its aspect ratio.

        >>> Box(24, 14).fit(160, 90), Box(24, 14).fit(8, 6)
        ((24, 14), (8, 6))
        """
        scale = min(self.width / width, self.height / height, 1.0)
        return (
            min(self.width, max(1, round(width * scale))),
            min(self.height, max(1, round(height * scale))),
        )


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A moment in seconds; None: from the start, to the end."""

    start: float | None = None
    end: float | None = None

    def within(self, duration: float) -> tuple[float, float]:
        """The part of a file of this duration that is meant.

        A span may count from the start of a long recording while the file is the clip cut out of
        it: a file no longer than its span is taken whole.

        >>> (
        ...     TimeSpan(3.0, 5.0).within(60.0),
        ...     TimeSpan(3.0, 5.0).within(2.0),
        ...     TimeSpan(None, None).within(2.0),
        ... )
        ((3.0, 5.0), (0.0, 2.0), (0.0, 2.0))
        """
        start = max(0.0, self.start or 0.0)
        end = duration if self.end is None or self.end <= start else self.end
        if self.end is not None and duration <= (end - start) * 1.1 + 0.1:
            return 0.0, duration
        if start >= duration:
            raise DecodeError(f"has no frame at {start:g} s")
        return start, min(end, duration)


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """What is wanted of a file.

    count  frames at most
    box    which each must fit into; they are scaled down and never up
    plays  whether to play them: all frames, or every n-th; else they are spread evenly, the first
           and the last included
    """

    count: int
    box: Box
    span: TimeSpan = TimeSpan()
    plays: bool = False

    @property
    def most_bytes(self) -> int:
        """Of all pixels.

        >>> FrameRequest(2, Box(24, 14)).most_bytes
        2016
        """
        return 3 * self.count * self.box.width * self.box.height


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Pictures of one file.

    pixels    (n, height, width, 3)
    times     seconds from the start of the file
    fps       the rate at which these frames take as long as the scene did
    unpacked  pixels of an image that had to be unpacked for them; of a video nobody counts
    """

    pixels: npt.NDArray[np.uint8]
    times: tuple[float, ...]
    fps: float
    path: Path = Path()
    unpacked: int = 0

    def __len__(self) -> int:
        return len(self.times)


@dataclass(slots=True)
class PictureCollector:
    """Pictures as they are gathered, in order of time, each time once."""

    shots: list[npt.NDArray[np.uint8]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    unpacked: int = 0

    def add(self, shot: npt.NDArray[np.uint8], seconds: float) -> None:
        if self.times and seconds <= self.times[-1]:
            return
        if self.shots and shot.shape != self.shots[0].shape:
            return  # a stream that changes its size in the middle
        self.shots.append(shot)
        self.times.append(seconds)

    def thin(self) -> None:
        """Drop every second picture, but never the first."""
        del self.shots[1::2], self.times[1::2]

    def chosen(self, places: list[int]) -> PictureCollector:
        shots, times = [self.shots[i] for i in places], [self.times[i] for i in places]
        return PictureCollector(shots, times, self.unpacked)

    def decoded(self, fps: float) -> Frames:
        """What was gathered; `fps` is for a single picture, which has no rate of its own."""
        if not self.shots:
            raise DecodeError("has no frame")
        length = self.times[-1] - self.times[0]
        rate = (len(self.times) - 1) / length if length > 0 else fps
        times = tuple(round(t, 6) for t in self.times)
        return Frames(np.stack(self.shots), times, rate, unpacked=self.unpacked)


class Deadline:
    """The time that one reading may take."""

    def __init__(self, seconds: float = READING_SECONDS) -> None:
        self._end = time.monotonic() + seconds

    @property
    def over(self) -> bool:
        return time.monotonic() > self._end


def check_size(width: int, height: int, most: int = MOST_PIXELS) -> None:
    """Refuse a picture that would eat the memory when it is unpacked.

    >>> check_size(50_000, 50_000)
    Traceback (most recent call last):
    engine.media.pictures.DecodeError: has 2,500 megapixels; at most 64 are decoded
    """
    if width < 1 or height < 1:
        raise DecodeError("has no frame")
    if width * height > most:
        found = math.ceil(width * height / 100_000) / 10
        raise DecodeError(f"has {found:,g} megapixels; at most {most // 10**6} are decoded")
