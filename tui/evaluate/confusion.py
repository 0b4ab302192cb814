"""The confusion pane of Evaluate: which labels are retrieved for the queries of each label."""

from __future__ import annotations

from textual import on
from textual.content import Content
from textual.widgets import Static

from engine.base.keyword import Keyword
from engine.keywords.evaluated import Evaluated
from engine.labels.confused import Confused, Order, label_groups
from tui.evaluate.confusion_table import (
    ConfusionTable,
    confusion_in_words,
    confusion_order_text,
    what_is_counted,
)
from tui.evaluate.panes import Dived, EvaluatePanes
from tui.look.safe import safe
from tui.shell.progress_text import count_text, failure_text
from tui.widgets.fitted_rows import Sort
from tui.widgets.line_table import LineTable


class EvaluateConfusion(EvaluatePanes):
    """Opens the table, follows its cursor, and goes from a label to its queries."""

    _order: Sort[Order] = Sort("score")
    _group = ""
    _on: Keyword | None = None
    _grouped: tuple[Evaluated, tuple[str, ...]] | None = None

    @property
    def _confusion(self) -> ConfusionTable:
        return self.query_one("#confusion", ConfusionTable)

    @property
    def _confusing(self) -> bool:
        return self.has_class("-confusing")

    @property
    def _label_groups(self) -> tuple[str, ...]:
        """The groups that can be looked at so; found once for an evaluation."""
        evaluated = self._view.evaluated
        if evaluated is None:
            return ()
        if self._grouped is None or self._grouped[0] is not evaluated:
            self._grouped = evaluated, label_groups(evaluated)
        return self._grouped[1]

    @property
    def quiet_actions(self) -> frozenset[str]:
        """What the footer does not offer: it would only say why it is not possible."""
        return frozenset() if self._label_groups else frozenset({"confusion"})

    def _confuse(self) -> None:
        """Open the table of the only group that can be looked at so, or of the one chosen."""
        evaluated = self._view.evaluated
        if evaluated is None:
            return
        groups = self._label_groups
        if not groups:
            several = ", ".join(g.replace("_", " ") for g in evaluated.run.selection.groups)
            self.notify(
                safe(
                    f"No confusion table: clips have several keywords of {several} at once, so no "
                    "result has one in place of another. p on Inspect chooses other groups."
                ),
                markup=False,
            )
        elif len(groups) == 1:
            self._open_confusion(groups[0])
        else:
            from tui.dialogs.dialogs import Choose

            options = [(str(n) if n < 10 else "", group, "") for n, group in enumerate(groups, 1)]
            chosen = Choose("Confusion of which labels?", options, self._group)
            self.app.push_screen(chosen, self._open_confusion)

    def _open_confusion(self, group: str | None, on: Keyword | None = None) -> None:
        evaluated = self._view.evaluated
        if group is None or evaluated is None:
            return
        self._group, self._on = group, on
        self.add_class("-confusing")
        self._confusion.clear()
        self._confusion.empty = "Counting …"
        self.set_focus(self._confusion)
        self._host.start_confusion(
            evaluated, group, self._view.rows, self._show_confusion, self._not_confused
        )
        self._tell()

    def _confuse_again(self) -> None:
        """Other rows were evaluated while the table was open."""
        if self._group in self._label_groups:
            self._open_confusion(self._group, self._confusion.keyword)
        else:
            self._leave_confusion()

    def _show_confusion(self, confused: Confused, on: Keyword | None = None) -> None:
        table = self._view.table
        if self._confusing and table is not None:
            self._confusion.empty = "No query has exactly one label."
            label = table.label(table.main)
            self._confusion.confuse(confused, self._order, table.main, label, on or self._on)
            self._tell()

    def _not_confused(self, error: Exception) -> None:
        self._confusion.empty = failure_text(error)

    def _order_confusion(self, order: Sort[Order]) -> None:
        shown = self._confusion.shown
        if shown is not None:
            self._order = order
            self._show_confusion(shown.confused, self._confusion.keyword)

    def _leave_confusion(self) -> None:
        if self._confusing:
            self.remove_class("-confusing")
            self.set_focus(self._queries)
            self._tell()

    def _dive_into_label(self, text: str, keyword: Keyword) -> None:
        before = self._view.filter_text
        self._leave_confusion()
        self._keep_matching(text)
        self._view.dived_from = Dived(before, keyword, from_confusion=True)

    @on(LineTable.Moved, "#confusion")
    def _say_of_label(self) -> None:
        said = self._summary()
        if self._confusing and said is not None and self._under_way is None:
            # As many lines as before: a new layout would send the whole screen.
            self.query_one("#summary", Static).update(said, layout=False)

    @on(LineTable.HeaderClicked, "#confusion")
    def _order_by_title(self, event: LineTable.HeaderClicked) -> None:
        shown = self._confusion.shown
        sort = None if shown is None else shown.sort_by_column(event.column)
        if sort is not None:
            self._order_confusion(sort)

    # What is said of it

    def _title_parts(self) -> list[str]:
        table = self._view.table
        if table is None or not self._confusing:
            return super()._title_parts()
        return [
            f"Confusion of {self._group.replace('_', ' ')}",
            count_text(len(self._view.rows), len(table), self.mode, self._nouns),
            confusion_order_text(self._order, table.label(table.main)),
        ]

    def _summary(self) -> Content | None:
        if not self._confusing:
            return super()._summary()
        shown, label = self._confusion.shown, self._confusion.label
        if shown is None or label is None:
            return Content("\n")
        glyphs, width = self._host.glyphs, self.size.width - 2
        words = confusion_in_words(shown.confused, label, width, glyphs)
        return Content(f"{what_is_counted(shown, glyphs)}\n{words}")
