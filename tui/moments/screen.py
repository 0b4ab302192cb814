"""The moment screen: queries by error class, the time line of one, and what the keys do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType

from tui.dialogs.dialogs import Ask, Choose
from tui.keys.commands import bindings
from tui.look.safe import safe
from tui.moments.panes import MomentsPanes
from tui.moments.query_rows import Key, MomentRows, keys_of, worst_first
from tui.moments.signs import WORST_FIRST, class_text
from tui.moments.widgets import PredictionTable, QueryTable
from tui.moments.writing import QueryCells, copied, query_document
from tui.widgets.fitted_rows import Sort
from tui.widgets.line_table import LineTable

if TYPE_CHECKING:
    from tui.moments.explained import Explained

ALL_CLASSES = "all classes"

_OF_ROWS = ("next_match", "previous_match", "next_query", "previous_query", "copy")
_OF_QUERIES = ("choose_class", "filter", "sort", "reverse", "type_metric", "next_k", "report")


class MomentsScreen(MomentsPanes):
    """Lists the queries, steps through predictions, changes the metric."""

    CSS_PATH = "moments.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("moments")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back":
            return self._level() is not None
        if action == "read":
            return not self.host.services.busy
        explained = self.explained
        if explained is None:
            return action not in (
                *_OF_ROWS, *_OF_QUERIES, "open", "write", "next_task", "next_iou",
            )  # fmt: skip
        if action == "filter":
            return not self._filtering and not self._hides_queries
        if action == "next_task":
            return len(explained.source.tasks) > 1
        if action == "next_iou":
            return explained.has_times and len(self._ious(explained)) > 1
        if action == "open":
            return isinstance(self.focused, QueryTable) and self.row is not None
        if action in _OF_ROWS:
            return self.row is not None
        return True

    @property
    def quiet_actions(self) -> tuple[str, ...]:
        """What the footer need not show: reading again is news only while nothing is read."""
        return () if self.explained is None else ("read",)

    @property
    def _hides_queries(self) -> bool:
        """A narrow screen shows the report alone."""
        return self.reporting and self.has_class("-narrow")

    # Moving

    def action_next_match(self) -> None:
        self._go_to_failure(1)

    def action_previous_match(self) -> None:
        self._go_to_failure(-1)

    def _go_to_failure(self, step: int) -> None:
        import numpy as np

        if self.explained is None or self.rows is None:
            return
        places = np.flatnonzero(self.explained.failures.classes[self.rows] > 0)
        here = self._queries.cursor
        ahead = places[places > here] if step > 0 else places[places < here][::-1]
        if len(ahead):
            self._queries.cursor = int(ahead[0])
        else:
            where = "below" if step > 0 else "above"
            self.notify(f"Every query {where} this row is a hit, or there is none.", markup=False)

    def action_next_query(self) -> None:
        self._queries.cursor += 1

    def action_previous_query(self) -> None:
        self._queries.cursor -= 1

    @on(LineTable.Chosen, "#queries")
    def action_open(self) -> None:
        self._leave_report()
        self.set_focus(self.predictions)

    # Which queries, in which order

    def action_choose_class(self) -> None:
        if self.explained is None:
            return
        failures = self.explained.failures
        counts = failures.counts()
        codes = [code for code in WORST_FIRST if code in failures.possible]
        options = [("0", ALL_CLASSES, f"{len(failures):,} queries")]
        for number, code in enumerate(codes, start=1):
            about = f"{int(counts[code]):,}: {class_text(failures, code)}"
            options.append((str(number), self.explained.shown(code).name, about))
        now = self._class_name or ALL_CLASSES
        self.app.push_screen(Choose("Which queries?", options, now), self._use_class)

    def _use_class(self, name: str | None) -> None:
        if name is None or self.explained is None:
            return
        names = {self.explained.shown(code).name: code for code in WORST_FIRST}
        self.chosen_class = names.get(name)
        self.show()

    def action_sort(self) -> None:
        source = self._queries.source
        if isinstance(source, MomentRows):
            self._sort_by(source.next_sort())

    def action_reverse(self) -> None:
        self._sort_by(self.order.reversed)

    @on(LineTable.HeaderClicked, "#queries")
    def _sort_by_title(self, event: LineTable.HeaderClicked) -> None:
        source = self._queries.source
        sort = source.sort_by_column(event.column) if isinstance(source, MomentRows) else None
        if sort is not None:
            self._sort_by(sort)

    def _sort_by(self, order: Sort[Key]) -> None:
        self.order = order
        self.show()

    # Which metric

    def action_next_task(self) -> None:
        if self.explained is not None:
            tasks = self.explained.source.tasks
            place = tasks.index(self.explained.task)
            self.host.use_task(tasks[(place + 1) % len(tasks)])

    @staticmethod
    def _ious(explained: Explained) -> list[float]:
        """The IoUs that one key goes through: those of the request, and the one that is used."""
        now = [] if explained.at.iou is None else [explained.at.iou]
        return sorted({*explained.source.request.ious, *now})

    def action_next_iou(self) -> None:
        if self.explained is None or self.explained.at.iou is None:
            return
        ious = self._ious(self.explained)
        self._use(ious[(ious.index(self.explained.at.iou) + 1) % len(ious)], self.explained.at.k)

    def action_next_k(self) -> None:
        if self.explained is not None:
            at = self.explained.at
            ks = sorted({*self.explained.source.request.ks, at.k})
            self._use(at.iou, ks[(ks.index(at.k) + 1) % len(ks)])

    def _use(self, iou: float | None, k: int) -> None:
        from engine.moments.at import At

        self.host.use_metric(At(iou, k))

    def action_type_metric(self) -> None:
        if self.explained is None:
            return
        hint = "the least IoU and k, such as 0.6-r20; r20 keeps the IoU"
        ask = Ask("What counts as a hit?", str(self.explained.at), hint, does="takes it")
        self.app.push_screen(ask, self._typed_metric)

    def _typed_metric(self, text: str | None) -> None:
        if text is None or not text.strip():
            return

        def parse() -> None:
            from engine.moments.at import At

            self.host.use_metric(At.parse(text))

        self.host.attempt(parse)

    # The report

    def action_report(self) -> None:
        if self.reporting:
            self._leave_report()
        elif self.explained is not None:
            self.add_class("-reporting")
            self.set_focus(self.report_pane)
            self.make_report()
            self.refresh_bindings()

    def make_report(self) -> None:
        """Compute the report for the metric that is shown."""
        if self.explained is not None:
            self.report_pane.say("Computing …")
            show = partial(self.report_pane.show_report, notes=self.explained.source.notes)
            self.host.services.report(self.explained, show, self._no_report)

    def _no_report(self, error: Exception) -> None:
        self.report_pane.say(safe(str(error)))

    def _leave_report(self) -> None:
        if self.reporting:
            self.remove_class("-reporting")
            self.set_focus(self._queries)
            self.refresh_bindings()

    # Reading, and one level back

    def action_read(self) -> None:
        self.host.read()

    def explain_again(self, explained: Explained) -> None:
        """Other numbers for the same screen."""
        if self.chosen_class is not None and self.chosen_class not in explained.failures.possible:
            self.chosen_class = None
        if self.order.key not in keys_of(explained):
            self.order = worst_first()
        self.explained = explained
        self.show()
        if self.reporting:
            self.make_report()

    def _level(self) -> str | None:
        """What Escape would leave."""
        if self._filtering:
            return "field"
        if self.host.services.busy:
            return "reading"
        if self.reporting:
            return "report"
        if isinstance(self.focused, PredictionTable):
            return "predictions"
        if self.chosen_class is not None:
            return "class"
        return "filter" if self._text else None

    def action_back(self) -> None:
        level = self._level()
        if level == "field":
            self._leave_filter()
        elif level == "reading":
            self.host.stop_reading()
        elif level == "report":
            self._leave_report()
        elif level == "predictions":
            self.set_focus(self._queries)
        elif level == "class":
            self.chosen_class = None
            self.show()
        elif level == "filter":
            self._keep_matching("")
        self.refresh_bindings()

    # Copy and write

    def action_copy(self) -> None:
        if self.selected is not None:
            self.app.copy_to_clipboard(copied(self.selected))
            said = "Copied the query's id, text, video and class. w writes to a file."
            self.notify(said, markup=False)

    def action_write(self) -> None:
        if self.explained is None:
            return
        metric = self.explained.metric
        if self.reporting:
            self._write_text(f"moments-report-{metric}", self.report_pane.text, ".txt")
        elif isinstance(self.focused, PredictionTable) and self.selected is not None:
            document = query_document(self.selected)
            self._write_text(f"moment-{self.selected.id}-{metric}", document, ".json")
        elif self.rows is not None:
            cells = QueryCells(self.explained)
            self._write_rows(f"moments-{metric}", cells, self.rows)

    def _write_text(self, name: str, text: str, suffix: str) -> None:
        from pathlib import Path

        from tui.work.files import file_name, write_new

        wanted = Path.cwd() / f"{file_name(name)}{suffix}"
        self.host.attempt(
            lambda: self.notify(safe(f"Wrote {write_new(wanted, text)}"), markup=False)
        )
