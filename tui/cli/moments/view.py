"""Moment retrieval for the eye: the official numbers first, then why queries fail and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.report.moments.document import note_moments
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
from tui.cli.moments.class_bars import ClassBars
from tui.cli.shared.metric_table import FirstThatFits, note_lines, painted
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.safe import escape
from tui.look.score_text import pluralise

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from engine.moments.failures.task_analysis import TaskAnalysis
    from engine.moments.moments_source import MomentsSource


def summary_view(
    source: MomentsSource, official: Mapping[str, Any], found: Sequence[TaskAnalysis], ascii: bool
) -> list[RenderableType]:
    """The numbers, why queries fail, recall over k and IoU, by length, and the notes."""
    glyphs = ASCII if ascii else UNICODE
    parts: list[RenderableType] = [_head(source, official), *_numbers(source, official, glyphs)]
    if found and len(source.truth):
        parts += _why(found, glyphs)
    return [*parts, *note_lines(note_moments(source))]


def _head(source: MomentsSource, official: Mapping[str, Any]) -> Text:
    from rich.text import Text

    request = source.request
    scored = [*source.tasks, *(["HL"] if build_highlight_table(official) is not None else [])]
    about = f" · {BENCHMARKS[source.format]} · {', '.join(scored)}"
    files = f" · {request.predictions.name} against {request.truth.name}"
    return Text.assemble(
        (pluralise(len(source.truth), "query"), "bold"), escape(about), (escape(files), "dim")
    )


def _numbers(
    source: MomentsSource, official: Mapping[str, Any], glyphs: Glyphs
) -> Iterator[RenderableType]:
    from rich.text import Text

    for table in build_number_tables(source, official):
        yield from (Text(glyphs.spell(formula), style="dim") for formula in table.notes)
        yield painted(_unwrapped(table))
    if source.truth.types is not None and source.tasks:
        ks = source.request.ks
        forms = [build_type_table(source, official, chosen) for chosen in (ks, ks[:2], ks[:1])]
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
    yield painted(table)


def _unwrapped(table: ReportTable) -> ReportTable:
    """With an empty last column: the last is dim and may wrap, which no number should."""
    rows = tuple((*row, Cell("")) for row in table.rows)
    return replace(table, columns=(*table.columns, Column("")), rows=rows)


def _bold(text: str) -> Text:
    from rich.text import Text

    return Text(escape(text), style="bold")
