"""The Evaluate screen: the whole query set, one row per query, the worst first."""

from __future__ import annotations

import time
from functools import partial
from typing import ClassVar

import numpy as np
from textual import on
from textual.binding import BindingType

from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.base.mode import Mode
from engine.base.progress import Step
from engine.keywords.evaluated import Evaluated
from engine.keywords.query_filter import Filter, written
from engine.keywords.query_table import QueryTable, SortKey
from tui.evaluate.confusion import EvaluateConfusion
from tui.evaluate.panes import Dived, Running, View
from tui.evaluate.rows import Sort, worst_first
from tui.keys.commands import bindings
from tui.shell.filter_screen import InMode, Writable
from tui.shell.progress_text import failure_text
from tui.widgets.line_table import LineTable


class EvaluateScreen(EvaluateConfusion):
    """Runs the query set, shows its table, and opens single queries in Inspect."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("evaluate")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("run", "toggle_mode"):
            return self._under_way is None
        if action == "filter" and self._filtering:
            return False  # one types it already
        if action in ("sort", "reverse") and self._confusing:
            return self._confusion.shown is not None
        if action in ("filter", "sort", "reverse", "next_match", "previous_match"):
            other = self._counting or self._plotting or self._confusing
            return self._view.table is not None and not other
        if action == "dive" and self._plotting and self._plots.has_focus:
            return False  # no row is chosen there
        if action in ("frequency", "plots", "confusion", "write", "dive"):
            return self._view.table is not None
        return True

    # The run

    def on_mount(self) -> None:  # beside that of the panes: Textual calls both
        self._run_at_once()

    def _run_at_once(self) -> None:
        if self.mode in self._at_once and self._view.table is None:
            self.action_run()

    def action_run(self) -> None:
        run = Running(self._host.evaluation_scope, time.monotonic())
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

    def _progressed(self, run: Running, step: Step) -> None:
        if run is self._under_way:
            run.pace.note(step, time.monotonic())
            self._tell_summary()

    def _done(self, run: Running, evaluated: Evaluated) -> None:
        if run is not self._under_way:
            return
        self._under_way = None
        view, table = self._view, evaluated.table
        if self._nouns.has_labels and view.scope and view.scope.model != run.scope.model:
            view.current = None  # another direction: what is worst there is to be seen first
        if view.table is not None and view.current is not None:
            name, place = view.table.names[view.current], int(view.table.places[view.current])
            view.current = table.row_of(name, place)
        view.evaluated, view.scope = evaluated, run.scope
        self._settle_for(view, table)
        self._show()
        if self._counting:
            self._count(self._frequency.keyword)
        if self._plotting:
            self._plot()
        if self._confusing:
            self._confuse_again()

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
        self._leave_plots()
        self._leave_confusion()
        self._close_filter()
        self.mode = "video" if self.mode == "text" else "text"
        self._show()
        self._run_at_once()

    # Order and filter

    def action_sort(self) -> None:
        if self._confusing:
            self._order_confusion(self._order.next)
        elif self._shown is not None:
            keys = self._shown.keys[:-1]  # the bar is no column of its own
            place = keys.index(self._sort.key) if self._sort.key in keys else -1
            self._sort_by(worst_first(keys[(place + 1) % len(keys)]))

    def action_reverse(self) -> None:
        if self._confusing:
            self._order_confusion(self._order.reversed)
        else:
            self._sort_by(self._sort.reversed)

    @on(LineTable.HeaderClicked, "#queries")
    def _sort_by_title(self, event: LineTable.HeaderClicked) -> None:
        if self._shown is not None:
            key: SortKey = self._shown.keys[event.column]
            self._sort_by(self._sort.reversed if key == self._sort.key else worst_first(key))

    def _sort_by(self, sort: Sort) -> None:
        self._view.sort = sort
        self._show()

    @property
    def _filter_text(self) -> str:
        return self._view.filter_text

    @property
    def _main_measure(self) -> str:
        table = self._view.table
        return super()._main_measure if table is None else table.label(table.main)

    def _parsed(self, text: str) -> Filter | None:
        return None if self._view.table is None else self._view.table.parse(text)

    def _use_filter(self, text: str, chosen: Filter) -> None:
        view = self._view
        view.filter_text, view.chosen, view.dived_from = text, chosen, None
        self._show()

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
        self._leave_plots()
        self._leave_confusion()
        self._counting = True
        self.add_class("-counting")
        self._frequency.count(table, self._view.rows, on)
        self.set_focus(self._frequency)
        self._tell()

    def _leave_count(self) -> None:
        if self._counting:
            self._counting = False
            self.remove_class("-counting")
            self.set_focus(self._queries)
            self._tell()

    def action_confusion(self) -> None:
        if self._confusing:
            self._leave_confusion()
        else:
            self._leave_count()
            self._leave_plots()
            self._confuse()

    # Plots

    def action_plots(self) -> None:
        if self._plotting:
            self._leave_plots()
        else:
            self._leave_count()
            self._leave_confusion()
            self.add_class("-plotting")
            self.set_focus(self._plots)
            self._plot()
            self._tell()

    def _plot(self) -> None:
        evaluated = self._view.evaluated
        if evaluated is not None:
            self._plots.say("Drawing …")
            self._host.start_curves([evaluated], self._plots.show_curves, self._not_plotted)

    def _not_plotted(self, error: Exception) -> None:
        self._plots.say(failure_text(error))

    def _leave_plots(self) -> None:
        if self._plotting:
            self.remove_class("-plotting")
            self.set_focus(self._queries)
            self._tell()

    @on(LineTable.Chosen)
    def action_dive(self) -> None:
        if self._counting and self._frequency.has_focus:
            self._dive_into_keyword()
            return
        if self._confusing:
            keyword = self._confusion.keyword
            if keyword is not None:
                before = self._view.filter_text
                self._dive_into_label(f"{before} {written(keyword)}".strip(), keyword)
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
        view.dived_from = Dived(before, keyword)

    def action_back(self) -> None:
        """One level back: the filter field, the run, the plots, the count or the confusion, the
        filter, the screen."""
        view = self._view
        if self._filtering:
            self._leave_filter()
        elif self._under_way is not None:
            running, self._under_way = self._under_way, None
            running.cancel()
            self._tell()
        elif self._plotting:
            self._leave_plots()
        elif self._counting:
            self._leave_count()
        elif self._confusing:
            self._leave_confusion()
        elif view.dived_from is not None:
            dived = view.dived_from
            self._keep_matching(dived.filter_text)
            if dived.from_confusion:
                self._open_confusion(dived.keyword.group, dived.keyword)
            else:
                self._count(dived.keyword)
        elif view.filter_text:
            self._keep_matching("")
        else:
            self._host.show_inspect()

    # Write

    def action_write(self) -> None:
        table, shown = self._view.table, self._confusion.shown
        mode = self._nouns.spell(self.mode)
        if table is not None and self._confusing and shown is not None:
            name = f"confusion-{shown.confused.group}-{mode}-{table.model}"
            self._write_rows(name, shown.confused, shown.rows, "labels")
        elif table is not None:
            self._write_rows(
                f"evaluate-{mode}-{table.model}", self._as_written(table), self._view.rows
            )

    def _as_written(self, table: QueryTable) -> Writable:
        """Of items, the direction is the mode, as `tui-eval labels --per-query` writes it."""
        evaluated = self._view.evaluated
        if not self._nouns.has_labels or table.mode == "text" or evaluated is None:
            return table
        several = len(evaluated.truth.groups) > 1
        levels = "+".join(evaluated.run.selection.groups)
        return InMode(table, f"{levels}/{table.model}" if several else table.model)
