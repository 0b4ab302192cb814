"""Truth: the moments that queries ask for, as a ground-truth file gives them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts

QueryId: TypeAlias = int | str
"""What a query is called: `desc_id` of TVR, `qid` of QVHighlights."""


TYPES = ("v", "t", "vt")
"""What a description of TVR speaks of: the video, its text (subtitles), or both."""


@dataclass(frozen=True, eq=False)
class MomentTruth:
    """One row per query, in the order of the file.

    videos        the name of the right video
    durations     its length in seconds; NaN where the file does not say
    span_offsets  the spans of query i are spans[span_offsets[i]:span_offsets[i + 1]]
    spans         start and end in seconds, one row per span, float64
    types         per query an index into TYPES; None if the file has no types
    lines         the line of the file, from 1
    notes         what the user should know about the file
    """

    file: Path
    ids: tuple[QueryId, ...]
    texts: tuple[str, ...]
    videos: tuple[str, ...]
    durations: AnyFloats
    span_offsets: AnyInts
    spans: AnyFloats
    types: AnyInts | None
    lines: AnyInts
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def spans_of(self, row: int) -> AnyFloats:
        """The spans of one query, (n, 2)."""
        return self.spans[self.span_offsets[row] : self.span_offsets[row + 1]]

    @cached_property
    def span_counts(self) -> AnyInts:
        return np.diff(self.span_offsets)

    @cached_property
    def moment_lengths(self) -> AnyFloats:
        """Seconds per query: the mean over its spans; NaN for a query without any."""
        queries = np.repeat(np.arange(len(self)), self.span_counts)
        lengths = self.spans[:, 1] - self.spans[:, 0]
        totals = np.bincount(queries, weights=lengths, minlength=len(self))
        means = np.full(len(self), np.nan)
        np.divide(totals, self.span_counts, out=means, where=self.span_counts > 0)
        return means

    @cached_property
    def row_of(self) -> dict[QueryId, int]:
        return {id_: row for row, id_ in enumerate(self.ids)}
