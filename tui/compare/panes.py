"""The panes of Compare beside its tables: two models in a few lines, and what became of a query."""

from __future__ import annotations

from engine.compare.table import CompareTable
from tui.compare.text import draw_flips
from tui.widgets.lines_view import LinesView
from tui.widgets.plot_pane import ChartLines


class HeadStrip(LinesView, can_focus=False):
    """The models in a few lines."""

    heights = (1, 8)

    def _wrap(self) -> None:
        if self.scrollable_content_region.width > 0:
            super()._wrap()
        else:  # not laid out yet: the table below must not jump when it is
            self.styles.height = len(self._lines)


class FlipPane(ChartLines):
    """What became of the results of the selected query."""

    jump_key = "d"
    pane = "flips"

    def show_query(self, table: CompareTable | None, row: int | None) -> None:
        if table is None or row is None:
            self.say("No query is selected.")
        else:  # ids are cut to the width
            self.draw(lambda width, _: draw_flips(table, row, width, self._glyphs, self._nouns))
