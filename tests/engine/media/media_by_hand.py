"""Videos, animations and stills, made for the tests, and files that no program would write."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import av
import numpy as np
from PIL import Image

from engine.media.clip import ClipMedia


def shades(count: int, width: int = 64, height: int = 36) -> list[np.ndarray]:
    """Grey pictures that grow brighter: the brightness tells which one was taken."""
    return [
        np.full((height, width, 3), round(255 * i / max(1, count - 1)), np.uint8)
        for i in range(count)
    ]


def video(
    path: Path, pictures: list[np.ndarray], rate: int = 10, gop: int = 12, options: str = ""
) -> Path:
    height, width, _ = pictures[0].shape
    with av.open(str(path), "w", options={"movflags": options} if options else {}) as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.gop_size = gop
        stream.codec_context.options = {"preset": "ultrafast", "crf": "12"}
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


def animation(path: Path, pictures: list[np.ndarray], delay: int = 100) -> Path:
    images = [Image.fromarray(picture) for picture in pictures]
    images[0].save(path, save_all=True, append_images=images[1:], duration=delay, lossless=True)
    return path


def clip(*paths: Path, start: float | None = None, end: float | None = None) -> ClipMedia:
    return ClipMedia("a", paths, start, end)


def png(width: int, height: int, *, rows: int | None = None) -> bytes:
    """A black picture of one bit per pixel; `rows`: so many are there in truth."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    size = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1 + (width + 7) // 8) * (height if rows is None else rows), 1)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def gif(*frames: tuple[int, int], canvas: tuple[int, int] = (1, 1), times: int = 1) -> bytes:
    """Frames of these sizes, each with the data of a single pixel; all of them so many `times`."""
    head = b"GIF89a" + struct.pack("<HHBBB", *canvas, 0x80, 0, 0) + bytes(3) + b"\xff" * 3
    control = b"!\xf9\x04\x00\x0a\x00\x00\x00"
    images = [control + b"," + struct.pack("<HHHHB", 0, 0, *size, 0) for size in frames]
    return head + b"".join(image + b"\x02\x02\x44\x01\x00" for image in images) * times + b";"


def webp(kind: bytes, width: int, height: int) -> bytes:
    """The start of a WebP file of one of the three kinds, and nothing after it."""
    if kind == b"VP8X":
        sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        data = b"\x02\0\0\0" + sizes
    elif kind == b"VP8L":
        data = b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + bytes(5)
    else:
        data = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
    chunk = kind + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def patched(data: bytes, box: bytes, *fields: tuple[int, bytes]) -> bytes:
    """A file with other bytes at these places after the name of a box of MP4."""
    changed = bytearray(data)
    start = data.index(box) + 4
    for place, new in fields:
        changed[start + place : start + place + len(new)] = new
    return bytes(changed)
