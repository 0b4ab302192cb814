"""The lines above the queries: what is listed (and what is said where nothing is), the metric with
its formula, and every class with its share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from engine.base.messages import pluralise
from engine.base.visible import Visible
from engine.moments.failures.classes import HIT
from tui.look.glyphs import Glyphs
from tui.look.safe import escape
from tui.look.score_text import format_value
from tui.moments.query_rows import ORDER_NAMES, Key
from tui.moments.report_text import format_per_cent
from tui.moments.signs import WORST_FIRST, find_sign
from tui.widgets.lines_view import NO_BREAK, Line, TextSpan
from tui.work.explained_task import ExplainedTask

if TYPE_CHECKING:
    from engine.base.arrays import Bools
    from tui.shell.listing import RememberedRows
    from tui.widgets.fitted_rows import Sort

_NARROW, _WIDE = 76, 100
"""Columns from which on the formula is written, and is written in full."""


_FILTER_MOST = 24
"""Characters of a filter beside its recall; the first line has all of them."""


def _hit(explained: ExplainedTask, width: int) -> str:
    """What a hit is, in as many words as there is room for; the classes need the lines."""
    at = explained.at
    if width < _NARROW:
        return ""
    where = "at rank 1" if at.k == 1 else f"in the first {at.k}"
    if at.iou is None:
        return f"with the right video {where}"
    if width < _WIDE or not explained.finds_videos:
        return f"with IoU ≥ {at.iou:g} {where}"
    if explained.task == "VCMR":
        return f"with IoU ≥ {at.iou:g} in the right video, {where}"
    return f"with IoU ≥ {at.iou:g} {where} of the right video"


class Kept(NamedTuple):
    """What a filter keeps: its text, how many queries, and the share of hits among them."""

    text: str
    queries: int
    recall: float

    @classmethod
    def of(cls, text: str, explained: ExplainedTask, kept: Bools) -> Kept:
        count = int(kept.sum())
        hits = int((explained.failures.classes[kept] == HIT).sum())
        return cls(text, count, hits / count if count else math.nan)

    def beside(self, glyphs: Glyphs) -> str:
        """
        >>> from tui.look.glyphs import UNICODE
        >>> Kept("castle", 2_366, 0.1508).beside(UNICODE)
        'castle: 15.1 % of 2,366'
        """
        text = self.text
        if len(text) > _FILTER_MOST:
            text = text[: _FILTER_MOST - 1] + glyphs.ellipsis
        return f"{text}: {format_value(100 * self.recall, glyphs, 1)} % of {self.queries:,}"


def draw_strip(
    explained: ExplainedTask,
    chosen: int | None,
    glyphs: Glyphs,
    width: int,
    kept: Kept | None = None,
) -> list[Line]:
    """Two paragraphs; the chosen class is marked, and what a filter keeps has its recall."""
    failures = explained.failures
    counts, total = failures.counts(), len(failures)
    hits = f"{int(counts[0]):,} / {pluralise(total, 'query')}"
    formula = glyphs.spell(f" = {hits} {_hit(explained, width)}".rstrip())
    value = f"{format_per_cent(failures.recall, glyphs)} %"
    parts: list[str | TextSpan] = [
        (explained.metric, "strong"),
        " ",
        (value, "mark"),
        (formula, "dim"),
    ]
    if kept is not None and kept.queries:
        parts += [
            f" {glyphs.dot} ",
            (Visible(escape(kept.beside(glyphs)).replace(" ", NO_BREAK)), "mark"),
        ]
    metric = Line.of(*parts, hang=2)
    shares: list[str | TextSpan] = []
    for code in WORST_FIRST:
        if code not in failures.possible:
            continue
        shown, count = find_sign(code, explained.task), int(counts[code])
        share = count / total if total else math.nan
        text = f"{shown.beside(glyphs)} {count:,} {format_value(100 * share, glyphs, 1)}%"
        kind = "mark" if code == chosen else shown.kind
        shares += ["  " if shares else "", (Visible(text.replace(" ", NO_BREAK)), kind)]
    return [metric, Line.of(*shares)]


MomentListing: TypeAlias = "RememberedRows[ExplainedTask, Key, int]"


def name_listed(explained: ExplainedTask, listing: MomentListing) -> list[str]:
    """Which queries are listed."""
    listed, count = len(listing.rows), pluralise(len(explained), "query")
    parts = [explained.source.benchmark.upper(), explained.task]
    parts.append(count if listed == len(explained) else f"{listed:,} of {count}")
    if listing.dived is not None:
        parts.append(find_sign(listing.dived, explained.task).name)
    if listing.filter_text:
        parts.append(f"filter {listing.filter_text}")
    return parts


def list_states(explained: ExplainedTask, sort: Sort[Key]) -> list[str]:
    """In which order they are, and what was done to the predictions."""
    nms = explained.source.request.nms
    return [ORDER_NAMES[sort.key][not sort.descending], *([] if nms is None else [f"NMS {nms:g}"])]


def explain_no_rows(explained: ExplainedTask, listing: MomentListing) -> str:
    parts = []
    if listing.dived is not None:
        parts.append(f"is of the class {find_sign(listing.dived, explained.task).name}")
    if listing.filter_text:
        parts.append(f"matches {listing.filter_text}")
    if not parts:
        return "The ground truth has no queries."
    return f"No query {' and '.join(parts)}.\n\nEscape goes one level back, to more queries."
