"""The panes of Compare beside its tables: two models in a few lines, and what became of a query."""

from __future__ import annotations

from engine.compare.table import CompareTable
from tui.compare.text import flip_lines
from tui.widgets.lines_view import Line, LinesView


class HeadStrip(LinesView, can_focus=False):
    """The models in a few lines."""

    heights = (1, 8)

    def _wrap(self) -> None:
        if self.scrollable_content_region.width > 0:
            super()._wrap()
        else:  # not laid out yet: the table below must not jump when it is
            self.styles.height = len(self._lines)


class FlipPane(LinesView):
    """What became of the results of the selected query."""

    jump_key = "d"
    pane = "flips"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._query: tuple[CompareTable, int] | None = None

    def show_query(self, table: CompareTable | None, row: int | None) -> None:
        self._query = None if table is None or row is None else (table, row)
        self._draw()

    def fit(self) -> None:
        self._draw()  # ids are cut to the width

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if self._query is None:
            self.show_lines([Line.of(("No query is selected.", "dim"))])
        elif width > 0:
            self.show_lines(flip_lines(*self._query, width, self._glyphs, self._nouns))
