"""The Compare screen: two models over the same queries, the worst regression first."""

from __future__ import annotations

import time
from functools import partial
from typing import ClassVar

import numpy as np
from textual import on
from textual.binding import BindingType

from engine.base.errors import InputError
from engine.base.progress import Step
from engine.compare import Slice
from engine.compare.table import CompareTable
from engine.keywords.query_filter import Filter
from tui.compare.panes import ComparePanes
from tui.compare.rows import ChangeRows, ChangeSort, wanted_first
from tui.compare.state import Running, View
from tui.compare.text import all_lines
from tui.keys.commands import bindings
from tui.shell.progress_text import failure_text
from tui.widgets.line_table import LineTable
from tui.work.pace import Pace

_ON_ROWS = frozenset("filter sort reverse next_match previous_match".split())
_ON_A_TABLE = frozenset("slices plots all_metrics write dive".split())


class CompareScreen(ComparePanes):
    """Compares two models, shows what changed, and opens single queries in Inspect."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("compare")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "toggle_mode" and len(self._modes) < 2:
            return False
        if action in ("run", "toggle_mode", "choose", "swap"):
            return self._under_way is None and self._models is not None
        if action == "filter" and self._filtering:
            return False  # one types it already
        if action == "dive" and self._plotting and self._plots.has_focus:
            return False  # no row is chosen there
        if action in _ON_ROWS:
            return self._view.table is not None and not (self._slicing or self._plotting)
        if action in _ON_A_TABLE:
            return self._view.table is not None
        return True

    # The run

    def on_mount(self) -> None:  # beside that of the panes: Textual calls both
        self._run_at_once()

    def _run_at_once(self) -> None:
        if self._at_once and self._view.table is None:
            self.action_run()

    def action_run(self) -> None:
        scopes = self._scopes
        if scopes is None:
            return
        run = Running(scopes, time.monotonic())
        self._under_way = run
        self._view.failure = ""
        self._tell()
        try:
            run.cancel = self._host.start_comparison(
                self.mode,
                scopes,
                partial(self._progressed, run),
                partial(self._done, run),
                partial(self._failed, run),
            )
        except InputError as error:
            self._failed(run, error)

    def _progressed(self, run: Running, model: str, step: Step) -> None:
        if run is not self._under_way:
            return
        if model != run.model:
            run.model, run.pace = model, Pace()  # each model goes at its own rate
            self._tell_title()
        run.pace.note(step, time.monotonic())
        self._tell_summary()

    def _done(self, run: Running, table: CompareTable) -> None:
        if run is not self._under_way:
            return
        self._under_way = None
        view = self._view
        if view.table is not None and view.current is not None:
            name, place = view.table.name(view.current), view.table.place(view.current)
            view.current = table.row_of(name, place)
        view.table, view.scopes = table, run.scopes
        _settle(view, table)
        self._show()
        if self._slicing:
            self._slices.show_slices(table, self._slices.slice)
        if self._plotting:
            self._plot()

    def _failed(self, run: Running, error: Exception) -> None:
        if run is self._under_way:
            self._under_way = None
            self._view.failure = failure_text(error)
            self._tell()

    def action_toggle_mode(self) -> None:
        self._leave_pane()
        self._close_filter()
        place = self._modes.index(self.mode)
        self.mode = self._modes[(place + 1) % len(self._modes)]
        self._show()
        self._run_at_once()

    # Models

    def action_choose(self) -> None:
        models = self._models
        if models is None:
            return
        if len(self._host.models) == 2:
            self.action_swap()
            return
        before, after = models

        def chosen(model: str | None) -> None:
            if model == before:
                self._use_models(after, before)
            elif model is not None:
                self._use_models(before, model)

        which = self._nouns.spell("with which model?")
        self._host.choose_model(f"Compare {before} {which}", after, chosen)

    def action_swap(self) -> None:
        if self._models is not None:
            before, after = self._models
            self._use_models(after, before)

    def _use_models(self, before: str, after: str) -> None:
        self._chosen_models = before, after
        self._tell()
        if self._at_once:
            self.action_run()

    # Order and filter

    def action_sort(self) -> None:
        keys = ChangeRows.keys
        key = keys[(keys.index(self._view.sort.key) + 1) % len(keys)]
        self._sort_by(wanted_first(key))

    def action_reverse(self) -> None:
        self._sort_by(self._view.sort.reversed)

    @on(LineTable.HeaderClicked, "#queries")
    def _sort_by_title(self, event: LineTable.HeaderClicked) -> None:
        key, sort = ChangeRows.keys[event.column], self._view.sort
        self._sort_by(sort.reversed if key == sort.key else wanted_first(key))

    def _sort_by(self, sort: ChangeSort) -> None:
        self._view.sort = sort
        self._show()

    @property
    def _filter_text(self) -> str:
        return self._view.filter_text

    @property
    def _main_measure(self) -> str:
        table = self._view.table
        return super()._main_measure if table is None else table.after.label(table.main)

    def _parsed(self, text: str) -> Filter | None:
        return None if self._view.table is None else self._view.table.parse(text)

    def _use_filter(self, text: str, chosen: Filter) -> None:
        self._view.filter_text, self._view.chosen = text, chosen
        self._show()

    def action_next_match(self) -> None:
        self._go_to_worse(1)

    def action_previous_match(self) -> None:
        self._go_to_worse(-1)

    def _go_to_worse(self, step: int) -> None:
        table, view = self._view.table, self._view
        if table is None:
            return
        places = np.flatnonzero(table.regressed[view.rows])
        here = self._queries.cursor
        ahead = places[places > here] if step > 0 else places[places < here][::-1]
        if len(ahead):
            self._queries.cursor = int(ahead[0])
        else:
            where = "below" if step > 0 else "above"
            self.notify(f"No query {where} this row got worse.", markup=False)

    # Slices and plots

    def action_slices(self) -> None:
        if self._slicing:
            self._leave_pane()
        else:
            self._show_slices(self._view.kept or self._slices.slice)

    def _show_slices(self, on: Slice | None) -> None:
        """The slices, with the cursor on one of them."""
        self._leave_pane()
        if self._view.table is not None:
            self.add_class("-slicing")
            self._slices.show_slices(self._view.table, on)
            self.set_focus(self._slices)
            self._tell()

    def action_plots(self) -> None:
        if self._plotting:
            self._leave_pane()
            return
        self._leave_pane()
        self.add_class("-plotting")
        self.set_focus(self._plots)
        self._plot()
        self._tell()

    def _plot(self) -> None:
        table = self._view.table
        if table is not None:
            self._plots.say("Drawing …")
            self._host.start_curves(
                [table.old, table.new], self._plots.show_curves, self._not_plotted
            )

    def _not_plotted(self, error: Exception) -> None:
        self._plots.say(failure_text(error))

    def _leave_pane(self) -> None:
        """Out of the slices or the plots."""
        if self._slicing or self._plotting:
            self.remove_class("-slicing", "-plotting")
            self.set_focus(self._queries)
            self._tell()

    def action_all_metrics(self) -> None:
        from tui.dialogs.dialogs import Shown

        if self._view.table is not None:
            width = min(100, self.size.width * 94 // 100) - 10  # of the dialog's inside
            lines = all_lines(self._view.table, width, self._host.glyphs, self._nouns)
            self.app.push_screen(Shown(self._nouns.spell("Metrics of both models"), lines))

    # Dive, back

    @on(LineTable.Chosen)
    def action_dive(self) -> None:
        if self._slicing and self._slices.has_focus:
            self._keep_slice()
        else:
            self._open()

    def _keep_slice(self) -> None:
        piece = self._slices.slice
        if piece is not None:
            self._leave_pane()
            self._view.kept = piece
            self._show()

    def _open(self) -> bool:
        """Open the query under the cursor."""
        table, row = self._view.table, self._row()
        if table is None or row is None:
            return False
        # Opening a query is choosing it, even if a filter put the cursor there.
        self._view.current = row
        self._host.open_compared(
            (table.before.model, table.after.model),
            self.mode,
            table.name(row),
            tuple(map(str, table.keywords(row))),
        )
        return True

    def open_neighbour(self, step: int) -> bool:
        """Open the query `step` rows further; False at an end of the table."""
        place = self._queries.cursor + step
        if not 0 <= place < len(self._view.rows):
            return False
        self._queries.cursor = place
        return self._open()

    def action_back(self) -> None:
        """One level back: the filter field, the run, slices or plots, the slice that is kept, the
        filter, the screen."""
        view = self._view
        if self._filtering:
            self._leave_filter()
        elif self._under_way is not None:
            running, self._under_way = self._under_way, None
            running.cancel()
            self._tell()
        elif self._slicing or self._plotting:
            self._leave_pane()
        elif view.kept is not None:
            kept, view.kept = view.kept, None
            self._show()
            self._show_slices(kept)
        elif view.filter_text:
            self._keep_matching("")
        else:
            self._host.show_inspect()

    def action_write(self) -> None:
        table = self._view.table
        if table is not None:
            name = f"compare-{table.mode}-{table.before.model}-{table.after.model}"
            self._write_rows(name, table, self._view.rows)


def _settle(view: View, table: CompareTable) -> None:
    """What was chosen for an earlier table may not exist in this one."""
    try:
        view.chosen = table.parse(view.filter_text)
    except InputError:
        view.filter_text, view.chosen = "", Filter()
    if view.kept is not None and view.kept not in {one.slice for one in table.statistics.slices}:
        view.kept = None
