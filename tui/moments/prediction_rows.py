"""The predictions of one query as rows: sign, rank, IoU, times, and a bar on the video's time line.

The ground truth stands above them on the same scale. A prediction in another video has no place on
this scale: its row names the video in place of a bar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from engine.moments.failures.explanation import PredictionDetail, Span
from tui.look.glyphs import Glyphs
from tui.moments.signs import find_sign
from tui.moments.time_line import (
    BLOCKS,
    MOST_TRUTH_LINES,
    PLAIN,
    Part,
    TimeScale,
    arrange_truth,
    draw_ruler,
    draw_span,
    draw_truth,
    find_end,
)
from tui.widgets.fitted_rows import FittedRows
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, ColouredCell, LineCell, LineColumn
from tui.work.explained_task import MomentQuery

_SIGN, _RANK, _IOU = 2, 5, 5
_TIMES_LEAST = 11
_ROOMY = 100
_KINDS = {"inside": "hit", "outside": "miss", "inside-turned": "hit-turned"}
_TRUTH_KINDS = {"inside": "mark", "outside": "mark", "inside-turned": "mark-turned"}


def format_short_seconds(value: float) -> str:
    """A time in one decimal, or without any where it is absurd.

    >>> format_short_seconds(33.81), format_short_seconds(1e9)
    ('33.8', '1e+09')
    """
    return f"{value:.1f}" if abs(value) < 1e5 else f"{value:.3g}"


def format_span(span: Span, dash: str) -> str:
    """
    >>> format_span((33.81, 44.78), "–")
    '33.8–44.8'
    """
    return f"{format_short_seconds(span[0])}{dash}{format_short_seconds(span[1])}"


class PredictionRows(FittedRows[MomentQuery, None]):
    """One query's predictions, best first."""

    def __init__(
        self,
        query: MomentQuery,
        glyphs: Glyphs,
        width: Callable[[], int],
        height: Callable[[], int] = lambda: _ROOMY,
    ) -> None:
        super().__init__(query, range(len(query)), None, glyphs, width)
        self.query = query
        self._height = height
        self._ink = PLAIN if glyphs.has.isascii() else BLOCKS
        self._has_times = query.explained.has_times

    # The time line

    @cached_property
    def _end(self) -> float:
        query = self.query
        return find_end(query.duration, query.spans, query.right_spans)

    @property
    def _times_width(self) -> int:
        """Cells of the times: as many as the longest of the first screens needs."""
        return max([self._longest_times, *map(len, map(self._truth_text, self._truth))])

    @cached_property
    def _longest_times(self) -> int:
        query = self.query
        given = query.explained.predictions
        some = given.spans[given.of(query.row)][:100].tolist()
        texts = (format_span(span, self._glyphs.dash) for span in (*some, *query.spans))
        return max([_TIMES_LEAST, *map(len, texts)])

    @property
    def _scale(self) -> TimeScale:
        fixed = GUTTER + _SIGN + _RANK + _IOU + self._times_width + 4 * COLUMN_GAP
        return TimeScale(self._end, max(0, self._width() - fixed))

    @property
    def _truth(self) -> list[tuple[Span, ...]]:
        """On so few lines that the scale and two predictions have room."""
        if not self._has_times:
            return []
        most = min(max(self._height() - 3, 1), MOST_TRUTH_LINES)
        return arrange_truth(self.query.spans, self._end, most)

    @property
    def pinned(self) -> Sequence[Sequence[LineCell]]:
        """The ground truth: its times and its bars."""
        scale = self._scale
        return [
            (
                "",
                "truth",
                "",
                self._truth_text(spans),
                _painted(draw_truth(spans, scale, self._ink), _TRUTH_KINDS),
            )
            for spans in self._truth
        ]

    def _truth_text(self, spans: Sequence[Span]) -> str:
        """The times of a line's only span, or how many of all stand on it."""
        if len(spans) == 1:
            return format_span(spans[0], self._glyphs.dash)
        every = len(self.query.spans)
        return f"{len(spans)} spans" if len(spans) == every else f"{len(spans)} of {every} spans"

    # Rows

    @property
    def columns(self) -> Sequence[LineColumn]:
        first = LineColumn("", _SIGN), LineColumn("#", _RANK, right=True)
        if not self._has_times:
            return (*first, LineColumn("video", tail=12))
        return (
            *first,
            LineColumn("IoU", _IOU, right=True),
            LineColumn("seconds", self._times_width, right=True),
            LineColumn(draw_ruler(self._scale, self._ink)),
        )

    def cells(self, row: int) -> Sequence[LineCell]:
        found = self.query.prediction(row)
        sign = self._sign(found)
        # One ink for the whole row of another video: it is read last, and costs few bytes.
        quiet = "" if found.right else "dim"
        rank = (f"#{found.rank}" if found.rank else self._glyphs.dash, quiet)
        if not self._has_times:
            return sign, rank, (found.video_text, quiet)
        return (
            sign,
            rank,
            (self._glyphs.dash, "dim")
            if found.iou is None
            else self.query.explained.overlap(found.iou),
            (format_span(found.span, self._glyphs.dash), quiet),
            self._bar(found),
        )

    def _sign(self, found: PredictionDetail) -> LineCell:
        shown = find_sign(found.code)
        return shown.sign_in(self._glyphs), shown.kind if found.right else "dim"

    def _bar(self, found: PredictionDetail) -> LineCell:
        if not found.right:
            return f"in {found.video_text}", "dim"
        return _painted(draw_span(found.span, self.query.spans, self._scale, self._ink), _KINDS)


def _painted(parts: Sequence[Part], kinds: dict[str, str]) -> ColouredCell:
    return ColouredCell(tuple((text, kinds.get(kind, "")) for text, kind in parts))
