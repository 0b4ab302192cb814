"""The Evaluate screen: the whole query set, one row per query, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Protocol, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from engine.base.arrays import Bools
from engine.base.choices import Mode
from engine.base.keyword import Keyword
from engine.keywords.evaluated_run import EvaluatedRun
from engine.keywords.query_filter import Filter, write_term
from engine.keywords.query_table import TEXT_KEYS, QueryTable, SortKey
from tui.evaluate.confusion_table import ConfusionTable, describe_confusion_order, explain_none
from tui.evaluate.keyword_table import KeywordTable
from tui.evaluate.rows import QueryRows, choose_measures, choose_query_sort
from tui.evaluate.text import build_summary, describe_order, describe_run, draw_means
from tui.keys.commands import make_bindings
from tui.keys.footer import KeyFooter
from tui.look.nouns import spell_group
from tui.look.safe import escape
from tui.shell.progress_text import format_count
from tui.shell.run_screen import RunHost, RunScreen
from tui.shell.work_line import Work
from tui.shell.writing import write_table
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_table import LineTable
from tui.widgets.lines_view import Line
from tui.widgets.plot_pane import PlotPane
from tui.work.scope import Scope
from tui.work.services import Services


class EvaluateHost(RunHost, Protocol):
    """What the Evaluate screen needs of the app."""

    @property
    def services(self) -> Services: ...

    def open_query(self, mode: Mode, query: str, keywords: tuple[str, ...]) -> None:
        """Go to Inspect with this query, judged by these "group:name" keywords."""

    def query_count(self, mode: Mode) -> int | None:
        """How many queries a run would evaluate; None: not known yet."""


@dataclass(frozen=True, slots=True)
class Dive:
    """A keyword that was dived into, the pane it stood in, and the filter before."""

    keyword: Keyword
    side: str
    filter_text: str


class EvaluateScreen(RunScreen[EvaluatedRun, SortKey, Dive]):
    """Runs the query set, shows its table, and opens single queries in Inspect."""

    CSS_PATH = "evaluate.tcss"
    BINDINGS: ClassVar[list[BindingType]] = make_bindings("evaluate")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]  # noqa: RUF012 (as in Screen)
    heading = "Evaluate"
    place_name = "evaluate"
    rows_class = QueryRows
    on_a_result = frozenset(
        "frequency plots all_metrics confusion write dive mark_bias note clear_mark".split()
    )

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield self.work_line
        with Horizontal(id="tables", classes="panes"):
            yield LineTable(id="queries")
            yield KeywordTable(id="frequency")
            yield PlotPane(id="plots")
            yield ConfusionTable(id="confusion")
        yield self.filter_field
        yield KeyFooter()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("sort", "reverse") and self.side == "confusing":
            return self.confusion.shown is not None
        return super().check_action(action, parameters)

    @property
    def quiet_actions(self) -> frozenset[str]:
        """What the footer does not offer: it would only say why it is not possible."""
        result = self.listing.result
        return frozenset() if result and result.label_groups else frozenset({"confusion"})

    # Parts

    @property
    def host(self) -> EvaluateHost:
        return cast("EvaluateHost", self._run_host)

    @property
    def table(self) -> QueryTable | None:
        return None if self.listing.result is None else self.listing.result.table

    @property
    def frequency(self) -> KeywordTable:
        return self.query_one("#frequency", KeywordTable)

    @property
    def confusion(self) -> ConfusionTable:
        return self.query_one("#confusion", ConfusionTable)

    # The run and its rows

    def _run(self, scope: Scope, kept: bool) -> tuple[Work, Callable[..., Callable[[], None]]]:
        evaluate = self.host.services.evaluations.evaluate
        return Work(scope), partial(evaluate, self.mode, scope, kept=kept)

    def _recall(
        self,
        scope: Scope,
        done: Callable[[EvaluatedRun | None], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self.host.services.evaluations.recall(self.mode, scope, done, failed)

    def _same_row(self, before: EvaluatedRun, row: int, now: EvaluatedRun) -> int | None:
        if self._nouns.has_labels and before.table.model != now.table.model:
            return None  # another direction: what is worst there is to be seen first
        return super()._same_row(before, row, now)

    def _sort_keys(self, result: EvaluatedRun) -> Sequence[SortKey]:
        return (*TEXT_KEYS, *result.table.measures)

    def _settle(self, result: EvaluatedRun) -> None:
        sort = self.listing.sort
        if sort and not isinstance(sort.key, str) and sort.key not in result.table.measures:
            self.listing.sort = None

    def _usual_sort(self, result: EvaluatedRun) -> Sort[SortKey]:
        return choose_query_sort(result.table.main)

    def _table(self, result: EvaluatedRun) -> QueryTable:
        return result.table

    def _faulty(self, result: EvaluatedRun, where: str) -> tuple[Bools, str]:
        table = result.table
        none = f"No query {where} this row lacks a full {table.label(table.main)}."
        return table.imperfect(table.main), none

    def _evaluations(self, result: EvaluatedRun) -> list[EvaluatedRun]:
        return [result]

    def _use_filter(self, text: str, chosen: Filter) -> None:
        self.listing.dived = None
        super()._use_filter(text, chosen)

    @property
    def listed(self) -> FittedRows[Any, Any] | None:
        return self.confusion.shown if self.side == "confusing" else super().listed

    def _sort_by(self, sort: Sort[Any] | None) -> None:
        (self.confusion.sort_by if self.side == "confusing" else super()._sort_by)(sort)

    # What is said

    def _title_parts(self) -> list[str]:
        listing, result = self.listing, self.listing.result
        if result is None:
            parts = [self._nouns.spell(f"{self.mode} queries")]
        else:
            table = result.table
            count = format_count(len(listing.rows), len(table), self.mode, self._nouns)
            label = table.label(table.main)
            if self.side == "counting":
                count = f"{self._nouns.spell('Keywords of')} {count}"
                parts = [count, f"worst first by mean {label}"]
            elif self.side == "confusing":
                group = f"Confusion of {spell_group(self.confusion.group)}"
                parts = [group, count, describe_confusion_order(self.confusion.sort, label)]
            else:
                parts = [count, describe_order(table, self._sort(result), self._nouns)]
        return [*parts, f"filter {listing.filter_text}"] if listing.filter_text else parts

    def _show_summary(self) -> None:
        failure = self.listing.failure if self.table is not None else ""
        self.work_line.say(self._summary(), failure)

    def _summary(self) -> Content | None:
        """The numbers of what is listed; None: there are none yet."""
        result = self.listing.result
        if result is None:
            return None
        if self.side == "confusing":
            return self.confusion.summary(self.size.width - 2)
        measures, _ = choose_measures(result.table, self.size.width, self._sort(result).key)
        said = build_summary(result.table, self.listing.rows, measures, self._glyphs, self._nouns)
        if self.side != "counting":
            return said
        # First: of a summary that is too long for its place, the last lines are not shown.
        return Content("\n").join([self.frequency.summary(self.size.width - 2), said])

    def _metric_lines(self, result: EvaluatedRun, width: int) -> list[Line]:
        return draw_means(result.table, self.listing.rows, self._glyphs, self._nouns)

    def _empty_text(self) -> str:
        listing = self.listing
        if listing.result is not None:
            keys = self._keymap.spell(
                "{evaluate.filter} changes the filter, {evaluate.back} clears it."
            )
            return f"No query matches {listing.filter_text}.\n\n{keys}"
        if self._busy:
            return "The table comes when every query is done."
        if listing.failure:
            run = self._keymap.say("evaluate.run")
            return f"The evaluation stopped.\n\n{listing.failure}\n\n{run} runs it again."
        if none := self._explain_no_texts(self.host.evaluation_scope.model):
            return f"Nothing is evaluated yet.\n\n{none}"
        run = self._keymap.spell(describe_run(self.mode, self.host.query_count(self.mode)))
        return self._nouns.spell(run)

    # The count by keyword and the confusion of labels

    def action_frequency(self) -> None:
        self._toggle_side("counting", self.frequency)

    def action_confusion(self) -> None:
        """Open the table of the only group that can be looked at so, or of the one chosen."""
        was_open, evaluated = self.side == "confusing", self.listing.result
        self._leave_side()
        if was_open or evaluated is None:
            return
        groups = evaluated.label_groups
        if not groups:
            self.notify(escape(explain_none(evaluated, self._keymap)), markup=False)
        elif len(groups) == 1:
            self._confuse(groups[0])
        else:
            from tui.dialogs.basic_dialogs import ChoiceDialog

            options = [(str(n) if n < 10 else "", group, "") for n, group in enumerate(groups, 1)]
            chosen = ChoiceDialog("Confusion of which labels?", options, self.confusion.group)
            self.app.push_screen(chosen, self._confuse)

    def _confuse(self, group: str | None, on: Keyword | None = None) -> None:
        if group is not None:
            self.confusion.group = group
            self._open_side("confusing", self.confusion, on)

    @on(ConfusionTable.Arranged)
    def _confusion_arranged(self) -> None:
        self.show_state()

    @on(LineTable.Moved, "#confusion")
    def _say_of_label(self) -> None:
        if self.side == "confusing" and self.table is not None and not self._busy:
            # As many lines as before: a new layout would send the whole screen.
            self.work_line.update(self.confusion.summary(self.size.width - 2), layout=False)

    @on(LineTable.Moved, "#frequency")
    @on(KeywordTable.Counted)
    def _say_of_keyword(self) -> None:
        if self.side == "counting" and self.table is not None and not self._busy:
            self.work_line.update(self._summary() or "", layout=False)

    def _fill_side(self, result: EvaluatedRun, on: Keyword | None = None) -> None:
        listed = self.listing.rows
        if self.side == "counting":
            self.frequency.count(self.host.services, result, listed, self._nouns, on)
        elif self.side != "confusing":
            super()._fill_side(result, on)
        elif self.confusion.group in result.label_groups:
            self.confusion.count(self.host.services, result, listed, on)
        else:
            self._leave_side()

    # Dive, back, write

    @on(LineTable.Chosen)
    def action_dive(self) -> None:
        if self.side == "counting" and self.frequency.has_focus:
            self._keep_queries_of(self.frequency.subject)
        elif self.side == "confusing":
            self._keep_queries_of(self.confusion.subject)
        else:
            self.open_row()

    def _keep_queries_of(self, keyword: Keyword | None) -> None:
        if keyword is not None:
            dive = Dive(keyword, self.side, self.listing.filter_text)
            self._leave_side()
            self.filter_field.keep(f"{dive.filter_text} {write_term(keyword)}".strip())
            self.listing.dived = dive

    def _surface(self, dived: Dive) -> None:
        self.filter_field.keep(dived.filter_text)
        if dived.side == "confusing":
            self._confuse(dived.keyword.group, dived.keyword)
        else:
            self._open_side("counting", self.frequency, dived.keyword)

    def _dive(self, result: EvaluatedRun, row: int) -> None:
        table = result.table
        self.host.open_query(self.mode, table.names[row], tuple(map(str, table.keywords(row))))

    def action_write(self) -> None:
        evaluated, shown = self.listing.result, self.confusion.shown
        if evaluated is None:
            return
        name = f"{self._nouns.spell(self.mode)}-{evaluated.table.model}"
        if self.side == "confusing" and shown is not None:
            group = shown.table.group
            write_table(self, f"confusion-{group}-{name}", shown.table, shown.rows, "labels")
        else:
            write_table(self, f"evaluate-{name}", self._written(evaluated), self.listing.rows)

    def _written(self, evaluated: EvaluatedRun) -> QueryTable:
        """Of items, the direction is the mode, as `tui-eval labels --per-query` writes it."""
        table = evaluated.table
        if not self._nouns.has_labels or table.mode == "text":
            return table
        levels = "+".join(evaluated.run.selection.groups)
        several = len(evaluated.truth.words.groups) > 1
        direction = f"{levels}/{table.model}" if several else table.model
        return replace(table, mode=cast(Mode, direction))
