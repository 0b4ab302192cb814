"""The panes of Evaluate: the table of queries, the count by keyword, and what is said of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from engine.base.arrays import Ints
from engine.base.keyword import Keyword
from engine.base.mode import Mode
from engine.base.progress import Report
from engine.keywords.evaluated import Evaluated
from engine.keywords.query_filter import Filter
from engine.keywords.query_table import QueryTable
from tui.evaluate.confusion_table import ConfusionTable
from tui.evaluate.frequency import FrequencyTable
from tui.evaluate.rows import QueryRows, Sort, shown_measures, worst_first
from tui.evaluate.text import sort_text, summary
from tui.keys.footer import KeyFooter
from tui.look.glyphs import Glyphs
from tui.look.safe import safe
from tui.shell.filter_screen import FilterScreen
from tui.shell.progress_text import count_text, progress_text, starting_text
from tui.widgets.line_table import LineTable
from tui.widgets.plot_pane import PlotPane
from tui.work.pace import Pace
from tui.work.scope import Scope

if TYPE_CHECKING:
    from engine.labels.confused import Confused
    from tui.work.evaluating import Curves

TICK = 1.0
"""Seconds between two looks at a run that has not said anything yet."""


class EvaluateHost(Protocol):
    """What this screen needs of the app."""

    glyphs: Glyphs

    def start_evaluation(
        self,
        mode: Mode,
        on_progress: Report,
        on_done: Callable[[Evaluated], None],
        on_failed: Callable[[Exception], None],
    ) -> Callable[[], None]:
        """Evaluate in the background and return what cancels it; callbacks come on the UI's
        thread."""
        ...

    def start_curves(
        self,
        evaluations: Sequence[Evaluated],
        on_done: Callable[[tuple[Curves, ...]], None],
        on_failed: Callable[[Exception], None],
    ) -> None:
        """Compute in the background what is drawn of them."""
        ...

    def start_confusion(
        self,
        evaluated: Evaluated,
        group: str,
        rows: Ints,
        on_done: Callable[[Confused], None],
        on_failed: Callable[[Exception], None],
    ) -> None:
        """Count in the background which labels these queries retrieved."""
        ...

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        """Go to Inspect with this query, judged by these "group:name" keywords."""
        ...

    def show_inspect(self) -> None: ...

    @property
    def encoder_state(self) -> str:
        """How far the text encoder is: "cold", "warming", "ready" or "failed"."""
        ...

    def query_count(self, mode: Mode) -> int | None:
        """How many queries a run would evaluate; None: not known yet."""
        ...

    @property
    def evaluation_scope(self) -> Scope:
        """What a run would look at now."""
        ...

    @property
    def dataset_name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Dived:
    """The filter before a keyword was dived into, and whether that was in the confusion table."""

    filter_text: str
    keyword: Keyword
    from_confusion: bool = False


@dataclass(slots=True)
class View:
    """What the screen remembers of one mode.

    current     the row (of the table, not of the screen) that the user was last on
    placed      the row on which a new order or filter put the cursor
    dived_from  where the rows shown were dived into from
    """

    evaluated: Evaluated | None = None
    scope: Scope | None = None
    sort: Sort | None = None
    filter_text: str = ""
    chosen: Filter = field(default_factory=Filter)
    rows: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    current: int | None = None
    placed: int | None = None
    failure: str = ""
    dived_from: Dived | None = None

    @property
    def table(self) -> QueryTable | None:
        return None if self.evaluated is None else self.evaluated.table


@dataclass(slots=True, eq=False)
class Running:
    """A run under way; what an earlier one still reports is not listened to."""

    scope: Scope
    started: float
    pace: Pace = field(default_factory=Pace)
    cancel: Callable[[], None] = lambda: None


class EvaluatePanes(FilterScreen):
    """The screen as it is seen; what its keys do is `EvaluateScreen`'s."""

    CSS_PATH = "evaluate.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]  # noqa: RUF012 (as in Screen)

    def __init__(self, mode: Mode = "text", at_once: Sequence[Mode] = ()) -> None:
        """`at_once`: the modes that are evaluated as soon as they are looked at."""
        super().__init__()
        self.mode: Mode = mode
        self._at_once = at_once
        self._views: dict[Mode, View] = {"text": View(), "video": View()}
        self._under_way: Running | None = None
        self._counting = False

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="summary", markup=False)
        with Horizontal(id="tables"):
            yield LineTable(id="queries")
            yield FrequencyTable(id="frequency")
            yield PlotPane(id="plots")
            yield ConfusionTable(id="confusion")
        yield from self._compose_filter()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.set_focus(self._queries)
        self._show()
        self.set_interval(TICK, self._tick)

    def _tick(self) -> None:
        """While nothing is heard of a run, its line still says that time goes by."""
        if self._under_way is not None and self._under_way.pace.step is None and self.is_current:
            self._tell_summary()

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
    def _frequency(self) -> FrequencyTable:
        return self.query_one("#frequency", FrequencyTable)

    @property
    def _plots(self) -> PlotPane:
        return self.query_one("#plots", PlotPane)

    @property
    def _plotting(self) -> bool:
        return self.has_class("-plotting")

    @property
    def _shown(self) -> QueryRows | None:
        source = self._queries.source
        return source if isinstance(source, QueryRows) else None

    @property
    def _sort(self) -> Sort:
        table = self._view.table
        return self._view.sort or (worst_first(table.main) if table else Sort("query"))

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
        rows = QueryRows(
            table, view.rows, self._sort, glyphs, lambda: queries.line_width, self._nouns
        )
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

    def _tell(self) -> None:
        self._tell_title()
        self._tell_summary()
        self._queries.empty = self._empty_text()
        self.refresh_bindings()

    def _tell_title(self) -> None:
        view, dot = self._view, f" {self._host.glyphs.dot} "
        parts = self._title_parts()
        if view.filter_text:
            parts.append(f"filter {view.filter_text}")
        scope = view.scope or self._host.evaluation_scope
        if scope != self._host.evaluation_scope:
            now = self._host.evaluation_scope
            model = f" ({now.model})" if now.model != scope.model else ""
            parts.insert(1, f"made with other settings: r runs it again{model}")
        about = safe(f"{self._host.dataset_name}{dot}{self._host.glyphs.spell(scope.told(dot))}")
        self.query_one("#title", Static).update(
            Content.assemble(("Evaluate", "bold"), f"{dot}{about}\n", safe(dot.join(parts)))
        )

    def _title_parts(self) -> list[str]:
        """What is listed, and in which order."""
        view, table = self._view, self._view.table
        if table is None:
            return [self._nouns.spell(f"{self.mode} queries")]
        count = count_text(len(view.rows), len(table), self.mode, self._nouns)
        if self._counting:
            of_keywords = self._nouns.spell("Keywords of")
            return [f"{of_keywords} {count}", f"worst first by mean {table.label(table.main)}"]
        return [count, sort_text(table, self._sort, self._nouns)]

    def _summary(self) -> Content | None:
        """The numbers of what is listed; None: there are none yet."""
        table = self._view.table
        if table is None:
            return None
        measures, _ = shown_measures(table, self.size.width, self._sort.key)
        return summary(table, self._view.rows, measures, self._host.glyphs, self._nouns)

    def _tell_summary(self) -> None:
        line = self.query_one("#summary", Static)
        view = self._view
        line.set_class(bool(view.failure) and self._under_way is None, "-failed")
        if self._under_way is not None:
            line.update(Content(self._progress(self._under_way)))
        elif view.failure and view.table is not None:
            line.update(Content(safe(view.failure, keep="\n")))
        else:
            line.update(self._summary() or "")
        line.display = self._under_way is not None or view.table is not None

    def _progress(self, run: Running) -> str:
        glyphs = self._host.glyphs
        if run.pace.step is not None:
            # On one line, also at 80 columns: two that come and go would move the table.
            return progress_text(run.pace, glyphs, 20 if self.size.width >= 100 else 8)
        encoder = self._host.encoder_state if self.mode == "text" else "ready"
        return starting_text(time.monotonic() - run.started, encoder, glyphs)

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
        return self._nouns.spell(
            f"Nothing is evaluated yet.\n\nr runs {what} and lists them here, the worst first; "
            f"t changes to {other} queries."
        )
