"""Pictures of GIF, WebP, PNG and JPEG files, with Pillow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

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

if TYPE_CHECKING:
    from PIL.Image import Image

LARGEST_IMAGE_BYTES = 256_000_000  # of an image file; some decoders read it whole
MOST_IMAGE_FRAMES = 5_000  # of an animation
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
    for place, (shot, delay) in enumerate(_frames(file, box)):
        if place % step == 0:
            pictures.add(shot, seconds)
            last = None
        else:
            last = (shot, seconds)
        seconds += delay
        if len(pictures.times) >= 2 * most:
            pictures.thin()
            step *= 2
    if last:
        pictures.add(*last)
    return pictures, seconds


def _frames(file: BinaryIO, box: Box) -> Iterator[tuple[npt.NDArray[np.uint8], float]]:
    """Scaled pictures and how long each is shown; ends where the file ends or breaks."""
    from PIL import Image

    if os.fstat(file.fileno()).st_size > LARGEST_IMAGE_BYTES:
        raise DecodeError("is too large")
    clock = Deadline()
    try:
        image: Image.Image = Image.open(file, formats=("GIF", "WEBP", "PNG", "JPEG"))
    except Image.DecompressionBombError as error:
        raise DecodeError("is too large") from error
    with image:
        check_size(*image.size)
        image.draft("RGB", (2 * box.width, 2 * box.height))
        for place in range(MOST_IMAGE_FRAMES):
            try:
                if place:
                    image.seek(place)
                shot = _scaled(image, box)
            except EOFError:
                return
            except Exception:  # the rest is broken; without any picture the file is
                if place:
                    return
                raise
            delay = float(image.info.get("duration") or 0) / 1000
            yield shot, delay if delay > 0.01 else USUAL_DELAY
            if clock.over or not getattr(image, "is_animated", False):
                return


def _scaled(image: Image, box: Box) -> npt.NDArray[np.uint8]:
    from PIL import Image as Pillow

    # A palette and transparency must go before pixels are averaged.
    if image.mode in ("RGB", "L"):
        flat = image.convert("RGB")
    else:
        colours = image.convert("RGBA")
        flat = Pillow.new("RGB", colours.size)
        flat.paste(colours, mask=colours.getchannel("A"))
    small = flat.resize(box.fit(*flat.size), Pillow.Resampling.BOX)
    return np.asarray(small, dtype=np.uint8)
