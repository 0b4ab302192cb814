"""The Evaluate screen: the whole query set, one row per query, the worst first."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar, Protocol, cast

import numpy as np
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from engine.errors import InputError
from engine.query_filter import Filter, written
from engine.query_table import Ints, QueryTable, SortKey
from engine.question import Mode
from engine.selection import Keyword
from tui.commands import bindings
from tui.footer import KeyFooter
from tui.glyphs import Glyphs
from tui.safe import safe
from tui.widgets.evaluation_text import (
    count_text,
    failure_text,
    progress_text,
    sort_text,
    summary,
)
from tui.widgets.frequency import FrequencyTable
from tui.widgets.line_table import LineTable
from tui.widgets.query_rows import QueryRows, Sort, shown_measures, worst_first

FILTER_HELP = 'words  kw:NAME  kw:"TWO WORDS"  Recall@5<0.4  R>=10  -TERM'


class EvaluateHost(Protocol):
    """What this screen needs of the app."""

    glyphs: Glyphs

    def start_evaluation(
        self,
        mode: Mode,
        on_progress: Callable[[int, int], None],
        on_done: Callable[[QueryTable], None],
        on_failed: Callable[[Exception], None],
    ) -> Callable[[], None]:
        """Evaluate in the background and return what cancels it; callbacks come on the UI's
        thread."""
        ...

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        """Go to Inspect with this query, judged by these "group:name" keywords."""
        ...

    def show_inspect(self) -> None: ...

    def query_count(self, mode: Mode) -> int | None:
        """How many queries a run would evaluate; None: not known yet."""
        ...

    @property
    def evaluation_scope(self) -> str:
        """One line: dataset, model, groups."""
        ...


@dataclass(slots=True)
class View:
    """What the screen remembers of one mode.

    current     the row (of the table, not of the screen) that the user was last on
    placed      the row on which a new order or filter put the cursor
    dived_from  the filter, and the keyword, from which the count was dived into
    """

    table: QueryTable | None = None
    scope: str = ""
    sort: Sort | None = None
    filter_text: str = ""
    chosen: Filter = field(default_factory=Filter)
    rows: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    current: int | None = None
    placed: int | None = None
    failure: str = ""
    dived_from: tuple[str, Keyword] | None = None


@dataclass(slots=True, eq=False)
class Running:
    """A run under way; what an earlier one still reports is not listened to."""

    scope: str
    started: float
    cancel: Callable[[], None] = lambda: None
    said: str = ""


class EvaluateScreen(Screen[None]):
    """Runs the query set, shows its table, and opens single queries in Inspect."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("evaluate")
    CSS_PATH = "evaluate.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]  # noqa: RUF012 (as in Screen)

    def __init__(self, mode: Mode = "text") -> None:
        super().__init__()
        self.mode: Mode = mode
        self._views: dict[Mode, View] = {"text": View(), "video": View()}
        self._under_way: Running | None = None
        self._counting = False
        self._filter_before = ""

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="summary", markup=False)
        with Horizontal(id="tables"):
            yield LineTable(id="queries")
            yield FrequencyTable(id="frequency")
        with Horizontal(id="filter-line"):
            yield Static("Filter ", id="filter-label")
            yield Input(id="filter", placeholder=FILTER_HELP, compact=True)
        yield Static(id="filter-note", markup=False)
        yield KeyFooter()

    def on_mount(self) -> None:
        self._queries.focus()
        self._show()

    def on_screen_resume(self) -> None:
        self.scope_changed()

    def on_resize(self) -> None:
        self._tell_summary()

    def scope_changed(self) -> None:
        """The app's model or groups are others; the table says what it was made with."""
        if self.is_mounted:
            self._tell()

    # Parts

    @property
    def _host(self) -> EvaluateHost:
        return cast(EvaluateHost, self.app)

    @property
    def _view(self) -> View:
        return self._views[self.mode]

    @property
    def _queries(self) -> LineTable:
        return self.query_one("#queries", LineTable)

    @property
    def _frequency(self) -> FrequencyTable:
        return self.query_one("#frequency", FrequencyTable)

    @property
    def _filter(self) -> Input:
        return self.query_one("#filter", Input)

    @property
    def _shown(self) -> QueryRows | None:
        source = self._queries.source
        return source if isinstance(source, QueryRows) else None

    @property
    def _filtering(self) -> bool:
        return self.has_class("-filtering")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("run", "toggle_mode"):
            return self._under_way is None
        if action in ("filter", "sort", "reverse", "next_match", "previous_match"):
            return self._view.table is not None and not self._counting
        if action in ("frequency", "write", "dive"):
            return self._view.table is not None
        return True

    # The run

    def action_run(self) -> None:
        run = Running(self._host.evaluation_scope, time.monotonic())
        run.said = "Starting; Escape cancels"
        self._under_way = run
        self._view.failure = ""
        self._tell()
        try:
            run.cancel = self._host.start_evaluation(
                self.mode,
                partial(self._progressed, run),
                partial(self._done, run),
                partial(self._failed, run),
            )
        except InputError as error:
            self._failed(run, error)

    def _progressed(self, run: Running, done: int, total: int) -> None:
        if run is self._under_way:
            seconds = time.monotonic() - run.started
            run.said = progress_text(done, total, seconds, self._host.glyphs)
            self._tell_summary()

    def _done(self, run: Running, table: QueryTable) -> None:
        if run is not self._under_way:
            return
        self._under_way = None
        view = self._view
        if view.table is not None and view.current is not None:
            name, place = view.table.names[view.current], int(view.table.places[view.current])
            view.current = table.row_of(name, place)
        view.table, view.scope = table, run.scope
        self._settle_for(view, table)
        self._show()

    def _settle_for(self, view: View, table: QueryTable) -> None:
        """What was chosen for an earlier table may not exist in this one."""
        if view.sort and not isinstance(view.sort.key, str) and view.sort.key not in table.measures:
            view.sort = None
        try:
            view.chosen = table.parse(view.filter_text)
        except InputError:
            view.filter_text, view.chosen = "", Filter()

    def _failed(self, run: Running, error: Exception) -> None:
        if run is self._under_way:
            self._under_way = None
            self._view.failure = failure_text(error)
            self._tell()

    def action_toggle_mode(self) -> None:
        self._leave_count()
        self._close_filter()
        self.mode = "video" if self.mode == "text" else "text"
        self._show()

    # Order and filter

    def action_sort(self) -> None:
        if self._shown is not None:
            keys = self._shown.keys[:-1]  # the bar is no column of its own
            place = keys.index(self._sort.key) if self._sort.key in keys else -1
            self._sort_by(worst_first(keys[(place + 1) % len(keys)]))

    def action_reverse(self) -> None:
        self._sort_by(self._sort.reversed)

    @on(LineTable.HeaderClicked, "#queries")
    def _sort_by_title(self, event: LineTable.HeaderClicked) -> None:
        if self._shown is not None:
            key: SortKey = self._shown.keys[event.column]
            self._sort_by(self._sort.reversed if key == self._sort.key else worst_first(key))

    @property
    def _sort(self) -> Sort:
        table = self._view.table
        return self._view.sort or (worst_first(table.main) if table else Sort("query"))

    def _sort_by(self, sort: Sort) -> None:
        self._view.sort = sort
        self._show()

    def action_filter(self) -> None:
        self._filter_before = self._view.filter_text
        self.add_class("-filtering")
        self._filter.value = self._view.filter_text
        self._filter.focus()

    @on(Input.Changed, "#filter")
    def _filter_as_typed(self, event: Input.Changed) -> None:
        if self._filtering:
            self._keep_matching(event.value)

    @on(Input.Submitted, "#filter")
    def _take_filter(self, event: Input.Submitted) -> None:
        # A filter that cannot be read stays open, with what is wrong below it.
        if self._view.filter_text == event.value.strip():
            self._close_filter()

    def _close_filter(self) -> None:
        if self._filtering:
            self.remove_class("-filtering")
            self._say_of_filter("")
            self._queries.focus()

    def _keep_matching(self, text: str) -> None:
        """Keep the rows that match; of a text that cannot be read, what stands before the error."""
        view = self._view
        if view.table is None:
            return
        problem = ""
        while True:
            try:
                chosen = view.table.parse(text)
                break
            except InputError as error:
                problem = problem or str(error)
                text = text.strip().rpartition(" ")[0]
        self._say_of_filter(problem)
        view.filter_text, view.chosen, view.dived_from = text.strip(), chosen, None
        self._show()

    def _say_of_filter(self, text: str) -> None:
        note = self.query_one("#filter-note", Static)
        note.update(Content(safe(text)))
        note.display = bool(text)

    # The table

    def _show(self) -> None:
        """Show the mode's rows in its order; the cursor stays on its query."""
        view, table = self._view, self._view.table
        if table is None:
            self._queries.clear()
            self._tell()
            return
        order = table.order(self._sort.key, self._sort.descending)
        view.rows = order[table.matching(view.chosen)[order]]
        places = np.flatnonzero(view.rows == view.current)
        place = int(places[0]) if len(places) else 0
        view.placed = int(view.rows[place]) if len(view.rows) else None
        glyphs, queries = self._host.glyphs, self._queries
        rows = QueryRows(table, view.rows, self._sort, glyphs, lambda: queries.line_width)
        queries.show(rows, place)
        self._tell()

    @on(LineTable.Moved, "#queries")
    def _remember_row(self, event: LineTable.Moved) -> None:
        view = self._view
        if not 0 <= event.row < len(view.rows):
            return
        row = int(view.rows[event.row])
        # A filter that hides the query moves the cursor, but not the user's place.
        if row != view.placed:
            view.current, view.placed = row, None

    def _row(self) -> int | None:
        place = self._queries.cursor
        return int(self._view.rows[place]) if 0 <= place < len(self._view.rows) else None

    def action_next_match(self) -> None:
        self._go_to_imperfect(1)

    def action_previous_match(self) -> None:
        self._go_to_imperfect(-1)

    def _go_to_imperfect(self, step: int) -> None:
        table, view = self._view.table, self._view
        if table is None:
            return
        places = np.flatnonzero(table.imperfect(table.main)[view.rows])
        here = self._queries.cursor
        ahead = places[places > here] if step > 0 else places[places < here][::-1]
        if len(ahead):
            self._queries.cursor = int(ahead[0])
        else:
            where = "below" if step > 0 else "above"
            said = f"No query {where} this row lacks a full {table.label(table.main)}."
            self.notify(said, markup=False)

    def neighbour(self, step: int) -> tuple[Mode, str, tuple[str, ...]] | None:
        """Move the cursor by `step` rows; the query there, or None at an end of the table."""
        place = self._queries.cursor + step
        if self._view.table is None or not 0 <= place < len(self._view.rows):
            return None
        self._queries.cursor = place
        return self._question()

    def _question(self) -> tuple[Mode, str, tuple[str, ...]] | None:
        table, row = self._view.table, self._row()
        if table is None or row is None:
            return None
        # Opening a query is choosing it, even if a filter put the cursor there.
        self._view.current = row
        return self.mode, table.names[row], tuple(map(str, table.keywords(row)))

    # Count, dive, back

    def action_frequency(self) -> None:
        if self._counting:
            self._leave_count()
        else:
            self._count()

    def _count(self, on: Keyword | None = None) -> None:
        table = self._view.table
        if table is None:
            return
        self._counting = True
        self.add_class("-counting")
        self._frequency.count(table, self._view.rows, on)
        self._frequency.focus()
        self._tell()

    def _leave_count(self) -> None:
        if self._counting:
            self._counting = False
            self.remove_class("-counting")
            self._queries.focus()
            self._tell()

    @on(LineTable.Chosen)
    def action_dive(self) -> None:
        if self._counting and self._frequency.has_focus:
            self._dive_into_keyword()
            return
        question = self._question()
        if question is not None:
            self._host.open_query(*question)

    def _dive_into_keyword(self) -> None:
        view, keyword = self._view, self._frequency.keyword
        if keyword is None or view.table is None:
            return
        before = view.filter_text
        self._leave_count()
        self._keep_matching(f"{before} {written(keyword)}".strip())
        view.dived_from = before, keyword

    def action_back(self) -> None:
        """One level back: the filter field, the run, the count, the filter, the screen."""
        view = self._view
        if self._filtering:
            self._keep_matching(self._filter_before)
            self._close_filter()
        elif self._under_way is not None:
            running, self._under_way = self._under_way, None
            running.cancel()
            self._tell()
        elif self._counting:
            self._leave_count()
        elif view.dived_from is not None:
            before, keyword = view.dived_from
            self._keep_matching(before)
            self._count(keyword)
        elif view.filter_text:
            self._keep_matching("")
        else:
            self._host.show_inspect()

    # Write

    def action_write(self) -> None:
        if self._view.table is not None:
            self._write(self._view.table, self._view.rows)

    @work(thread=True, group="write")
    def _write(self, table: QueryTable, rows: Ints) -> None:
        try:
            path = write_rows(table, rows, Path.cwd())
        except OSError as error:
            said = f"Cannot write in {Path.cwd()}: {error.strerror}."
            self.app.call_from_thread(self.notify, safe(said), severity="error", markup=False)
            return
        said = f"{len(rows):,} of {len(table):,} queries written to {path.name}"
        self.app.call_from_thread(self.notify, safe(said), markup=False)

    # What the screen says

    def _tell(self) -> None:
        self._tell_title()
        self._tell_summary()
        self._queries.empty = self._empty_text()
        self.refresh_bindings()

    def _tell_title(self) -> None:
        view, dot = self._view, f" {self._host.glyphs.dot} "
        table = view.table
        parts = []
        if table is not None and self._counting:
            parts = [
                f"Keywords of {count_text(len(view.rows), len(table), self.mode)}",
                f"worst first by mean {table.label(table.main)}",
            ]
        elif table is not None:
            parts = [
                count_text(len(view.rows), len(table), self.mode),
                sort_text(table, self._sort),
            ]
        else:
            parts = [f"{self.mode} queries"]
        if view.filter_text:
            parts.append(f"filter {view.filter_text}")
        scope = view.scope if table is not None else self._host.evaluation_scope
        if table is not None and scope != self._host.evaluation_scope:
            parts.append("made with other settings: r runs it again")
        self.query_one("#title", Static).update(
            Content.assemble(("Evaluate", "bold"), f"{dot}{safe(scope)}\n", safe(dot.join(parts)))
        )

    def _tell_summary(self) -> None:
        line = self.query_one("#summary", Static)
        view = self._view
        line.set_class(bool(view.failure) and self._under_way is None, "-failed")
        if self._under_way is not None:
            line.update(Content(self._under_way.said))
        elif view.failure and view.table is not None:
            line.update(Content(safe(view.failure, keep="\n")))
        elif view.table is not None:
            measures = shown_measures(view.table, self.size.width)
            line.update(summary(view.table, view.rows, measures, self._host.glyphs))
        else:
            line.update("")
        line.display = self._under_way is not None or view.table is not None

    def _empty_text(self) -> str:
        view = self._view
        other = "video" if self.mode == "text" else "text"
        if view.table is not None:
            return (
                f"No query matches {view.filter_text}.\n\n/ changes the filter, Escape clears it."
            )
        if self._under_way is not None:
            return "The table comes when every query is done."
        if view.failure:
            return f"The evaluation stopped.\n\n{view.failure}\n\nr runs it again."
        count = self._host.query_count(self.mode)
        what = f"the whole set of {self.mode} queries" if count is None else f"{count:,} "
        if count is not None:
            what += f"{self.mode} {'query' if count == 1 else 'queries'}"
        return (
            f"Nothing is evaluated yet.\n\nr runs {what} and lists them here, the worst first; "
            f"t changes to {other} queries."
        )


def write_rows(table: QueryTable, rows: Ints, folder: Path) -> Path:
    """Write rows as CSV to a new file in the folder; no file is ever overwritten."""
    model = re.sub(r"[^\w.-]+", "_", table.model).strip("._") or "model"
    stem = f"evaluate-{table.mode}-{model}"
    number = 1
    while True:
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}.csv"
        try:
            with path.open("x", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(table.as_cells(rows))
            return path
        except FileExistsError:
            number += 1
