"""The moment screen as it is seen: queries, the detail of one, the report, and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Vertical

from tui.keys.footer import KeyFooter
from tui.look.words import counted
from tui.moments.detail_text import prediction_lines, query_lines
from tui.moments.explained import Explained, MomentQuery
from tui.moments.matching import Haystack, parse_words
from tui.moments.prediction_rows import PredictionRows
from tui.moments.query_rows import Key, MomentRows, order_text, ordered, worst_first
from tui.moments.strip_text import Kept, strip_lines
from tui.moments.widgets import Fixed, PredictionTable, QueryTable, ReportPane, Strip
from tui.shell.filter_screen import FilterScreen
from tui.widgets.fitted_rows import Sort
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import Line
from tui.widgets.title_bar import TitleBar
from tui.work.throttle import Throttle

if TYPE_CHECKING:
    from engine.keywords.query_filter import Filter
    from engine.moments.truth import Id, Ints
    from tui.moments.host import MomentsHost

DETAIL_PAUSE = 0.12
"""Seconds between two paintings of the detail while a key is held down."""

FILTER_HELP = 'words of the text, the id or the video  "two words"  -without'


class MomentsPanes(FilterScreen):
    """What is shown; what its keys do is `MomentsScreen`'s."""

    AUTO_FOCUS = "#queries"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-normal")]  # noqa: RUF012 (as in Screen)
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (22, "-low"), (30, "-high")]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.explained: Explained | None = None
        self.order: Sort[Key] = worst_first()
        self.chosen_class: int | None = None
        self.rows: Ints | None = None
        self._text = ""
        self._filter_chosen: Filter | None = None
        self._haystack: Haystack | None = None
        self._kept: Kept | None = None
        self._current: Id | None = None
        self._placed: int | None = None
        self._paint_detail = Throttle(self, DETAIL_PAUSE, self._show_detail)

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield Strip(id="strip")
        with Container(id="body"):
            with Vertical(id="queries-pane"):
                yield QueryTable(self.host.reading_text, id="queries")
            with Vertical(id="detail-pane"):
                yield Fixed(id="about")
                yield PredictionTable("", id="moment")
                yield Fixed(id="chosen")
            with Vertical(id="report-pane"):
                yield ReportPane(id="report")
        yield from self._compose_filter()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#queries-pane").border_title = "Queries"
        self.query_one("#detail-pane").border_title = "Query"
        self.query_one("#report-pane").border_title = "Report"
        self.tell()

    # Parts

    @property
    def host(self) -> MomentsHost:
        return cast("MomentsHost", self.app)

    @property
    def predictions(self) -> PredictionTable:
        return self.query_one(PredictionTable)

    @property
    def report_pane(self) -> ReportPane:
        return self.query_one(ReportPane)

    @property
    def reporting(self) -> bool:
        return self.has_class("-reporting")

    @property
    def row(self) -> int | None:
        """The query under the cursor, as its row of the truth."""
        place = self._queries.cursor
        if self.rows is None or not 0 <= place < len(self.rows):
            return None
        return int(self.rows[place])

    @property
    def selected(self) -> MomentQuery | None:
        row = self.row
        return None if self.explained is None or row is None else self.explained.query(row)

    # The filter's field

    @property
    def _filter_text(self) -> str:
        return self._text

    @property
    def _filter_help(self) -> str:
        return FILTER_HELP

    def _parsed(self, text: str) -> Filter | None:
        return None if self.explained is None else parse_words(text)

    def _use_filter(self, text: str, chosen: Filter) -> None:
        self._text, self._filter_chosen = text, chosen
        self.show()

    # Showing

    def say(self, text: str) -> None:
        """Show a sentence in place of queries."""
        self.explained, self.rows = None, None
        self._queries.empty = text
        self.show()

    def show(self) -> None:
        """The queries of the class and the filter, in order; the cursor stays on its query."""
        import numpy as np

        explained = self.explained
        if explained is None:
            self._queries.clear()
            self.tell()
            return
        if self._haystack is None or self._haystack.truth is not explained.truth:
            self._haystack = Haystack(explained.truth)
        kept = self._haystack.matching(self._filter_chosen)
        self._kept = Kept.of(self._text, explained, kept) if self._text else None
        if self.chosen_class is not None:
            kept &= explained.failures.classes == self.chosen_class
        order = ordered(explained, self.order)
        self.rows = order[kept[order]]
        wanted = None if self._current is None else explained.truth.row_of.get(self._current)
        places = np.flatnonzero(self.rows == (-1 if wanted is None else wanted))
        place = int(places[0]) if len(places) else 0
        self._placed = int(self.rows[place]) if len(self.rows) else None
        queries = self._queries
        queries.empty = self._nothing_listed()
        shown = MomentRows(
            explained, self.rows, self.order, self.host.glyphs, lambda: queries.line_width
        )
        queries.show(shown, place)
        self.tell()

    @on(LineTable.Moved, "#queries")
    def _query_moved(self) -> None:
        row = self.row
        # A filter that hides the query moves the cursor, but not the user's place.
        if row is not None and row != self._placed and self.explained is not None:
            self._current, self._placed = self.explained.truth.ids[row], None
        self._paint_detail()

    def _show_detail(self) -> None:
        found, table = self.selected, self.predictions
        glyphs = self.host.glyphs
        if found is None:
            table.clear()
            self.query_one("#about", Fixed).show_lines([])
        elif table.rows is None or not _same(table.rows.query, found):
            same_query = table.rows is not None and table.rows.query.id == found.id
            table.empty = "The submission has no prediction for this query."
            place = table.cursor if same_query else 0
            rows = PredictionRows(
                found, glyphs, lambda: table.line_width, lambda: table.size.height
            )
            table.show(rows, place)
            self.query_one("#about", Fixed).show_lines(query_lines(found, glyphs))
        self._show_prediction()
        self.refresh_bindings()

    @on(LineTable.Moved, "#moment")
    def _show_prediction(self) -> None:
        rows, place = self.predictions.rows, self.predictions.cursor
        lines: list[Line] = []
        if rows is not None and 0 <= place < len(rows):
            lines = prediction_lines(rows.query, place, self.host.glyphs)
        self.query_one("#chosen", Fixed).show_lines(lines)

    def tell(self) -> None:
        """The lines above the queries, and which keys work."""
        self._tell_title()
        strip = self.query_one(Strip)
        if self.explained is not None:
            strip.show_lines(self._strip_lines(self.explained))
        else:
            strip.show_lines([])
        self.set_class(self.explained is None, "-nothing")
        self.refresh_bindings()

    def _strip_lines(self, explained: Explained) -> list[Line]:
        return strip_lines(
            explained, self.chosen_class, self.host.glyphs, self.size.width, self._kept
        )

    def on_resize(self) -> None:
        if self.explained is not None:
            self.query_one(Strip).show_lines(self._strip_lines(self.explained))

    def _tell_title(self) -> None:
        explained, dot = self.explained, f" {self.host.glyphs.dot} "
        left = self.host.file_name
        if explained is None:
            self.query_one(TitleBar).show(left, self.host.state)
            return
        assert self.rows is not None
        listed, total = len(self.rows), len(explained)
        count = counted(total, "query")
        parts = [left, explained.source.format.upper(), explained.task]
        parts.append(count if listed == total else f"{listed:,} of {count}")
        if self.chosen_class is not None:
            parts.append(self._class_name)
        if self._text:
            parts.append(f"filter {self._text}")
        states = [order_text(self.order)]
        if explained.source.request.nms is not None:
            states.append(f"NMS {explained.source.request.nms:g}")
        if self.host.state:
            states.insert(0, self.host.state)
        self.query_one(TitleBar).show(dot.join(parts), *states)

    @property
    def _class_name(self) -> str:
        """The class that is listed alone; empty: all are."""
        if self.chosen_class is None or self.explained is None:
            return ""
        return self.explained.shown(self.chosen_class).name

    def _nothing_listed(self) -> str:
        parts = []
        if self.chosen_class is not None:
            parts.append(f"is of the class {self._class_name}")
        if self._text:
            parts.append(f"matches {self._text}")
        if not parts:
            return "The ground truth has no queries."
        return f"No query {' and '.join(parts)}.\n\nEscape goes one level back, to more queries."


def _same(one: MomentQuery, other: MomentQuery) -> bool:
    return one.explained is other.explained and one.row == other.row
