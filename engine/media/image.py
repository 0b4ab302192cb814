"""Pictures of GIF, WebP, PNG and JPEG files, with Pillow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from engine.media.pictures import (
    MOST_PIXELS,
    Box,
    Deadline,
    DecodeError,
    Frames,
    PictureCollector,
    TimeSpan,
    check_size,
)

if TYPE_CHECKING:
    from PIL.Image import Image

LARGEST_IMAGE_BYTES = 256_000_000  # of an image file; some decoders read it whole
MOST_WEBP_PIXELS = 24_000_000  # its decoder holds a picture four times
MOST_IMAGE_FRAMES = 5_000  # of an animation
MOST_UNPACKED = 256_000_000  # pixels of an animation, in all; some seconds of work
LARGE_PIXELS = 4_000_000  # from which on a picture is made smaller in bands
FRAMES_KEPT = 512  # pictures of an animation held at a time
USUAL_DELAY = 0.1  # seconds, for an animation that says none, as browsers do


def read_even_frames(file: BinaryIO, span: TimeSpan, count: int, box: Box) -> Frames:
    """`count` pictures spread over the span."""
    pictures = _within(
        span, *_gather(file, max(2 * count, min(FRAMES_KEPT, _affordable(box))), box)
    )
    places = np.linspace(0, len(pictures.times) - 1, min(count, len(pictures.times)))
    return pictures.chosen(places.round().astype(int).tolist()).decoded(1.0)


def read_playable_frames(file: BinaryIO, span: TimeSpan, most: int, box: Box) -> Frames:
    """At most `most` pictures of the span, at even distances."""
    pictures = _within(span, *_gather(file, max(most, min(FRAMES_KEPT, _affordable(box))), box))
    while len(pictures.times) > most:
        pictures.thin()
    return pictures.decoded(1.0)


def _affordable(box: Box) -> int:
    """How many pictures fit into 64 MB, if they are as large as the box."""
    return 64_000_000 // (3 * box.width * box.height)


def _within(span: TimeSpan, pictures: PictureCollector, duration: float) -> PictureCollector:
    if len(pictures.times) < 2:  # a still stands for its whole clip
        return pictures
    start, end = span.within(duration)
    places = [i for i, at in enumerate(pictures.times) if start - 1e-6 <= at < end + 1e-6]
    nearest = int(np.abs(np.asarray(pictures.times) - start).argmin())
    return pictures.chosen(places or [nearest])


def _gather(file: BinaryIO, most: int, box: Box) -> tuple[PictureCollector, float]:
    """The pictures of a file, thinned out whenever they are too many, and its duration.

    How many there are is not known before the end, and a hostile file has no end: what was read
    within the limits counts as the whole.
    """
    pictures = PictureCollector()
    step = 1
    seconds = 0.0
    last: tuple[npt.NDArray[np.uint8], float] | None = None
    for place, (shot, delay, size) in enumerate(_frames(file, box)):
        pictures.unpacked += size
        if place % step == 0:
            pictures.add(shot, seconds)
            last = None
        else:
            last = (shot, seconds)
        seconds += delay
        if len(pictures.times) >= 2 * most:
            pictures.thin()
            step *= 2
        if pictures.unpacked >= MOST_UNPACKED:
            break
    if last:
        pictures.add(*last)
    return pictures, seconds


def _frames(file: BinaryIO, box: Box) -> Iterator[tuple[npt.NDArray[np.uint8], float, int]]:
    """Scaled pictures, how long each is shown, its pixels; ends where the file ends or breaks."""
    clock = Deadline()
    with _open(file) as image:
        image.draft("RGB", (2 * box.width, 2 * box.height))
        for place in range(MOST_IMAGE_FRAMES):
            try:
                if place:
                    image.seek(place)
                    check_size(*image.size)  # a frame may be larger than those before it
                shot = _scaled(image, box)
            except EOFError:
                return
            except Exception:  # the rest is broken; without any picture the file is
                if place:
                    return
                raise
            delay = float(image.info.get("duration") or 0) / 1000
            yield shot, delay if delay > 0.01 else USUAL_DELAY, image.width * image.height
            if clock.over or not getattr(image, "is_animated", False):
                return


def _open(file: BinaryIO) -> Image:
    """Read what an image says of itself; nothing is unpacked before its size is known."""
    from PIL import Image
    from PIL.GifImagePlugin import GifImageFile
    from PIL.JpegImagePlugin import JpegImageFile
    from PIL.PngImagePlugin import PngImageFile
    from PIL.WebPImagePlugin import WebPImageFile

    size = os.fstat(file.fileno()).st_size
    if size > LARGEST_IMAGE_BYTES:
        most = LARGEST_IMAGE_BYTES // 10**6
        raise DecodeError(f"is an image of {size / 1e6:,.0f} MB; at most {most} are read")
    head = file.read(30)
    file.seek(0)
    readers: dict[bytes, Any] = {b"G": GifImageFile, b"\x89": PngImageFile, b"\xff": JpegImageFile}
    if head.startswith(b"RIFF"):  # its reader makes room for pixels when it is made
        check_size(*_read_webp_size(head), MOST_WEBP_PIXELS)
    try:
        image: Image.Image = readers.get(head[:1], WebPImageFile)(file)
    except Image.DecompressionBombError as error:
        most = MOST_PIXELS // 10**6
        raise DecodeError(f"has a frame of more than {most} megapixels") from error
    check_size(*image.size)
    return image


def _read_webp_size(head: bytes) -> tuple[int, int]:
    """Width and height, as the first chunk of a WebP file has them.

    >>> _read_webp_size(b"RIFF????WEBPVP8X\\n\\0\\0\\0????" + b"\\xff\\x3f\\0" + b"\\x07\\0\\0")
    (16384, 8)
    """
    kind, numbers = head[12:16], head[20:].ljust(10, b"\0")
    if kind == b"VP8X":
        return int.from_bytes(numbers[4:7], "little") + 1, int.from_bytes(numbers[7:], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(numbers[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = (int.from_bytes(numbers[at : at + 2], "little") for at in (6, 8))
    return width & 0x3FFF, height & 0x3FFF


def _scaled(image: Image, box: Box) -> npt.NDArray[np.uint8]:
    from PIL import Image as Pillow

    width, height = box.fit(*image.size)
    factor = min(image.width // (2 * width), image.height // (2 * height))
    is_large = image.width * image.height > LARGE_PIXELS and factor > 1
    flat = _reduced(image, factor) if is_large else _flat(image)
    return np.asarray(flat.resize((width, height), Pillow.Resampling.BOX), dtype=np.uint8)


def _flat(image: Image) -> Image:
    """Colours only: a palette and transparency must go before pixels are averaged."""
    from PIL import Image as Pillow

    if image.mode in ("RGB", "L"):
        return image.convert("RGB")
    colours = image.convert("RGBA")
    flat = Pillow.new("RGB", colours.size)
    flat.paste(colours, mask=colours.getchannel("A"))
    return flat


def _reduced(image: Image, factor: int) -> Image:
    """As `_flat`, smaller by a factor, in bands: the whole would be copied up to three times."""
    from PIL import Image as Pillow

    image.load()
    width, height = image.size
    small = Pillow.new("RGB", (-(-width // factor), -(-height // factor)))
    rows = factor * max(1, LARGE_PIXELS // (4 * factor * width))
    for top in range(0, height, rows):
        band = image.crop((0, top, width, min(height, top + rows)))
        small.paste(_flat(band).reduce(factor), (0, top // factor))
    return small
