"""Frames of a clip: where its media lies, and the pictures in it.

Paths and files come from users. Only ordinary local files are opened, nothing is fetched, and they
are decoded in another process within limits of size, memory and time, so that a broken or hostile
file costs seconds and not the machine. Every function may be called from any thread.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, TypeAlias, TypeVar

from engine.base.errors import InputError, Place
from engine.base.messages import fit_on_line
from engine.dataset.annotations.media_paths import locate_media
from engine.dataset.annotations.read import Annotations
from engine.files.points import reach
from engine.media.decoder_process import decode_apart
from engine.media.pictures import Box, DecodeError, FrameRequest, Frames, TimeSpan

T = TypeVar("T")

NO_MEDIA_FILE = "the annotations name no media file"
DecodeHook: TypeAlias = Callable[[BinaryIO, FrameRequest], Frames]
"""Decodes an open file, or says by a DecodeError why not."""


class MediaError(InputError):
    """A clip without pictures; `message` is why, in a few words, and `place` the file."""


@dataclass(frozen=True, slots=True)
class ClipMedia:
    """Where a clip's media lies.

    paths       the video, then the gif or webp
    start, end  the clip's moment inside the video, in seconds; None: not known
    problem     why there is no path that can be used, in words
    """

    clip: str
    paths: tuple[Path, ...]
    start: float | None = None
    end: float | None = None
    problem: str = ""


def find_media(annotations: Annotations, clip: str | int) -> ClipMedia:
    """The media of a clip, named by its id or its row. Relative paths start at the annotations.

    >>> file = Path("/data/clips.csv")
    >>> annotations = Annotations(file, ("a",), (), "utf-8", ",", video_path=("a.mp4",))
    >>> [str(path) for path in find_media(annotations, "a").paths]
    ['/data/a.mp4']
    """
    row = clip if isinstance(clip, int) else _row(annotations, clip)
    paths: list[Path] = []
    problem = NO_MEDIA_FILE
    for column in (annotations.video_path, annotations.gif_path):
        text = column[row] if column else ""
        if not text:
            continue
        path = locate_media(text)
        if path is None:
            problem = f"not a local file: {fit_on_line(text)}"
        elif (path := annotations.path.parent / path) not in paths:
            paths.append(path)
    return ClipMedia(
        clip=annotations.ids[row],
        paths=tuple(paths),
        start=_seconds(annotations.span_start, row),
        end=_seconds(annotations.span_end, row),
        problem="" if paths else problem,
    )


def read_strip(
    media: ClipMedia, count: int, width: int, height: int, decode: DecodeHook = decode_apart
) -> Frames:
    """`count` frames evenly spread over the clip, its first and last included.

    They are scaled down to fit into width × height pixels and never scaled up. Fewer frames come
    back where the clip has fewer.
    """
    box, span = Box(max(1, width), max(1, height)), TimeSpan(media.start, media.end)
    return _first_readable(media, FrameRequest(max(1, count), box, span), decode)


def read_clip(
    media: ClipMedia, width: int, height: int, most: int = 240, decode: DecodeHook = decode_apart
) -> Frames:
    """All frames of the clip, for playing; every n-th, if there are more than `most`."""
    box, span = Box(max(1, width), max(1, height)), TimeSpan(media.start, media.end)
    return _first_readable(media, FrameRequest(max(1, most), box, span, plays=True), decode)


def read_media(media: ClipMedia, read: Callable[[BinaryIO], T]) -> tuple[T, Path]:
    """What `read` makes of the first of the clip's files that it can read, and which one that is.

    It gets each open, and says by a DecodeError why it can make nothing of it.
    """
    failures: list[MediaError] = []
    for path in media.paths:
        try:
            with _ordinary_file(path) as file:
                return read(file), path
        except MediaError as error:
            failures.append(error)
        except DecodeError as error:
            failures.append(MediaError(str(error), path))
    # The video comes first, and why it cannot be shown is what a user can mend.
    raise failures[0] if failures else MediaError(media.problem or NO_MEDIA_FILE)


def _first_readable(media: ClipMedia, request: FrameRequest, decode: DecodeHook) -> Frames:
    frames, path = read_media(media, lambda file: decode(file, request))
    return replace(frames, path=path)


@contextmanager
def _ordinary_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file and nothing else: a pipe or a device may never end, or never begin."""
    try:
        reach("read", path)
        _refuse_others(path, path.stat().st_mode)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise MediaError("no such file", path) from error
    except OSError as error:
        reason = (error.strerror or "input error").lower()
        raise MediaError(f"cannot be read ({reason})", path) from error
    with os.fdopen(descriptor, "rb") as file:
        _refuse_others(path, os.fstat(descriptor).st_mode)  # another may lie there by now
        yield file


def _refuse_others(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise MediaError("is a folder, not a file", path)
    if not stat.S_ISREG(mode):
        raise MediaError("is not an ordinary file", path)


def _row(annotations: Annotations, clip: str) -> int:
    try:
        return annotations.ids.index(clip)
    except ValueError:
        raise InputError(f'no clip "{fit_on_line(clip)}"', Place(annotations.path)) from None


def _seconds(column: tuple[str, ...] | None, row: int) -> float | None:
    try:
        seconds = float(column[row]) if column else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
