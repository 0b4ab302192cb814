"""The lines above the queries: the metric with its formula, and every class with its share."""

from __future__ import annotations

import math

from tui.glyphs import Glyphs
from tui.moments.explained import Explained
from tui.moments.report_text import per_cent
from tui.moments.signs import WORST_FIRST, of_class
from tui.widgets.lines_view import NO_BREAK, Line, Span
from tui.words import counted

_NARROW, _WIDE = 76, 100
"""Columns from which on the formula is written, and is written in full."""


def _short(share: float, glyphs: Glyphs) -> str:
    return glyphs.dash if math.isnan(share) else f"{share * 100:.1f}"


def _hit(explained: Explained, width: int) -> str:
    """What a hit is, in as many words as there is room for; the classes need the lines."""
    at = explained.at
    if width < _NARROW:
        return ""
    if at.iou is None:
        return f"with the right video in the first {at.k}"
    if width < _WIDE:
        return f"with IoU ≥ {at.iou:g} in the first {at.k}"
    if explained.task == "VCMR":
        return f"with IoU ≥ {at.iou:g} in the right video, among the first {at.k}"
    return f"with IoU ≥ {at.iou:g} among the first {at.k} of the right video"


def strip_lines(explained: Explained, chosen: int | None, glyphs: Glyphs, width: int) -> list[Line]:
    """Two paragraphs; the chosen class, if there is one, is marked."""
    failures = explained.failures
    counts, total = failures.counts(), len(failures)
    hits = f"{int(counts[0]):,} / {counted(total, 'query')}"
    formula = glyphs.spell(f" = {hits} {_hit(explained, width)}".rstrip())
    value = f"{per_cent(failures.recall, glyphs)} %"
    metric = Line.of((explained.metric, "strong"), " ", (value, "mark"), (formula, "dim"), hang=2)
    shares: list[str | Span] = []
    for code in WORST_FIRST:
        if code not in failures.possible:
            continue
        shown, count = of_class(code), int(counts[code])
        share = count / total if total else math.nan
        text = f"{shown.beside(glyphs)} {count:,} {_short(share, glyphs)}%"
        kind = "mark" if code == chosen else shown.kind
        shares += ["  " if shares else "", (text.replace(" ", NO_BREAK), kind)]
    return [metric, Line.of(*shares)]
