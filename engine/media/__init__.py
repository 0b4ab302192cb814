"""Frames of clips: where the media of a clip lies, its pictures, and a memory of them."""

from engine.media.cache import FrameCache
from engine.media.clip import ClipMedia, MediaError, find_media, read_clip, read_strip
from engine.media.pictures import Frames

__all__ = [
    "ClipMedia",
    "FrameCache",
    "Frames",
    "MediaError",
    "find_media",
    "read_clip",
    "read_strip",
]
