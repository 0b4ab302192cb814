"""Frames out of an open file, whatever it holds: the one place that knows both decoders.

It decodes where it is called. A decoder can be crashed by a file that was made for it, so that
files of users are decoded in a process of its own (`decoder_process`), which calls this.
"""

from __future__ import annotations

from types import ModuleType
from typing import BinaryIO

from engine.media import image, video
from engine.media.pictures import DecodeError, FrameRequest, Frames

IMAGE_HEADS = (b"GIF8", b"\x89PNG", b"\xff\xd8\xff", b"RIFF")


def decode(file: BinaryIO, request: FrameRequest) -> Frames:
    """What is wanted of a file; whatever is wrong with it is a DecodeError."""
    try:
        decoder = _choose_decoder(file)
        read = decoder.read_playable_frames if request.plays else decoder.read_even_frames
        frames: Frames = read(file, request.span, request.count, request.box)
    except DecodeError:
        raise
    except MemoryError as error:
        raise DecodeError("needs more memory than its decoder may take") from error
    except Exception as error:  # decoders fail in any way on a file that was made to break them
        raise DecodeError("not a video or image that can be read") from error
    return frames


def _choose_decoder(file: BinaryIO) -> ModuleType:
    """What reads a file, by its first bytes, whatever it is called: Pillow where they are of one of
    its images; all else is tried as a video."""
    head = file.read(12)
    file.seek(0)
    is_image = head.startswith(IMAGE_HEADS) and (head[:4] != b"RIFF" or head[8:] == b"WEBP")
    return image if is_image else video
