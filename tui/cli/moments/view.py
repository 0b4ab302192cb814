"""Moment retrieval for the eye: the official numbers first, then why queries fail and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from engine.base.messages import pluralise
from engine.moments.failures.classes import HIT, NEARLY_RIGHT, RANKED_LOW, WRONG_TIME
from engine.report.moments.document import collect_moment_notes
from engine.report.moments.tables import (
    BENCHMARKS,
    build_curve_table,
    build_highlight_table,
    build_length_tables,
    build_number_tables,
    build_task_table,
    build_type_table,
    write_class_title,
)
from engine.report.tables.report_table import Cell, Column, ReportTable
from tui.cli.shared.metric_table import FirstThatFits, format_notes, paint_table
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from engine.moments.failures.failures import Failures
    from engine.moments.failures.task_analysis import TaskAnalysis
    from engine.moments.moments_source import MomentsSource


def build_moments_view(
    source: MomentsSource,
    official: Mapping[str, Any],
    found: Sequence[TaskAnalysis],
    ascii: bool,
    whole: Mapping[str, Any] | None = None,
) -> list[RenderableType]:
    """The numbers, why queries fail, recall over k and IoU, by length, and the notes.

    whole  the numbers with the predictions that nms drops
    """
    glyphs = ASCII if ascii else UNICODE
    numbers = _numbers(source, official, whole, glyphs)
    parts: list[RenderableType] = [_head(source, official), *numbers]
    if found and len(source.truth):
        parts += _why(found, glyphs)
    return [*parts, *format_notes(collect_moment_notes(source))]


def _head(source: MomentsSource, official: Mapping[str, Any]) -> Text:
    request = source.request
    scored = [*source.tasks, *(["HL"] if build_highlight_table(official) is not None else [])]
    about = f" · {BENCHMARKS[source.benchmark]} · {', '.join(scored)}"
    files = f" · {request.predictions.name} against {request.truth.name}"
    return Text.assemble(
        (pluralise(len(source.truth), "query"), "bold"), escape(about), (escape(files), "dim")
    )


def _numbers(
    source: MomentsSource,
    official: Mapping[str, Any],
    whole: Mapping[str, Any] | None,
    glyphs: Glyphs,
) -> Iterator[RenderableType]:
    for table in build_number_tables(source, official, whole):
        yield from (Text(glyphs.spell(formula), style="dim") for formula in table.notes)
        yield paint_table(_unwrapped(table))
    if source.truth.types is not None and source.tasks:
        ks = source.request.ks
        forms = [
            build_type_table(source, official, chosen, whole) for chosen in (ks, ks[:2], ks[:1])
        ]
        yield _bold(forms[0].caption)
        yield FirstThatFits(*map(_unwrapped, forms))
        yield Text("")


def _why(found: Sequence[TaskAnalysis], glyphs: Glyphs) -> Iterator[RenderableType]:
    yield _bold(write_class_title(found[0].failures))
    yield ClassBars(found[0].failures, glyphs)
    if len(found) > 1:
        yield from _titled(_unwrapped(build_task_table(found)))
    curve = build_curve_table(found)
    if curve is not None:
        yield from _titled(_unwrapped(curve))
    for table in build_length_tables(found):
        yield from _titled(table)


def _titled(table: ReportTable) -> Iterator[RenderableType]:
    yield _bold(table.caption)
    yield paint_table(table)


def _unwrapped(table: ReportTable) -> ReportTable:
    """With an empty last column: the last is dim and may wrap, which no number should."""
    rows = tuple((*row, Cell("")) for row in table.rows)
    return replace(table, columns=(*table.columns, Column("")), rows=rows)


def _bold(text: str) -> Text:
    return Text(escape(text), style="bold")


BAR, SHORT_BAR = 30, 12
WIDE_BARS = 100
"""Columns from which on bars are long."""

_EIGHTHS = "▏▎▍▌▋▊▉"
_STYLES = ("green", "yellow", "yellow", "red", "red")


class ClassBars:
    """A bar for every class, with its share, its queries and what to do about them."""

    def __init__(self, failures: Failures, glyphs: Glyphs) -> None:
        self.failures = failures
        self.glyphs = glyphs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        failures = self.failures
        width = BAR if options.max_width >= WIDE_BARS else SHORT_BAR
        counts, shares = failures.counts().tolist(), failures.shares.tolist()
        grid = Table.grid(padding=(0, 2, 0, 0))
        for justify in ("left", "left", "right", "right"):
            grid.add_column(justify=justify, no_wrap=True)
        grid.add_column(style="dim")
        for code in failures.possible:
            grid.add_row(
                f" {failures.names[code]}",
                Text(
                    draw_share(shares[code], width, self.glyphs).ljust(width), style=_STYLES[code]
                ),
                f"{100 * shares[code]:.2f} %",
                f"{counts[code]:,}",
                self.glyphs.spell(_to_do(failures, code)),
            )
        yield grid
        yield Text("")


def draw_share(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar of at most `width` cells; something is never drawn as nothing.

    >>> from tui.look.glyphs import UNICODE
    >>> draw_share(0.5, 4, UNICODE), draw_share(0.001, 4, UNICODE), draw_share(0.6, 10, ASCII)
    ('██', '▏', '######')
    """
    if share <= 0:
        return ""
    if glyphs is ASCII:
        return glyphs.full_block * max(1, round(share * width))
    whole, eighths = divmod(max(1, round(share * width * 8)), 8)
    return glyphs.full_block * whole + (_EIGHTHS[eighths - 1] if eighths else "")


def _to_do(failures: Failures, code: int) -> str:
    """What the class means for whoever works on the system; short, to fit beside the bar."""
    k, task = failures.at.k, failures.judged.task
    if code == HIT:
        return "right at rank 1" if k == 1 else f"right among the first {k}"
    if code == RANKED_LOW:
        return f"rank better: it is there, after {k}"
    if code == NEARLY_RIGHT:
        return f"fit start and end: IoU from {failures.near:g}"
    if code == WRONG_TIME:
        return f"find the time: IoU below {failures.near:g}"
    if task in ("SVMR", "MR"):
        return "predict: nothing is there for them"
    return "find the video: it is not there"
