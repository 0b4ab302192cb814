"""Pictures out of an open file: which decoder reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from engine.media import image, video
from engine.media.pictures import Box, DecodedFrames, DecodeError, TimeSpan

IMAGE_HEADS = (b"GIF8", b"\x89PNG", b"\xff\xd8\xff", b"RIFF")


def decode_even(file: BinaryIO, span: TimeSpan, count: int, box: Box) -> DecodedFrames:
    """`count` pictures evenly spread over the span, the first and the last included."""
    if _is_image(file):
        return _guarded(lambda: image.read_even_frames(file, span, count, box))
    return _guarded(lambda: video.read_even_frames(file, span, count, box))


def decode_playable(file: BinaryIO, span: TimeSpan, most: int, box: Box) -> DecodedFrames:
    """Every picture of the span, or every n-th so that there are at most `most`."""
    if _is_image(file):
        return _guarded(lambda: image.read_playable_frames(file, span, most, box))
    return _guarded(lambda: video.read_playable_frames(file, span, most, box))


def _is_image(file: BinaryIO) -> bool:
    """By its first bytes, whatever it is called: Pillow's; all else is tried as a video."""
    head = file.read(12)
    file.seek(0)
    return head.startswith(IMAGE_HEADS) and (head[:4] != b"RIFF" or head[8:] == b"WEBP")


def _guarded(decode: Callable[[], DecodedFrames]) -> DecodedFrames:
    try:
        return decode()
    except DecodeError:
        raise
    except MemoryError as error:
        raise DecodeError("is too large") from error
    except Exception as error:  # decoders fail in any way on a file that was made to break them
        raise DecodeError("not a video or image that can be read") from error
