"""How often each keyword stands in the queries shown, and how well those queries do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.base.arrays import Ints
from engine.base.keyword import Keyword
from engine.keywords.query_table import KeywordCount, QueryTable
from tui.evaluate.rows import value_cell
from tui.look.bars import draw_level
from tui.widgets.fitted_rows import FittedRows
from tui.widgets.line_layout import LineCell, LineColumn
from tui.widgets.line_table import LineTable

_BAR = 10


class FrequencyRows(FittedRows[QueryTable, None]):
    """One row per keyword, the worst mean first."""

    rows: Sequence[KeywordCount]

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        mean = f"mean {self.table.label(self.table.main)}"
        return (
            LineColumn(self._nouns.spell("keyword")),
            LineColumn("group", 16),
            LineColumn("queries", 7, right=True),
            LineColumn(mean, len(mean), right=True),
            LineColumn("", 0 if self.table.main.lower_is_better else _BAR),
        )

    def cells(self, row: int) -> Sequence[LineCell]:
        count, main = self.rows[row], self.table.main
        return (
            count.keyword.name,
            (count.keyword.group, "dim"),
            f"{count.queries:,}",
            value_cell(count.mean, self._glyphs, main),
            "" if main.lower_is_better else (draw_level(count.mean, _BAR, self._glyphs), "dim"),
        )


class FrequencyTable(LineTable):
    """The count by keyword; the cursor's keyword can be dived into."""

    def count(self, table: QueryTable, rows: Ints, on: Keyword | None = None) -> None:
        """Count these rows of the table; the cursor goes to the keyword `on`."""
        counts = table.frequency(rows)
        place = next((n for n, count in enumerate(counts) if count.keyword == on), 0)
        shown = FrequencyRows(table, counts, None, self._glyphs, nouns=self._nouns)
        self.show(shown, place)

    @property
    def keyword(self) -> Keyword | None:
        """The keyword under the cursor."""
        source = self.source
        if not isinstance(source, FrequencyRows) or self.cursor < 0:
            return None
        return source.rows[self.cursor].keyword
