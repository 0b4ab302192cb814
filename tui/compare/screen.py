"""The Compare screen: two models over the same queries, the worst regression first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Protocol, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from engine.base.arrays import Bools, Ints
from engine.base.choices import Mode
from engine.compare import Slice
from engine.compare.saved_side import SavedSide
from engine.compare.table import CHANGE_KEYS, ChangeKey, CompareTable
from engine.keywords.evaluated_run import EvaluatedRun
from engine.sessions import TableView
from tui.compare.panes import FlipPane, HeadStrip
from tui.compare.rows import (
    ChangeRows,
    SliceRows,
    choose_change_sort,
    describe_change_order,
    title_slice,
)
from tui.compare.text import describe_count, draw_head, draw_metrics
from tui.keys.commands import make_bindings
from tui.keys.footer import KeyFooter
from tui.shell.run_screen import RunHost, RunScreen
from tui.shell.work_line import Work
from tui.shell.writing import write_table
from tui.widgets.fitted_rows import Sort, SubjectTable
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import Line
from tui.widgets.plot_pane import PlotPane
from tui.work.scope import Scope

ONE_MODEL = (
    "This dataset has one model, and a comparison needs two.\n\n"
    "Add another to its dataset.toml, or write one if it has none:\n\n"
    '[models.NAME]\nembeddings = "FILE.npz"\n\n'
    "Saved runs of two models need none: tui-eval compare A B --inspect"
)
ONE_DIRECTION = (
    "There is one direction, and a comparison needs two.\n\n"
    "Start with the second modality as well: give --text-embeddings FILE."
)


class CompareHost(RunHost, Protocol):
    """What the Compare screen needs of the app."""

    @property
    def models(self) -> tuple[str, ...]: ...

    def other_model(self, model: str) -> str | None: ...

    def choose_model(self, title: str, now: str, chosen: Callable[[str | None], None]) -> None: ...

    def open_compared(
        self, models: tuple[str, str], mode: Mode, query: str, keywords: tuple[str, ...]
    ) -> None:
        """Go to Inspect with this query of the second model, held against the first."""


class CompareScreen(RunScreen[CompareTable, ChangeKey, Slice]):
    """Compares two models, shows what changed, and opens single queries in Inspect."""

    CSS_PATH = "compare.tcss"
    BINDINGS: ClassVar[list[BindingType]] = make_bindings("compare")
    heading = "Compare"
    place_name = "compare"
    metrics_heading = "Metrics of both models"
    rows_class = ChangeRows
    on_a_result = frozenset("slices plots all_metrics write dive mark_bias note clear_mark".split())

    _chosen_models: tuple[str, str] | None = None
    _asked_then = ""

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield HeadStrip(id="head")
        yield self.work_line
        with Horizontal(id="tables", classes="panes"):
            yield LineTable(id="queries")
            # The frame is the pane's, so that a changed line is sent without it.
            with Vertical(id="flips-pane"):
                yield FlipPane(id="flips")
            yield SubjectTable(id="slices")
            yield PlotPane(id="plots")
        yield self.filter_field
        yield KeyFooter()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("choose", "swap"):
            action = "run"  # possible as long as a run is
        return super().check_action(action, parameters)

    # Parts

    @property
    def host(self) -> CompareHost:
        return cast("CompareHost", self._run_host)

    @property
    def slices(self) -> SubjectTable:
        return self.query_one("#slices", SubjectTable)

    # Models

    @property
    def _models(self) -> tuple[str, str] | None:
        """Before and after: as chosen, else the model that is asked and the one it is held
        against, in the order of the dataset. None: there is one model only."""
        asked, models = self.host.evaluation_scope.model, self.host.models
        other = self.host.other_model(asked)
        if other is None:
            return None
        fresh = asked != self._asked_then
        self._asked_then = asked
        if self._chosen_models is None or (fresh and asked not in self._chosen_models):
            first, second = sorted((asked, other), key=models.index)
            self._chosen_models = first, second
        return self._chosen_models

    @property
    def _scope(self) -> Scope | None:
        """What both models share, with the names of both."""
        if self._models is None:
            return None
        both = f" {self._glyphs.arrow} ".join(self._models)
        return replace(self.host.evaluation_scope.of_mode(self.mode), model=both)

    def action_choose(self) -> None:
        if self._models is None or len(self.host.models) == 2:
            self.action_swap()
            return
        before, after = self._models

        def chosen(model: str | None) -> None:
            if model == before:
                self._use_models(after, before)
            elif model is not None:
                self._use_models(before, model)

        which = self._nouns.spell("with which model?")
        self.host.choose_model(f"Compare {before} {which}", after, chosen)

    def action_swap(self) -> None:
        if self._models is not None:
            before, after = self._models
            self._use_models(after, before)

    def _use_models(self, before: str, after: str) -> None:
        self._chosen_models = before, after
        self.show_state()
        if self.mode in self._at_once:
            self._begin_run(kept=True)

    # The run and its rows

    def _run(self, scope: Scope, kept: bool) -> tuple[Work, Callable[..., Callable[[], None]]]:
        assert self._models is not None  # else there is no scope
        compare = self.host.services.evaluations.compare
        start = partial(compare, self.mode, self._both(scope), kept=kept)
        return Work(scope, self._models), start

    def _recall(
        self,
        scope: Scope,
        done: Callable[[CompareTable | None], None],
        failed: Callable[[Exception], None],
    ) -> None:
        recall = self.host.services.evaluations.recall_comparison
        recall(self.mode, self._both(scope), done, failed)

    def _both(self, scope: Scope) -> tuple[Scope, Scope]:
        """The scope of the model before, and that of the model after."""
        assert self._models is not None  # else there is no scope
        before, after = (replace(scope, model=model) for model in self._models)
        return before, after

    def _sort_keys(self, result: CompareTable) -> Sequence[ChangeKey]:
        return CHANGE_KEYS

    def _table_view(self) -> TableView:
        return replace(super()._table_view(), models=self._models)

    def take_up(self, table: TableView) -> None:
        super().take_up(table)
        chosen = tuple(name for name in table.models or () if name in self.host.models)
        if len(set(chosen)) == 2 == len(chosen):
            self._chosen_models = chosen[0], chosen[1]
            self._asked_then = self.host.evaluation_scope.model

    def _settle(self, result: CompareTable) -> None:
        if self.listing.dived not in {one.slice for one in result.statistics.slices}:
            self.listing.dived = None

    def _usual_sort(self, result: CompareTable) -> Sort[ChangeKey]:
        return choose_change_sort("change")

    def _arrangement(self, result: CompareTable, sort: Sort[ChangeKey]) -> tuple[Ints, Bools]:
        order, kept = super()._arrangement(result, sort)
        dived = self.listing.dived
        return order, kept if dived is None else kept & result.within(dived)

    def _faulty(self, result: CompareTable, where: str) -> tuple[Bools, str]:
        return result.regressed, f"No query {where} this row got worse."

    def _evaluations(self, result: CompareTable) -> Sequence[EvaluatedRun | SavedSide]:
        return [result.old, result.new]

    def _judged_scope(self, result: CompareTable, made: Scope) -> tuple[str, tuple[str, ...]]:
        after = result.after  # which is the one that a query is opened with
        return after.model, made.groups or after.words.groups  # of files only their keywords

    def _show_detail(self) -> None:
        self.query_one(FlipPane).show_query(self.listing.result, self.row)

    # What is said

    def _title_parts(self) -> list[str]:
        listing, table, work = self.listing, self.listing.result, self.work_line.work
        queries = self._nouns.spell(f"{self.mode} queries")
        if work is not None and work.part:
            number = f"{work.parts.index(work.part) + 1} of {len(work.parts)} models"
            return [queries, f"{work.part}, {self._nouns.spell(number)}"]
        if table is None:
            return [queries]
        if self.side == "slicing":
            few, least = table.statistics.few_slices, table.statistics.settings.least_queries
            parts = [f"Slices of {queries}, worst first"]
            return [*parts, f"{few:,} with under {least} queries are not listed"] if few else parts
        parts = [
            describe_count(table, listing.rows, self._nouns),
            describe_change_order(self._sort(table), self._nouns),
        ]
        if listing.dived is not None:
            parts.append(f"only {title_slice(listing.dived)}")
        if listing.filter_text:
            parts.append(f"filter {listing.filter_text}")
        return parts

    def _show_summary(self) -> None:
        listing, head, table = self.listing, self.query_one(HeadStrip), self.listing.result
        self.work_line.say(None, listing.failure if table is not None else "")
        head.display = table is not None and not self._busy
        if table is not None:
            dived = None if listing.filter_text else listing.dived
            shown = "shown" if dived is None else title_slice(dived)
            width, glyphs = self.size.width - 2, self._glyphs
            head.show_lines(draw_head(table, listing.rows, width, glyphs, shown, self._nouns))

    def _empty_text(self) -> str:
        models, failure = self._models, self.listing.failure
        if models is None:
            return ONE_DIRECTION if self._nouns.has_labels else ONE_MODEL
        if self.listing.result is not None:
            return self._keymap.spell(
                "No query matches.\n\n"
                "{compare.filter} changes the filter, {compare.back} shows all queries."
            )
        if self._busy:
            return self._nouns.spell("The table comes when both models have answered every query.")
        run = self._keymap.say("compare.run")
        if failure:
            return f"The comparison stopped.\n\n{failure}\n\n{run} runs it again."
        if none := self._explain_no_texts(*models):
            return f"Nothing is compared yet.\n\n{none}"
        swaps = "swaps them" if len(self.host.models) == 2 else "chooses another model"
        other = "video" if self.mode == "text" else "text"
        choose, mode = map(self._keymap.say, ("compare.choose", "compare.toggle_mode"))
        then = (
            f"the whole set of {self.mode} queries and lists what changed from the first to the "
            f"second, the worst first; {choose} {swaps}, {mode} changes to {other} queries."
        )
        asks = f"{run} asks {models[0]} and {models[1]}"
        return f"Nothing is compared yet.\n\n{asks} {self._nouns.spell(then)}"

    # Slices, and every metric

    def action_slices(self) -> None:
        self._toggle_side("slicing", self.slices, self.listing.dived or self.slices.subject)

    def _fill_side(self, result: CompareTable, on: Slice | None = None) -> None:
        if self.side == "slicing":
            numbers = result.statistics
            least = numbers.settings.least_queries
            none = f"No group and no keyword has {least} queries that count, or all of them do."
            self.slices.empty = self._nouns.spell(none)
            rows = SliceRows(numbers, numbers.slices, None, self._glyphs)
            self.slices.show_subjects(rows, on)
        super()._fill_side(result, on)

    def _metric_lines(self, result: CompareTable, width: int) -> list[Line]:
        return draw_metrics(result, width, self._glyphs, self._nouns)

    # Dive, back, write

    @on(LineTable.Chosen)
    def action_dive(self) -> None:
        piece = self.slices.subject
        if self.side != "slicing" or not self.slices.has_focus:
            self.open_row()
        elif piece is not None:
            self._leave_side()
            self.listing.dived = piece
            self.show()

    def _surface(self, dived: Slice) -> None:
        self.listing.dived = None
        self.show()
        self._open_side("slicing", self.slices, dived)

    def _dive(self, result: CompareTable, row: int) -> None:
        models = result.before.model, result.after.model
        keywords = tuple(map(str, result.keywords(row)))
        self.host.open_compared(models, self.mode, result.name(row), keywords)

    def action_write(self) -> None:
        table = self.listing.result
        if table is not None:
            name = f"compare-{table.mode}-{table.before.model}-{table.after.model}"
            write_table(self, name, table, self.listing.rows)
