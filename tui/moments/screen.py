"""The moment screen: queries by error class, the time line of one, and what the keys do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical

from engine.moments.tasks import HitRule
from tui.dialogs.basic_dialogs import ChoiceDialog, TextPrompt
from tui.keys.commands import list_commands, make_bindings
from tui.keys.footer import KeyFooter
from tui.moments import choices
from tui.moments.detail_text import format_query_line
from tui.moments.query_rows import Key, MomentRows, choose_moment_sort, order_queries
from tui.moments.reading import ReadingScreen
from tui.moments.signs import WORST_FIRST, find_sign
from tui.moments.strip_text import Kept, draw_strip, explain_no_rows, list_states, name_listed
from tui.moments.widgets import MomentDetailPane, PredictionTable, QueryList, ReportPane, Strip
from tui.shell.writing import write_table, write_text
from tui.widgets.line_table import LineTable
from tui.widgets.title_bar import TitleBar
from tui.work.explained_task import ExplainedTask, MomentQuery
from tui.work.moments import build_query_document

if TYPE_CHECKING:
    from engine.base.arrays import Bools, Ints
    from engine.keywords.query_filter import Filter
    from tui.widgets.fitted_rows import Sort

_OF_ROWS = ("next_match", "previous_match", "next_query", "previous_query", "copy")


class MomentsScreen(ReadingScreen):
    """Lists the queries of a class, steps through predictions, changes the metric."""

    CSS_PATH = "moments.tcss"
    BINDINGS: ClassVar[list[BindingType]] = make_bindings("moments")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-normal")]  # noqa: RUF012 (as in Screen)
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (22, "-low"), (30, "-high")]  # noqa: RUF012
    rows_class = MomentRows
    on_a_result = frozenset(one.action for one in list_commands("moments")) - {"read", "back"}

    _haystack: choices.Haystack | None = None
    _kept: Kept | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield Strip(id="strip")
        with Container(id="body", classes="panes"):
            with Vertical(id="queries-pane") as pane:
                pane.border_title = "Queries"
                yield QueryList(id="queries")
            yield MomentDetailPane(id="detail-pane")
            with Vertical(id="report-pane") as pane:
                pane.border_title = "Report"
                yield ReportPane(id="report")
        yield self.filter_field
        yield KeyFooter()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        explained = self.explained
        if action == "read":
            return not self._busy
        if action == "back" or explained is None:
            return super().check_action(action, parameters)
        if action == "filter":
            hidden = self.side and self.has_class("-narrow")  # which shows the report alone
            return not self.filter_field.is_open and not hidden
        if action == "next_task":
            return len(explained.source.tasks) > 1
        if action == "next_iou":
            return explained.has_times and len(choices.list_ious(explained)) > 1
        if action == "open":
            return self.focused is self.queries and self.row is not None
        return action not in _OF_ROWS or self.row is not None

    @property
    def quiet_actions(self) -> tuple[str, ...]:
        """What the footer need not show: reading again is news only while nothing is read."""
        return () if self.explained is None else ("read",)

    # Parts

    @property
    def selected(self) -> MomentQuery | None:
        row = self.row
        return None if self.explained is None or row is None else self.explained.query(row)

    @property
    def predictions(self) -> PredictionTable:
        return self.query_one(PredictionTable)

    @property
    def report_pane(self) -> ReportPane:
        return self.query_one(ReportPane)

    # What is listed

    def _fill_side(self, result: ExplainedTask, on: object = None) -> None:
        if self.side:
            self.report_pane.report(self.service, result)

    def _usual_sort(self, result: ExplainedTask) -> Sort[Key]:
        return choose_moment_sort()

    def _arrangement(self, result: ExplainedTask, sort: Sort[Key]) -> tuple[Ints, Bools]:
        if self._haystack is None or self._haystack.truth is not result.truth:
            self._haystack = choices.Haystack(result.truth)
        listing = self.listing
        kept = self._haystack.matching(listing.filter)
        self._kept = Kept.of(listing.filter_text, result, kept) if listing.filter_text else None
        if listing.dived is not None:
            kept &= result.failures.classes == listing.dived
        return order_queries(result, sort), kept

    def _parsed(self, result: ExplainedTask, text: str) -> Filter:
        return choices.parse_words(text)

    def _faulty(self, result: ExplainedTask, where: str) -> tuple[Bools, str]:
        none = f"Every query {where} this row is a hit, or there is none."
        return result.failures.classes > 0, none

    @property
    def _filter_help(self) -> str:
        return 'words of the text, the id or the video  "two words"  -without'

    def _show_detail(self) -> None:
        self.query_one(MomentDetailPane).show_query(self.selected)
        self.refresh_bindings()

    # What is said

    def _show_title(self) -> None:
        state, file = self.state, self._file_name
        if self.explained is None:
            self.query_one(TitleBar).show(file, state)
            return
        parts = [file, *name_listed(self.explained, self.listing)]
        states = [*filter(None, [state]), *list_states(self.explained, self._sort(self.explained))]
        self.query_one(TitleBar).show(f" {self._glyphs.dot} ".join(parts), *states)

    def _show_summary(self) -> None:
        result, glyphs, width = self.explained, self._glyphs, self.size.width
        chosen = self.listing.dived
        lines = draw_strip(result, chosen, glyphs, width, self._kept) if result else []
        self.query_one(Strip).show_lines(lines)

    def _empty_text(self) -> str:
        if self.explained is None:
            return self._said or self._reading_text
        return explain_no_rows(self.explained, self.listing)

    def say_why_not_judged(self, action: str) -> str:
        return "Moments keep no judgements."

    # Moving

    def action_next_query(self) -> None:
        self.queries.cursor += 1

    def action_previous_query(self) -> None:
        self.queries.cursor -= 1

    @on(LineTable.Chosen, "#queries")
    def action_open(self) -> None:
        self._leave_side()
        self.set_focus(self.predictions)

    def action_choose_class(self) -> None:
        if self.explained is None:
            return
        code = self.listing.dived
        now = choices.ALL_CLASSES if code is None else find_sign(code, self.explained.task).name
        choose = ChoiceDialog("Which queries?", choices.list_class_options(self.explained), now)
        self.app.push_screen(choose, self._use_class)

    def _use_class(self, name: str | None) -> None:
        if name is not None and self.explained is not None:
            names = {find_sign(code, self.explained.task).name: code for code in WORST_FIRST}
            self.listing.dived = names.get(name)
            self.show()

    # Which metric

    def action_next_task(self) -> None:
        if self.explained is not None:
            self.use_task(choices.choose_next_task(self.explained))

    def action_next_iou(self) -> None:
        if self.explained is not None and self.explained.at.iou is not None:
            self.use_metric(choices.choose_next_iou(self.explained))

    def action_next_k(self) -> None:
        if self.explained is not None:
            self.use_metric(choices.choose_next_k(self.explained))

    def action_type_metric(self) -> None:
        if self.explained is None:
            return
        hint = "the least IoU and k, such as 0.6-r20; r20 keeps the IoU"
        ask = TextPrompt("What counts as a hit?", str(self.explained.at), hint, does="takes it")
        self.app.push_screen(ask, self._typed_metric)

    def _typed_metric(self, text: str | None) -> None:
        if text and text.strip():
            self._app.attempt(lambda: self.use_metric(HitRule.parse(text)))

    # The report

    def action_report(self) -> None:
        self._toggle_side("reporting", self.report_pane)

    # Reading, and one level back

    def action_read(self) -> None:
        self.read()

    def _way_back(self) -> Callable[[], object] | None:
        on_a_prediction = isinstance(self.focused, PredictionTable)
        field, side = self.filter_field.is_open, self.side
        if on_a_prediction and not (field or side or self._busy):
            return self._focus_rows
        return super()._way_back()

    def _surface(self, dived: int) -> None:
        self.listing.dived = None
        self.show()

    # Copy and write

    def action_copy(self) -> None:
        if self.selected is not None:
            self.app.copy_to_clipboard(format_query_line(self.selected))
            said = "Copied the query's id, text, video and class. {moments.write} writes to a file."
            self.notify(self._keymap.spell(said), markup=False)

    def action_write(self) -> None:
        if self.explained is None:
            return
        metric, query = self.explained.metric, self.selected
        if self.side:
            text = self.report_pane.text
            write_text(self, f"moments-report-{metric}", ".txt", lambda: text)
        elif isinstance(self.focused, PredictionTable) and query is not None:
            write_text(
                self, f"moment-{query.id}-{metric}", ".json", lambda: build_query_document(query)
            )
        else:
            write_table(self, f"moments-{metric}", self.explained, self.listing.rows)
