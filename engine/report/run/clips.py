"""What a report can show of clips: which keywords they have, and some of their frames."""

from __future__ import annotations

import base64
import io
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.keywords.judge import Breakdown, mark_keywords
from engine.media.clip import MediaError, find_media, read_strip
from engine.results.saved_run import RunFacts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from engine.dataset.dataset import Dataset

FRAMES_PER_CLIP = 3
FRAME_WIDTH, FRAME_HEIGHT = 160, 120
LARGEST_CLIPS_BYTES = 4_000_000
"""Of all pictures of a report, as they stand in it."""
LONGEST_READING = 60.0
"""Seconds for the frames of all clips; thousands take less, unless one is made to last."""
MOST_UNPACKED, USUALLY_UNPACKED = 256_000_000, 8_000_000
"""Pixels of images that are unpacked for the frames of all clips, without the usual ones of each:
a file of some kilobytes can hold seconds of work, and a report asks for hundreds of files."""
_GAP = 3
_QUALITY = 70


@dataclass(frozen=True, slots=True)
class ClipPicture:
    """Frames of a clip side by side, as a data URI."""

    uri: str
    width: int
    height: int
    frames: int


@dataclass
class RunClips:
    """The clips of a dataset; of none (`dataset` is None) nothing is known.

    problem  why nothing can be shown, in words
    frames   whether pictures are wanted
    """

    dataset: Dataset | None = None
    groups: tuple[str, ...] = ()
    problem: str = ""
    frames: bool = True
    most_bytes: int = LARGEST_CLIPS_BYTES
    left_out: int = 0
    _used: int = 0
    _seconds: float = 0.0
    _unpacked: int = 0
    _known: dict[str, ClipPicture | None] = field(default_factory=dict)
    _failures: Counter[str] = field(default_factory=Counter)

    def breakdown(
        self, clip: str, keywords: Sequence[str], score: float, retrieved: bool
    ) -> Breakdown | None:
        """Which of a query's keywords the clip has; None if that is not known."""
        if self.dataset is None:
            return None
        truth = self.dataset.truth
        row = int(truth.rows_of([clip])[0])
        wanted = [Keyword(*word.split(":", 1)) for word in keywords if ":" in word]
        if row < 0 or len(wanted) != len(keywords):
            return None
        own = truth.keywords_of(row)
        others = tuple(w for w in own if w.group in self.groups and w not in wanted)
        return Breakdown(row, score, retrieved, mark_keywords(wanted, own), others)

    def picture(self, clip: str) -> ClipPicture | None:
        """Some frames of a clip, as long as there is room for them."""
        if self.dataset is None or not self.frames:
            return None
        if clip not in self._known:
            self._known[clip] = self._read(self.dataset, clip)
        found = self._known[clip]
        if found is None:
            return None
        if self._used + len(found.uri) > self.most_bytes:
            self.left_out += 1
            return None
        self._used += len(found.uri)
        return found

    def _read(self, dataset: Dataset, clip: str) -> ClipPicture | None:
        row = int(dataset.truth.rows_of([clip])[0])
        if row < 0:
            self._failures["not in the annotations"] += 1
            return None
        if self._seconds > LONGEST_READING:
            self._failures[f"reading those before took more than {LONGEST_READING:g} s"] += 1
            return None
        if self._unpacked > MOST_UNPACKED:
            most = f"{MOST_UNPACKED // 10**6} megapixels"
            self._failures[f"those before had large images, of more than {most} in all"] += 1
            return None
        began = time.monotonic()
        try:
            media = find_media(dataset.annotations, row)
            frames = read_strip(media, FRAMES_PER_CLIP, FRAME_WIDTH, FRAME_HEIGHT)
            self._unpacked += max(0, frames.unpacked - USUALLY_UNPACKED)
            return _encoded(frames.pixels)
        except MediaError as error:
            self._failures[error.message] += 1
            return None
        finally:
            self._seconds += time.monotonic() - began

    @property
    def notes(self) -> list[str]:
        """What is missing and why, one line each; complete once every clip was asked for."""
        notes = [self.problem] if self.problem else []
        for reason, count in sorted(self._failures.items()):
            notes.append(f"{count:,} of {len(self._known):,} clips have no frames: {reason}")
        if self.left_out:
            limit = f"{self.most_bytes / 1e6:g} MB"
            notes.append(f"{self.left_out:,} pictures were left out: all may take {limit} at most")
        return notes


def open_run_clips(
    dataset: Dataset, facts: RunFacts, *, asked: bool, frames: bool = True
) -> RunClips:
    """The clips of a run, if the dataset is the one that it was made from.

    `asked`: the dataset was named for this report. One that only the run's file names must have
    the annotations that the run had, by their sha256: a file from elsewhere opens nothing else.
    """
    from engine.files.input_file import reading_inputs

    expected = facts.input("annotations")
    if expected is None and not asked:
        return make_unknown_clips("the run does not say which annotations it was made from")
    try:
        with reading_inputs(dataset.annotations_file) as files:
            found = files.named({"annotations": dataset.annotations_file})["annotations"]
            if expected is not None and found.sha256 != expected:
                return make_unknown_clips(
                    "the annotations are not those of the run (their sha256 differs)"
                )
            _ = dataset.truth
    except InputError as error:
        file = dataset.annotations_file.name  # where it lies is nobody's business
        return make_unknown_clips(str(error.at(replace(error.place, file=file))))
    return RunClips(dataset, facts.groups or dataset.truth.words.groups, frames=frames)


def make_unknown_clips(reason: str) -> RunClips:
    """Nothing is known of any clip, because of `reason`."""
    return RunClips(problem=f"no frames and no keyword marks: {reason}")


def _encoded(pixels: npt.NDArray[np.uint8]) -> ClipPicture:
    """Frames (n, height, width, 3) side by side, with dark gaps like a film's, as WebP."""
    import numpy as np
    from PIL import Image

    count, height, width, _ = pixels.shape
    strip = np.full((height, count * (width + _GAP) - _GAP, 3), 17, np.uint8)
    for number, frame in enumerate(pixels):
        strip[:, number * (width + _GAP) :][:, :width] = frame
    out = io.BytesIO()
    Image.fromarray(strip).save(out, "WEBP", quality=_QUALITY, method=6)
    text = base64.b64encode(out.getvalue()).decode("ascii")
    return ClipPicture(f"data:image/webp;base64,{text}", strip.shape[1], height, count)
