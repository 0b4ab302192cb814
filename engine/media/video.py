"""Pictures of video files, with PyAV: it seeks to the moment and decodes no more than that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from engine.media.pictures import (
    Box,
    Deadline,
    DecodeError,
    Frames,
    PictureCollector,
    TimeSpan,
    check_size,
)

# Containers of one file. Playlists are left out: they name other files and addresses to open.
CONTAINERS = "mov,mp4,matroska,webm,avi,mpegts,mpeg,mpegvideo,ogg,flv,asf,h264,hevc,ivf"
OPTIONS = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
NEAR_SECONDS = 2.0  # seconds ahead: decoding on is quicker than a jump back to a key frame
FRAMES_PER_JUMP = 400  # decoded from a key frame to the frame that is wanted
MOST_VIDEO_FRAMES = 5_000  # decoded one by one for playing; beyond that, key frames only
USUAL_RATE = 25.0


class Video:
    """An open video stream, read forwards by time; seconds count from its first frame."""

    def __init__(self, file: BinaryIO, box: Box) -> None:
        import av

        self._box = box
        self.clock = Deadline()
        self._container: Any = av.open(file, options=OPTIONS)
        stream = next(iter(self._container.streams.video), None)
        if stream is None:
            raise DecodeError("has no frame")
        self._stream: Any = stream
        stream.codec_context.thread_count = 1  # a file's slices are few, and each thread takes room
        check_size(stream.width, stream.height)
        self._base = float(stream.time_base or 1 / 1000)
        self._origin = int(stream.start_time or 0)
        rate = float(stream.average_rate or stream.guessed_rate or 0)
        self.rate = rate if 0.01 < rate <= 1000 else USUAL_RATE
        self.duration = self._duration()

    def _duration(self) -> float:
        if self._stream.duration:
            return float(self._stream.duration) * self._base
        if self._container.duration:
            return float(self._container.duration) / 1_000_000
        return 0.0

    def close(self) -> None:
        self._container.close()

    def jump(self, seconds: float, *, key_frames_only: bool = False) -> None:
        """Go to the last key frame at or before a time."""
        import av

        self._stream.codec_context.skip_frame = "NONKEY" if key_frames_only else "DEFAULT"
        ticks = self._origin + int(seconds / self._base)
        try:
            self._container.seek(ticks, stream=self._stream, backward=True, any_frame=False)
        except av.FFmpegError:  # a file without an index: read on from where we are
            return

    def frames(self) -> Iterator[tuple[Any, float]]:
        """Frames from here on with their times; ends with the file, or when the time is up."""
        at = -1.0 / self.rate
        for packet in self._packets():
            for frame in _decoded(packet):
                known = frame.pts is not None
                at = (frame.pts - self._origin) * self._base if known else at + 1 / self.rate
                yield frame, at

    def _packets(self) -> Iterator[Any]:
        import av

        try:
            for packet in self._container.demux(self._stream):
                if self.clock.over:
                    return
                yield packet
        except av.FFmpegError:  # cut off: what came before stands
            return

    def picture(self, frame: Any) -> npt.NDArray[np.uint8]:
        """A frame as upright pixels, scaled down into the box by averaging areas."""
        check_size(frame.width, frame.height)
        wide = float(self._stream.sample_aspect_ratio or 1)
        wide = wide if 0.1 < wide < 10 else 1.0
        turns = round(frame.rotation / 90) % 4
        box = Box(self._box.height, self._box.width) if turns % 2 else self._box
        width, height = box.fit(frame.width * wide, frame.height)
        # Planes, for packed pixels would share their colour in pairs.
        size = {"width": width, "height": height, **_one_thread()}
        small = frame.to_ndarray(format="gbrp", interpolation="AREA", **size)
        return np.ascontiguousarray(np.rot90(small, turns))


def _one_thread() -> dict[str, int]:
    """How to scale without threads, which a small picture does not need and which may not be had;
    before its version 17, PyAV started none."""
    import av

    return {"threads": 1} if int(av.__version__.partition(".")[0]) >= 17 else {}


def _decoded(packet: Any) -> list[Any]:
    """The frames of a packet; none of a broken one, for the next may be whole."""
    import av

    try:
        return list(packet.decode())
    except MemoryError:
        raise
    except (av.FFmpegError, EOFError):
        return []


def read_even_frames(file: BinaryIO, span: TimeSpan, count: int, box: Box) -> Frames:
    """`count` pictures spread over the span."""
    video = Video(file, box)
    try:
        start, end = _moment(video, span)
        targets = np.linspace(start, max(start, end - 1 / video.rate), count).tolist()
        return _at(video, targets).decoded(video.rate)
    finally:
        video.close()


def read_playable_frames(file: BinaryIO, span: TimeSpan, most: int, box: Box) -> Frames:
    """At most `most` pictures of the span, at even distances."""
    video = Video(file, box)
    try:
        start, end = _moment(video, span)
        expected = (end - start) * video.rate
        if expected > MOST_VIDEO_FRAMES:
            return _key_frames(video, np.linspace(start, end, most).tolist()).decoded(video.rate)
        return _all(video, start, end, most).decoded(video.rate)
    finally:
        video.close()


def _moment(video: Video, span: TimeSpan) -> tuple[float, float]:
    if video.duration > 0:
        return span.within(video.duration)
    start = max(0.0, span.start or 0.0)  # the file does not say how long it is
    return start, span.end if span.end and span.end > start else start + 1e9


def _all(video: Video, start: float, end: float, most: int) -> PictureCollector:
    """Every frame of a moment, thinned out whenever they are more than `most`."""
    pictures = PictureCollector()
    place, step = 0, 1
    half = 0.5 / video.rate
    if start > 0:
        video.jump(start)
    for frame, at in video.frames():
        if at < start - half:
            continue
        if at >= end - half and pictures.times:
            break
        if place % step == 0:
            pictures.add(video.picture(frame), at)
        place += 1
        if len(pictures.times) > most:
            pictures.thin()
            step *= 2
    return pictures


def _at(video: Video, targets: list[float]) -> PictureCollector:
    """The frame shown at each time; where decoding there takes too long, the nearest reached."""
    pictures = PictureCollector()
    half = 0.5 / video.rate
    stream = video.frames()
    shown: tuple[Any, float] | None = None
    ahead: tuple[Any, float] | None = None
    for target in targets:
        if video.clock.over:
            break
        if target - (shown[1] if shown else 0.0) > NEAR_SECONDS:
            video.jump(target)
            stream, shown, ahead = video.frames(), None, None
        for _ in range(FRAMES_PER_JUMP):
            if ahead is None:
                ahead = next(stream, None)
            if ahead is None or (shown and ahead[1] > target + half):
                break
            shown, ahead = ahead, None
        if shown:
            pictures.add(video.picture(shown[0]), shown[1])
    return pictures


def _key_frames(video: Video, targets: list[float]) -> PictureCollector:
    """The key frame before each time: all that an hour of video can give in seconds."""
    pictures = PictureCollector()
    for target in targets:
        if video.clock.over:
            break
        video.jump(target, key_frames_only=True)
        found = next(video.frames(), None)
        if found:
            pictures.add(video.picture(found[0]), found[1])
    return pictures
