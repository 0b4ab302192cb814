"""The panes of the moment screen: predictions on a time line, what is said of them, the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from engine.base.messages import fit_message
from tui.keys.commands import make_bindings
from tui.look.glyphs import Glyphs
from tui.moments.detail_text import draw_prediction, draw_query
from tui.moments.prediction_rows import PredictionRows
from tui.widgets.line_layout import LineCell
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import Line, LinesView, TextSpan, wrap
from tui.widgets.plot_pane import ChartLines
from tui.work.explained_task import ExplainedTask, MomentQuery

if TYPE_CHECKING:
    from engine.moments.failures.task_analysis import TaskAnalysis
    from tui.work.moments import MomentsService


class QueryList(LineTable):
    """The queries."""

    jump_key = "q"


class PredictionTable(LineTable):
    """The predictions of a query; its ground truth stays above them."""

    jump_key = "p"
    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("moment")]

    def rows_of(self, query: MomentQuery) -> PredictionRows:
        """A query's predictions, as they fit this table."""
        return PredictionRows(
            query, self._glyphs, lambda: self.line_width, lambda: self.size.height
        )

    @property
    def rows(self) -> PredictionRows | None:
        return self.source if isinstance(self.source, PredictionRows) else None

    @property
    def _pinned(self) -> Sequence[Sequence[LineCell]]:
        return () if self.rows is None else self.rows.pinned

    @property
    def quiet_actions(self) -> tuple[str, ...]:
        """What the footer need not show. The keys are still this pane's: they must not move the
        cursor of the queries where there is nothing to go to."""
        found = self.rows is not None and self.rows.query.right_places
        return () if found else ("next_right", "previous_right")

    def action_next_right(self) -> None:
        self._go_to_right(1)

    def action_previous_right(self) -> None:
        self._go_to_right(-1)

    def _go_to_right(self, step: int) -> None:
        if self.rows is None:
            return
        places = self.rows.query.right_places
        ahead = [place for place in places if (place - self.cursor) * step > 0]
        if ahead:
            self.cursor = min(ahead) if step > 0 else max(ahead)
        else:
            where = "below" if step > 0 else "above"
            self.notify(f"No prediction {where} this one is in the right video.", markup=False)


class FixedLines(LinesView, can_focus=False):
    """Lines in a place of fixed height: where they do not fit, each is cut to one line."""

    @property
    def glyphs(self) -> Glyphs:
        return self._glyphs

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._whole: tuple[Line, ...] = ()

    def show_lines(self, lines: Sequence[Line]) -> None:
        self._whole = tuple(lines)
        self.fit()

    def fit(self) -> None:
        region = self.scrollable_content_region
        if region.width:
            fitting = fit_lines(self._whole, region.width, region.height, self._glyphs.ellipsis)
            super().show_lines(fitting)


def fit_lines(lines: Sequence[Line], width: int, height: int, ellipsis: str) -> list[Line]:
    """Paragraphs that together take at most so many lines: the longest are cut first.

    >>> [line.spans[0][0] for line in fit_lines([Line.of("a long word"), Line.of("b")], 6, 2, "~")]
    ['a lon~', 'b']
    """
    # Of more paragraphs than lines the last stay: they say what counts.
    wrapped = [wrap(line, width) for line in lines[max(0, len(lines) - height) :]]
    while sum(map(len, wrapped)) > height and max(map(len, wrapped)) > 1:
        longest = max(wrapped, key=len)
        del longest[-1]
        longest[-1] = _cut(longest[-1], width, ellipsis)
    return [Line(spans) for parts in wrapped for spans in parts]


def _cut(spans: tuple[TextSpan, ...], width: int, ellipsis: str) -> tuple[TextSpan, ...]:
    """A line that ends in an ellipsis, because more would follow."""
    from rich.cells import cell_len, set_cell_size

    room = width - cell_len(ellipsis)
    kept: list[TextSpan] = []
    for text, kind in spans:
        cells = cell_len(text)
        kept.append((text if cells <= room else set_cell_size(text, max(room, 0)), kind))
        room -= cells
        if room <= 0:
            break
    text, kind = kept[-1]
    kept[-1] = (text.removesuffix(ellipsis).rstrip() + ellipsis, kind)
    return tuple(kept)


class MomentDetailPane(Vertical):
    """One query, its predictions, and what is said of the one under the cursor."""

    BORDER_TITLE = "Query"

    def compose(self) -> ComposeResult:
        yield FixedLines(id="about")
        yield PredictionTable("", id="moment")
        yield FixedLines(id="chosen")

    def show_query(self, query: MomentQuery | None) -> None:
        about, table = self.query_one("#about", FixedLines), self.query_one(PredictionTable)
        shown = None if table.rows is None else table.rows.query
        if query is None:
            table.clear()
            about.show_lines([])
        elif shown is None or (shown.explained, shown.row) != (query.explained, query.row):
            table.empty = "The submission has no prediction for this query."
            place = table.cursor if shown is not None and shown.id == query.id else 0
            table.show(table.rows_of(query), place)
            about.show_lines(draw_query(query, about.glyphs))
        self._show_prediction()

    @on(LineTable.Moved, "#moment")
    def _show_prediction(self) -> None:
        table, chosen = self.query_one(PredictionTable), self.query_one("#chosen", FixedLines)
        rows, place = table.rows, table.cursor
        lines: list[Line] = []
        if rows is not None and 0 <= place < len(rows):
            lines = draw_prediction(rows.query, place, chosen.glyphs)
        chosen.show_lines(lines)


class Strip(LinesView, can_focus=False):
    """The metric with its formula, and the classes with their counts."""

    heights = (2, 4)


class ReportPane(ChartLines):
    """The small report."""

    jump_key = "r"
    pane = "recall"

    def report(self, service: MomentsService, explained: ExplainedTask) -> None:
        """Compute the report for a metric, and show it."""

        def show(report: TaskAnalysis) -> None:
            from tui.moments.report_text import draw_report

            notes = explained.source.notes
            self.draw(lambda width, _: draw_report(report, width, self._glyphs, notes))

        self.say("Computing …")
        service.analyse(explained, show, lambda error: self.say(fit_message(str(error))))
