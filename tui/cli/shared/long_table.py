"""Tables of tens of thousands of rows, drawn as Rich draws them, in a fraction of its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tui.cli.shared.metric_table import make_ruled_table

TextRow: TypeAlias = Sequence[Text]


@dataclass(frozen=True)
class LongTable:
    """Rows of one line each, but for the last column, which may wrap.

    heads  of the columns, with a rule below; none: a grid without
    right  places of the columns that stand to the right
    """

    rows: Sequence[TextRow]
    heads: Sequence[str] = ()
    right: frozenset[int] = frozenset()

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[Segment | Table]:
        widths = self._measure(options.max_width)
        if widths is None:
            yield self.as_rich()
            return
        before, after = self._draw_frame(console, options, widths)
        for line in before:
            yield from (*line, Segment.line())
        for row in self.rows:
            yield from self._draw(row, widths, console)
        for line in after:
            yield from (*line, Segment.line())

    def as_rich(self, rows: Sequence[TextRow] | None = None, widths: Sequence[int] = ()) -> Table:
        """The same as a table of Rich, which can make every column narrower."""
        table = make_ruled_table(*self.heads) if self.heads else Table.grid(padding=(0, 2))
        for row in self.rows if rows is None else rows:
            table.add_row(*row)
        for place, column in enumerate(table.columns):
            column.justify = "right" if place in self.right else "left"
            column.width = widths[place] if widths else None
            column.overflow = "fold"  # an ellipsis may take a character that would fit
        return table

    @property
    def _edge(self) -> int:
        return 1 if self.heads else 0

    @property
    def _gap(self) -> int:
        return 3 if self.heads else 2

    def _measure(self, most: int) -> list[int] | None:
        """How wide each column is; None where one but the last would have to be narrower."""
        texts = [self.heads] if self.heads else []
        cells = zip(*texts, *([cell.plain for cell in row] for row in self.rows), strict=True)
        *widths, last = [max(map(cell_len, column)) for column in cells] or [0]
        room = most - 2 * self._edge - sum(widths) - self._gap * len(widths)
        if last > room < max(widths, default=0):
            return None
        return [*widths, min(last, room)]

    def _draw_frame(
        self, console: Console, options: ConsoleOptions, widths: Sequence[int]
    ) -> tuple[list[list[Segment]], list[list[Segment]]]:
        """What stands above the rows, and below."""
        if not self.heads:
            return [], []
        *above, below = console.render_lines(self.as_rich([], widths), options, pad=False)
        return above, [below]

    def _draw(self, row: TextRow, widths: Sequence[int], console: Console) -> Iterator[Segment]:
        at = self._edge
        yield Segment(" " * at)
        *others, last = row
        for place, cell in enumerate(others):
            blank = " " * (widths[place] - cell.cell_len)
            filled = blank + cell.plain if place in self.right else cell.plain + blank
            yield Segment(filled, console.get_style(cell.style))
            yield Segment(" " * self._gap)
            at += widths[place] + self._gap
        style = console.get_style(last.style)
        fits = last.cell_len <= widths[-1]
        for number, line in enumerate([last] if fits else last.wrap(console, widths[-1])):
            yield Segment(" " * at if number else "")
            yield Segment(line.plain.rstrip(), style)
            yield Segment.line()
