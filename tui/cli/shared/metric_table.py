"""Tables for the eye, painted alike: those of metrics, every number with its id and formula,
finished ones, and the notes below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text

from engine.base.visible import spell_hidden
from tui.cli.shared.confusion import draw_confusions
from tui.look.safe import escape

if TYPE_CHECKING:
    from engine.report.tables.report_table import ReportTable
    from engine.results.results import MetricRow


fixed = partial(Column, no_wrap=True)
number = partial(Column, no_wrap=True, justify="right")
folded = partial(Column, overflow="fold")
"""Columns that never wrap, that hold numbers, and that lose no character where they wrap."""


def make_ruled_table(*columns: Column | str, **more: Any) -> Table:
    """A table with a rule below its head."""
    return Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False, **more)


def build_headline(what: str, more: str) -> Text:
    """What a table is about, and what else is to be said of it."""
    return Text.assemble((escape(what), "bold"), escape(more))


def build_scores_view(
    head: Text,
    columns: Sequence[tuple[str, Sequence[MetricRow]]],
    notes: Sequence[str],
    *,
    digits: int = 3,
    ascii: bool = False,
) -> list[RenderableType]:
    """What was scored, its numbers with id and formula, pictures of their counts, the notes."""
    every = [row for _, rows in columns for row in rows]
    pictures = draw_confusions(every, ascii=ascii)
    gap = [Text("")] if pictures else []
    above = format_notes(_say_above(columns), style="dim")
    table = build_metric_table(columns, digits)
    return [head, table, *pictures, *gap, *above, *format_notes(notes)]


def build_metric_table(
    columns: Sequence[tuple[str, Sequence[MetricRow]]], digits: int = 3
) -> RenderableType:
    """The same metrics of one or several (head, numbers), each with its spread and chance; side by
    side where the formulas have room beside them, else one table below the other."""
    if len(columns) == 1 or all(math.isnan(row.chance) for _, rows in columns for row in rows):
        return _make_metric_table(columns, digits)
    return _SideBySide(columns, digits)


_LEAST_FORMULA = 24


class _SideBySide:
    """Columns side by side, or one table for each where the terminal is too narrow."""

    def __init__(self, columns: Sequence[tuple[str, Sequence[MetricRow]]], digits: int) -> None:
        self.columns, self.digits = columns, digits

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bare = _make_metric_table(self.columns, self.digits, formulas=False)
        if bare.__rich_measure__(console, options.update(max_width=1000)).maximum <= (
            options.max_width - _LEAST_FORMULA
        ):
            yield _make_metric_table(self.columns, self.digits)
            return
        for column in self.columns:
            yield _make_metric_table([column], self.digits)


def _make_metric_table(
    columns: Sequence[tuple[str, Sequence[MetricRow]]], digits: int, *, formulas: bool = True
) -> Table:
    heads, with_chance = [fixed("metric")], []
    for head, rows in columns:
        heads += [number(f"{escape(head)}\nn = {rows[0].n:,}", style="bold"), number("± std")]
        with_chance.append(any(not math.isnan(row.chance) for row in rows))
        heads += [number("chance")] if with_chance[-1] else []
    heads += [fixed("id"), *([Column("formula", style="dim")] if formulas else [])]
    table = make_ruled_table(*heads)
    usual = [rows[0].n for _, rows in columns]
    for line in zip(*(rows for _, rows in columns), strict=True):
        cells: list[str | Text] = []
        for row, n, chance in zip(line, usual, with_chance, strict=True):
            cells += _cells(row, n, digits)
            cells += [_chance_cell(row, digits)] if chance else []
        formula = [line[0].formula] if formulas else []
        table.add_row(line[0].label, *cells, line[0].id, *formula)
    return table


def _cells(row: MetricRow, usual: int, digits: int) -> tuple[str, str]:
    """Value and std; a metric that counts fewer queries than the others says so."""
    if row.n == 0:
        return "–", ""
    few = "" if row.n == usual else f" (n = {row.n:,})"
    # Beside a median, the deviation from the mean would mislead.
    spread = f"{row.std:.{_places(row, digits)}f}" if row.is_mean and row.n > 1 else ""
    return f"{row.mean:.{_places(row, digits)}f}{few}", spread


def _chance_cell(row: MetricRow, digits: int) -> Text:
    """What is not above chance stands out; a note says so in words."""
    if math.isnan(row.chance) or row.n == 0:
        return Text("–")
    return Text(
        f"{row.chance:.{_places(row, digits)}f}",
        style="yellow" if row.above_chance is False else "dim",
    )


def _places(row: MetricRow, digits: int) -> int:
    return 2 if abs(row.mean) >= 10 else digits


def _say_above(columns: Sequence[tuple[str, Sequence[MetricRow]]]) -> list[str]:
    """Where every metric that was tested is above chance, and how sure that is; those that are not
    stand in a note."""
    lines = []
    for head, rows in columns:
        tested = [row for row in rows if row.above_chance is not None]
        if tested and all(row.above_chance for row in tested):
            most = format_most_p(max(row.chance_p for row in tested))
            rest = ", ".join(row.label for row in rows if row.above_chance is None)
            every = "every tested metric" if rest else "every metric"
            untested = f"; not tested: {rest}" if rest else ""
            lines.append(f"{head}: {every} is above chance (p {most}){untested}")
    return lines


def format_most_p(p: float) -> str:
    """
    >>> format_most_p(0.002), format_most_p(0.0213)
    ('≤ 0.002', '≤ 0.022')
    """
    return f"≤ {math.ceil(round(p * 1000, 6)) / 1000:g}"


class FirstThatFits:
    """The first of several forms of a table that is not wider than the terminal, with its notes;
    the last one if none is, or what is said `otherwise`. A column that does not fit would lose
    digits."""

    def __init__(self, *tables: ReportTable, head: Text | None = None, otherwise: str = "") -> None:
        self.tables, self.head, self.otherwise = tables, head, otherwise

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        fitting = (
            table for table in self.tables if measure_least_width(table) <= options.max_width
        )
        chosen = next(fitting, None if self.otherwise else self.tables[-1])
        if chosen is None:
            yield from format_notes([self.otherwise])
            return
        if self.head is not None:
            yield self.head
        yield paint_table(chosen)
        yield from format_notes(chosen.notes)


_LEAST_TEXT = 20


def measure_least_width(table: ReportTable) -> int:
    """How wide a painted table is at least: only its last column may wrap."""
    widths = [
        max(cell_len(text) for text in (column.head, *(str(row[place]) for row in table.rows)))
        for place, column in enumerate(table.columns)
    ]
    widths[-1] = min(widths[-1], _LEAST_TEXT)
    return sum(widths) + 3 * len(widths)


def paint_table(table: ReportTable) -> RenderableType:
    """A finished table; what is best stands out, the last column may wrap."""
    *others, last = (partial(Column, Text(escape(c.head)), justify=c.align) for c in table.columns)
    grid = make_ruled_table(*(column(no_wrap=True) for column in others), last(style="dim"))
    for row in table.rows:
        grid.add_row(*(Text(escape(str(cell)), style="bold" if cell.best else "") for cell in row))
    return grid


def format_notes(notes: Sequence[str], style: str = "yellow") -> list[RenderableType]:
    """Notes whose further lines stand under their first."""
    lines = [Table.grid() for _ in notes]
    for line, note in zip(lines, notes, strict=True):
        line.add_row("· ", Text(spell_hidden(note), style=style))
    return [*lines]
