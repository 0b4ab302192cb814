"""The child process that decodes files of users; `decoder_process` starts it and talks to it.

It is handed each file open, and can open none itself once it has begun. Memory and time are
limited by the system: a file that breaks the decoder costs this process and nothing else.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
from collections.abc import Sequence
from importlib import import_module
from pkgutil import walk_packages

import numpy as np

from engine.base.channel import Channel, Message
from engine.media.decoding import decode
from engine.media.pictures import Box, DecodeError, FrameRequest, Frames, TimeSpan

MOST_MEMORY = 640_000_000
"""Bytes that may be taken for pixels and all else."""

MOST_SECONDS = 20
"""Of computing for one file, after which the system ends this process; by far more than the
readers allow themselves, and should the caller be unable to end it."""

_PILLOW = (
    *("PIL.Image", "PIL.GifImagePlugin", "PIL.JpegImagePlugin", "PIL.PngImagePlugin"),
    *("PIL.WebPImagePlugin", "PIL.ImagePalette", "PIL.TiffImagePlugin"),
)
_NOT_FOR_DECODING = ("av.__main__", "av.datasets")

_MOST_REQUEST = 10_000


def serve(channel: Channel, arguments: Sequence[str]) -> None:
    """Answer until the caller closes the channel."""
    import_decoders()
    limit_process()
    channel.send({"ready": True})
    while True:
        request = channel.receive(most_header=_MOST_REQUEST, takes_file=True)
        if request is None:
            return
        channel.send(*_answer(request))


def import_decoders() -> None:
    """All that reading a file imports, for later on no module can be found any more."""
    import av

    parts = (part.name for part in walk_packages(av.__path__, "av."))
    for name in (*_PILLOW, *parts):
        if name not in _NOT_FOR_DECODING:
            import_module(name)


def limit_process() -> None:
    """Take from this process, for good, what decoding does not need: most of the memory, files to
    write, other processes, and every file but one that it is handed."""
    free = os.dup(0)
    os.close(free)
    limits = {
        resource.RLIMIT_DATA: MOST_MEMORY,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: free + 1,
    }
    for kind, most in limits.items():
        with contextlib.suppress(OSError, ValueError):  # it is lower already
            resource.setrlimit(kind, (most, most))


def _limit_time() -> None:
    """The system counts from the start of the process: what it has used so far is not meant."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    end = math.ceil(usage.ru_utime + usage.ru_stime) + MOST_SECONDS
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    if most == resource.RLIM_INFINITY or end < most:
        resource.setrlimit(resource.RLIMIT_CPU, (end, most))


def _answer(request: Message) -> tuple[dict[str, object], memoryview]:
    header, _, descriptor = request
    if descriptor is None:
        return {"refused": "no file was handed over"}, memoryview(b"")
    _limit_time()
    try:
        with os.fdopen(descriptor, "rb") as file:
            frames = decode(file, _read_request(header))
    except DecodeError as error:
        return {"refused": str(error)}, memoryview(b"")
    return _write_frames(frames)


def _read_request(header: dict[str, object]) -> FrameRequest:
    count, width, height, start, end, plays = header["wanted"]  # type: ignore[misc]
    return FrameRequest(count, Box(width, height), TimeSpan(start, end), plays)  # type: ignore[has-type]


def _write_frames(frames: Frames) -> tuple[dict[str, object], memoryview]:
    pixels = np.ascontiguousarray(frames.pixels)
    header = {"shape": pixels.shape, "times": frames.times, "fps": frames.fps}
    header["unpacked"] = frames.unpacked
    return header, pixels.data.cast("B")
