"""Pictures out of an open file: which decoder reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from engine.media import image, video
from engine.media.pictures import Box, Decoded, DecodeError, Span

IMAGE_HEADS = (b"GIF8", b"\x89PNG", b"\xff\xd8\xff", b"RIFF")


def decode_even(file: BinaryIO, span: Span, count: int, box: Box) -> Decoded:
    """`count` pictures evenly spread over the span, the first and the last included."""
    if _is_image(file):
        return _guarded(lambda: image.even(file, span, count, box))
    return _guarded(lambda: video.even(file, span, count, box))


def decode_playable(file: BinaryIO, span: Span, most: int, box: Box) -> Decoded:
    """Every picture of the span, or every n-th so that there are at most `most`."""
    if _is_image(file):
        return _guarded(lambda: image.playable(file, span, most, box))
    return _guarded(lambda: video.playable(file, span, most, box))


def _is_image(file: BinaryIO) -> bool:
    """By its first bytes, whatever it is called: Pillow's; all else is tried as a video."""
    head = file.read(12)
    file.seek(0)
    return head.startswith(IMAGE_HEADS) and (head[:4] != b"RIFF" or head[8:] == b"WEBP")


def _guarded(decode: Callable[[], Decoded]) -> Decoded:
    try:
        return decode()
    except DecodeError:
        raise
    except MemoryError as error:
        raise DecodeError("is too large") from error
    except Exception as error:  # decoders fail in any way on a file that was made to break them
        raise DecodeError("not a video or image that can be read") from error
