"""How the clips of a dataset look, as vectors that can be compared.

    looks = describe_clips(dataset.annotations, collection.truth.ids)
    likeness = looks.vectors @ looks.vectors[row]        # cosine, −1 to 1

`ClipLooks` is a plain value: the vectors of any model that sees the frames fill it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Final

import numpy as np

from engine.base.arrays import Bools, Vectors
from engine.base.progress import ProgressHook, Step
from engine.dataset.annotations.read import Annotations
from engine.media.clip import ClipMedia, DecodeHook, MediaError, find_media, read_media
from engine.media.decoder_process import decode_apart
from engine.media.descriptor import DESCRIPTOR_SIZE, describe_frames, standardise_descriptors
from engine.media.look_cache import LookCache
from engine.media.pictures import Box, FrameRequest, TimeSpan

FRAMES_SEEN: Final = 8
"""Of a clip, its first and last included: enough for what moves, and few to decode."""

BOX_SEEN: Final = Box(96, 96)
"""Which they fit into: twice what the descriptor looks at."""

NOT_ANNOTATED: Final = "not in the annotations"
_STEP = 16  # clips from one report to the next


@dataclass(frozen=True, slots=True)
class LookGap:
    """Why so many clips have no looks, and the first of them."""

    reason: str
    clips: int
    example: str


@dataclass(frozen=True, slots=True, eq=False)
class ClipLooks:
    """How clips look; row i is the i-th clip that was asked for.

    vectors  (n, d): rows of length 1, so that a dot product is a cosine; zero where not known, and
             where a clip looks just like the mean of all
    known    (n,) which clips have looks
    gaps     why the others have none, the most frequent reason first
    """

    vectors: Vectors
    known: Bools
    gaps: tuple[LookGap, ...] = ()


def describe_clips(
    annotations: Annotations,
    clips: Sequence[str],
    report: ProgressHook | None = None,
    decode: DecodeHook = decode_apart,
    cache: LookCache | None = None,
) -> ClipLooks:
    """The looks of clips, named by their ids, from their video or else their gif or webp.

    The vectors are standardised over the clips that are known: see `standardise_descriptors`. A
    clip whose media cannot be read is not known, and never an error. A file that was seen before
    is not decoded again. What `report` raises ends the work, and what was seen so far is kept.
    """
    rows = {clip: row for row, clip in enumerate(annotations.ids)}
    descriptors = np.zeros((len(clips), DESCRIPTOR_SIZE), np.float32)
    known = np.zeros(len(clips), np.bool_)
    gaps: dict[str, LookGap] = {}
    used = LookCache.open() if cache is None else cache
    try:
        for place, clip in enumerate(clips):
            if report is not None and place % _STEP == 0:
                report(Step("", "looks", place, len(clips)))
            try:
                media = _find(annotations, rows, clip)
                descriptors[place] = _describe(media, decode, used)
                known[place] = True
            except MediaError as error:
                before = gaps.get(error.message, LookGap(error.message, 0, clip))
                gaps[error.message] = LookGap(error.message, before.clips + 1, before.example)
        if report is not None:
            report(Step("", "looks", len(clips), len(clips)))
    finally:
        used.close() if cache is None else used.flush()
    descriptors[known] = standardise_descriptors(descriptors[known])
    return ClipLooks(descriptors, known, _order(gaps))


def _find(annotations: Annotations, rows: dict[str, int], clip: str) -> ClipMedia:
    if clip not in rows:
        raise MediaError(NOT_ANNOTATED)
    return find_media(annotations, rows[clip])


def _describe(media: ClipMedia, decode: DecodeHook, cache: LookCache) -> Vectors:
    request = FrameRequest(FRAMES_SEEN, BOX_SEEN, TimeSpan(media.start, media.end))

    def compute(file: BinaryIO) -> Vectors:
        return describe_frames(decode(file, request).pixels)

    return read_media(media, lambda file: cache.complete(file, request, partial(compute, file)))[0]


def _order(gaps: dict[str, LookGap]) -> tuple[LookGap, ...]:
    return tuple(sorted(gaps.values(), key=lambda gap: (-gap.clips, gap.reason)))
