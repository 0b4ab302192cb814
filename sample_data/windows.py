"""Guesses of when: windows of a video, scored by how near their clips are to the query."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sample_data.drives import CLIP

Vectors: TypeAlias = NDArray[np.floating]
"""Of any precision: clips are stored in float32, queries in float16."""

Cosines: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """Clips `first` to `last` of a video, the last one included, and what the model gives them."""

    video: int
    first: int
    last: int
    score: float

    @property
    def clips(self) -> int:
        return self.last - self.first + 1

    @property
    def span(self) -> tuple[float, float]:
        """Start and end in seconds."""
        return float(CLIP * self.first), float(CLIP * (self.last + 1))


def similarities(query: Vectors, videos: Vectors) -> Cosines:
    """Cosines of a unit vector with unit rows, in float64: the same digits on any processor."""
    cosines: Cosines = np.einsum("d,nd->n", query.astype(np.float64), videos.astype(np.float64))
    return cosines


def windows_of(video: int, cosines: Cosines, longest: int) -> list[Window]:
    """All windows of up to `longest` clips: score = mean cosine of the clips.

    >>> [round(w.score, 2) for w in windows_of(0, np.array([0.4, 0.6]), 2)]
    [0.4, 0.6, 0.5]
    """
    found = []
    for clips in range(1, min(longest, len(cosines)) + 1):
        means = np.convolve(cosines, np.full(clips, 1 / clips), mode="valid")
        found += [Window(video, i, i + clips - 1, float(m)) for i, m in enumerate(means)]
    return found


def standing_out(windows: Sequence[Window], usual: float) -> list[Window]:
    """The windows scored again: (mean cosine − usual) · √clips.

    A mean alone is always best in a single clip. The root makes a long window that is good
    throughout worth more than its best part.

    >>> round(standing_out([Window(0, 3, 6, 0.5)], usual=0.2)[0].score, 2)
    0.6
    """
    return [replace(w, score=(w.score - usual) * sqrt(w.clips)) for w in windows]


def best_first(windows: Sequence[Window]) -> list[Window]:
    """By score as it is written (four decimals), then by place: no tie is left to chance."""
    return sorted(windows, key=lambda w: (-round(w.score, 4), w.video, w.first, w.last))


def thinned(windows: Sequence[Window], most: int, overlap: float) -> list[Window]:
    """The first `most` that share no more than `overlap` (intersection / union) with one before."""
    kept: list[Window] = []
    for window in windows:
        if len(kept) == most:
            break
        if all(_overlap(window, other) <= overlap for other in kept):
            kept.append(window)
    return kept


def _overlap(a: Window, b: Window) -> float:
    shared = max(0, min(a.last, b.last) - max(a.first, b.first) + 1)
    return shared / (a.clips + b.clips - shared)
