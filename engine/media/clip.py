"""Frames of a clip: where its media lies, and the pictures in it.

Paths and files come from users. Only ordinary local files are opened, nothing is fetched, and size
and time are limited, so that a broken or hostile file costs seconds and not the machine. Every
function may be called from any thread.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, TypeAlias
from urllib.parse import unquote

from engine.base.errors import InputError, Place
from engine.dataset.annotations.read import Annotations
from engine.media import image, video
from engine.media.pictures import Box, DecodeError, Frames, TimeSpan

URL = re.compile(r"(?:[a-z][a-z0-9+.-]+://|(?:https?|s3|gs|data):)", re.IGNORECASE)
IMAGE_HEADS = (b"GIF8", b"\x89PNG", b"\xff\xd8\xff", b"RIFF")
NO_MEDIA_FILE = "the annotations name no media file"
_Decode: TypeAlias = Callable[[BinaryIO, TimeSpan], Frames]


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
        path = _local(text)
        if path is None:
            problem = f"not a local file: {text}"
        elif (path := annotations.path.parent / path) not in paths:
            paths.append(path)
    return ClipMedia(
        clip=annotations.ids[row],
        paths=tuple(paths),
        start=_seconds(annotations.span_start, row),
        end=_seconds(annotations.span_end, row),
        problem="" if paths else problem,
    )


def read_strip(media: ClipMedia, count: int, width: int, height: int) -> Frames:
    """`count` frames evenly spread over the clip, its first and last included.

    They are scaled down to fit into width × height pixels and never scaled up. Fewer frames come
    back where the clip has fewer.
    """
    box = Box(max(1, width), max(1, height))
    return _first_readable(
        media, lambda file, span: _decoder(file).read_even_frames(file, span, max(1, count), box)
    )


def read_clip(media: ClipMedia, width: int, height: int, most: int = 240) -> Frames:
    """All frames of the clip, for playing; every n-th, if there are more than `most`."""
    box = Box(max(1, width), max(1, height))
    return _first_readable(
        media, lambda file, span: _decoder(file).read_playable_frames(file, span, max(1, most), box)
    )


def _first_readable(media: ClipMedia, decode: _Decode) -> Frames:
    failures: list[MediaError] = []
    span = TimeSpan(media.start, media.end)
    for path in media.paths:
        try:
            with _ordinary_file(path) as file:
                return replace(decode(file, span), path=path)
        except MediaError as error:
            failures.append(error)
        except DecodeError as error:
            failures.append(MediaError(str(error), path))
        except MemoryError:
            failures.append(MediaError("is too large", path))
        except Exception:  # decoders fail in any way on a file that was made to break them
            why = "not a video or image that can be read"
            failures.append(MediaError(why, path))
    # The video comes first, and why it cannot be shown is what a user can mend.
    raise failures[0] if failures else MediaError(media.problem or NO_MEDIA_FILE)


def _decoder(file: BinaryIO) -> ModuleType:
    """What reads a file, by its first bytes, whatever it is called: Pillow where they are of one of
    its images; all else is tried as a video."""
    head = file.read(12)
    file.seek(0)
    is_image = head.startswith(IMAGE_HEADS) and (head[:4] != b"RIFF" or head[8:] == b"WEBP")
    return image if is_image else video


@contextmanager
def _ordinary_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file and nothing else: a pipe or a device may never end, or never begin."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise MediaError("no such file", path) from error
    except OSError as error:
        reason = (error.strerror or "input error").lower()
        raise MediaError(f"cannot be read ({reason})", path) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise MediaError("is a folder, not a file", path)
        if not stat.S_ISREG(mode):
            raise MediaError("is not an ordinary file", path)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)


def _row(annotations: Annotations, clip: str) -> int:
    try:
        return annotations.ids.index(clip)
    except ValueError:
        raise InputError(f'no clip "{clip}"', Place(annotations.path)) from None


def _local(text: str) -> Path | None:
    """The path in a cell of the annotations; None for a URL.

    >>> _local("s3://bucket/a.mp4"), _local("file:///data/my%20clip.mp4")
    (None, PosixPath('/data/my clip.mp4'))
    """
    if text.lower().startswith("file:///"):
        return Path(unquote(text[len("file://") :]))
    return None if URL.match(text) else Path(text)


def _seconds(column: tuple[str, ...] | None, row: int) -> float | None:
    try:
        seconds = float(column[row]) if column else math.nan
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None
