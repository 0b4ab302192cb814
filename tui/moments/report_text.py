"""The small report: recall by k and IoU, the share of every class, and both by length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.base.messages import pluralise
from engine.base.visible import spell_message
from tui.look.glyphs import Glyphs
from tui.moments.signs import WORST_FIRST, find_sign, measure_class
from tui.widgets.line_chart import Series, draw_line_chart
from tui.widgets.lines_view import Line
from tui.work.explained_task import format_metric

if TYPE_CHECKING:
    from engine.moments.failures.failures import Failures
    from engine.moments.failures.task_analysis import LengthBin, TaskAnalysis

_BAR_MOST = 40
_DIGITS = 5
_CELL = 6
_CHART_ROWS = 14


def draw_report(
    report: TaskAnalysis, width: int, glyphs: Glyphs, notes: Sequence[str] = ()
) -> list[Line]:
    """The report for a pane of some width; at its end what is to be said of the files."""
    shares = _share_lines(report.failures, width, glyphs)
    lines = [*_curve_lines(report, width, glyphs), Line(), *shares]
    for title, bins in (
        ("By length of the video", report.by_video),
        ("By length of the moment", report.by_moment if report.task != "VR" else ()),
    ):
        if bins:
            lines += [Line(), *_length_lines(report.failures, title, bins, width, glyphs)]
    if notes:
        lines += [
            Line(),
            _title("Notes"),
            *(Line.of(spell_message(note), hang=2) for note in notes),
        ]
    return lines


def format_per_cent(share: float, glyphs: Glyphs) -> str:
    """
    >>> from tui.look.glyphs import UNICODE
    >>> format_per_cent(0.029, UNICODE), format_per_cent(float("nan"), UNICODE)
    ('2.90', '–')
    >>> format_per_cent(1.0, UNICODE)
    '100.0'
    """
    if math.isnan(share):
        return glyphs.dash
    text = f"{share * 100:.2f}"
    return text if len(text) <= _DIGITS else text[:_DIGITS]


def _curve_lines(report: TaskAnalysis, width: int, glyphs: Glyphs) -> list[Line]:
    curve = report.curve
    count = pluralise(len(report.failures), "query")
    if report.task == "VR":
        lines = [_title(f"{report.task}: R@k, %, {count}")]
        lines.append(Line.of((_row("k", map(str, curve.ks)), "dim")))
        values = (format_per_cent(float(value), glyphs) for value in curve.values[:, 0])
        return [*lines, Line.of(_row("R@k", values))]
    name = 2 + max(len("IoU"), *(len(f"r{k}") for k in curve.ks))
    every = 1 if name + _CELL * len(curve.ious) <= width else 2
    ious, shares = curve.ious[::every], curve.values[:, ::every]
    title = f"{report.task}: R@k by IoU, %, {count}"
    if len(curve.ks) <= len(glyphs.markers):
        series = [
            Series(f"r{k}", tuple(100 * float(value) for value in row))
            for k, row in zip(curve.ks, shares, strict=True)
        ]
        wide = name + _CELL * len(ious)
        return draw_line_chart(
            title,
            ious,
            series,
            wide,
            _CHART_ROWS,
            glyphs,
            upright="%",
            level="IoU",
            spell=lambda value, glyphs: format_per_cent(value / 100, glyphs),
        )
    lines = [_title(title)]
    lines.append(Line.of((_row("IoU", (f"{iou:g} " for iou in ious), name), "dim")))
    for k, row in zip(curve.ks, shares, strict=True):
        texts = (format_per_cent(float(value), glyphs) for value in row)
        lines.append(Line.of(_row(f"  r{k}", texts, name)))
    return lines


def _share_lines(failures: Failures, width: int, glyphs: Glyphs) -> list[Line]:
    from tui.look.score_text import draw_level

    counts, every, task = failures.counts(), failures.shares, failures.judged.task
    wide = measure_class(task)
    room = max(0, min(_BAR_MOST, width - wide - 20))
    lines = [_title(f"Classes at {format_metric(failures)}")]
    for code in WORST_FIRST:
        if code not in failures.possible:
            continue
        shown, count = find_sign(code, task), int(counts[code])
        share = float(every[code])
        text = f"{count:>8,} {format_per_cent(share, glyphs):>6} %  "
        name = f"{shown.word(glyphs):<{wide - (shown.sign_in(glyphs) in '✅❌')}}"
        bar = draw_level(share, room, glyphs)
        lines.append(Line.of((name, shown.kind), text, (bar, shown.kind)))
    return lines


def _length_lines(
    failures: Failures, title: str, bins: Sequence[LengthBin], width: int, glyphs: Glyphs
) -> list[Line]:
    """The share of every class by length: with whole names where the line has room for them, else
    with short ones, and then closer together."""
    task = failures.judged.task
    codes = [code for code in WORST_FIRST if code in failures.possible]
    signs = [find_sign(code, task) for code in codes]
    whole = tuple(zip(*(sign.name.rpartition(" ")[::2] for sign in signs), strict=True))
    short = (tuple(sign.short for sign in signs),)
    shares = [[format_per_cent(float(one.shares[code]), glyphs) for code in codes] for one in bins]
    names, counts = _name_bins(bins), [f"{one.n:,}" for one in bins]
    rows = [(name, count, *cells) for name, count, cells in zip(names, counts, shares, strict=True)]
    heads = [_title(f"{title}: classes at {format_metric(failures)}, %")]
    for words, gap in ((whole, 2), (short, 2), (short, 1)):
        above = [("", "", *line) for line in words[:-1]]
        table = [*above, ("seconds", "queries", *words[-1]), *rows]
        lines = _align(table, gap)
        if len(lines[0]) <= width:
            break
    head = len(above) + 1
    return [
        *heads,
        *(Line.of((line, "dim")) for line in lines[:head]),
        *map(Line.of, lines[head:]),
    ]


def _name_bins(bins: Sequence[LengthBin]) -> list[str]:
    names = []
    for place, one in enumerate(bins):
        last = place + 1 == len(bins) or not bins[place + 1].known
        known = f"{one.low:.1f} to {'' if last else '<'}{one.high:.1f}"
        names.append(known if one.known else "unknown")
    return names


def _align(rows: Sequence[Sequence[str]], gap: int) -> list[str]:
    """Rows as lines of the same length: the first column to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    space = " " * gap
    return [
        space.join(
            (f"{cell:<{wide}}" if place == 0 else f"{cell:>{wide}}")
            for place, (cell, wide) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _title(text: str) -> Line:
    return Line.of((text, "strong"))


def _row(name: str, cells: Iterable[str], width: int = 6) -> str:
    return f"{name:<{width}}" + "".join(f"{cell:>{_CELL}}" for cell in cells)
