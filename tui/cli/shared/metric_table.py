"""Tables of metrics for the eye: every number with its id and formula, and the notes below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tui.look.safe import escape

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from engine.report.tables.report_table import ReportTable
    from engine.results.results import MetricRow


def metric_table(
    columns: Sequence[tuple[str, Sequence[MetricRow]]], digits: int = 3
) -> RenderableType:
    """The same metrics of one or several (head, numbers), each with its spread."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("metric", no_wrap=True)
    for head, rows in columns:
        title = f"{escape(head)}\nn = {rows[0].n:,}"
        table.add_column(title, justify="right", style="bold", no_wrap=True)
        table.add_column("± std", justify="right", no_wrap=True)
    table.add_column("id", no_wrap=True)
    table.add_column("formula", style="dim")
    usual = [rows[0].n for _, rows in columns]
    for line in zip(*(rows for _, rows in columns), strict=True):
        cells = [
            cell for row, n in zip(line, usual, strict=True) for cell in _cells(row, n, digits)
        ]
        table.add_row(line[0].label, *cells, line[0].id, line[0].formula)
    return table


def _cells(row: MetricRow, usual: int, digits: int) -> tuple[str, str]:
    """Value and std; a metric that counts fewer queries than the others says so."""
    if row.n == 0:
        return "–", ""
    places = 2 if abs(row.mean) >= 10 else digits
    few = "" if row.n == usual else f" (n = {row.n:,})"
    # Beside a median, the deviation from the mean would mislead.
    spread = f"{row.std:.{places}f}" if row.is_mean and row.n > 1 else ""
    return f"{row.mean:.{places}f}{few}", spread


class FirstThatFits:
    """The first of several forms of a table that is not wider than the terminal, with its notes;
    the last one if none is. A column that does not fit would lose digits."""

    def __init__(self, *tables: ReportTable) -> None:
        self.tables = tables

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        fitting = (table for table in self.tables if least_width(table) <= options.max_width)
        chosen = next(fitting, self.tables[-1])
        yield painted(chosen)
        yield from note_lines(chosen.notes)


_LEAST_TEXT = 20


def least_width(table: ReportTable) -> int:
    """How wide a painted table is at least: only its last column may wrap."""
    from rich.cells import cell_len

    widths = [
        max(cell_len(text) for text in (column.head, *(str(row[place]) for row in table.rows)))
        for place, column in enumerate(table.columns)
    ]
    widths[-1] = min(widths[-1], _LEAST_TEXT)
    return sum(widths) + 3 * len(widths)


def painted(table: ReportTable) -> RenderableType:
    """A finished table; what is best stands out, the last column may wrap."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    last = len(table.columns) - 1
    for place, column in enumerate(table.columns):
        style = "dim" if place == last else ""
        grid.add_column(
            Text(escape(column.head)), justify=column.align, no_wrap=place != last, style=style
        )
    for row in table.rows:
        grid.add_row(*(Text(escape(str(cell)), style="bold" if cell.best else "") for cell in row))
    return grid


def note_lines(notes: Iterable[str]) -> list[RenderableType]:
    """Notes whose further lines stand under their first."""
    from rich.table import Table
    from rich.text import Text

    lines: list[RenderableType] = []
    for note in notes:
        grid = Table.grid()
        grid.add_row("· ", Text(escape(note), style="yellow"))
        lines.append(grid)
    return lines
