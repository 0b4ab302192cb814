"""The confusion table: of what the queries of each label retrieved, how much has which label."""

from __future__ import annotations

from rich.cells import cell_len
from textual import on
from textual.content import Content
from textual.message import Message

from engine.base.arrays import Ints
from engine.base.keyword import Keyword
from engine.base.messages import pluralise
from engine.keywords.evaluated_run import EvaluatedRun
from engine.labels.confusion_matrix import ConfusionMatrix, ConfusionSortKey
from tui.evaluate.confusion_rows import ConfusionRows
from tui.keys.keymap import Keymap
from tui.look.glyphs import Glyphs
from tui.look.nouns import spell_group
from tui.look.safe import escape
from tui.shell.progress_text import describe_failure
from tui.widgets.fitted_rows import Sort, SubjectTable
from tui.widgets.line_layout import fit
from tui.widgets.line_table import LineTable
from tui.work.services import Services

_LONGEST_NAME = 24


class ConfusionTable(SubjectTable):
    """The table of one group; the cursor's label can be dived into.

    It owns the group that is looked at, the counts and their order.
    """

    class Arranged(Message):
        """Other counts are shown, or the same in another order."""

    group = ""
    sort: Sort[ConfusionSortKey] = Sort("score")
    _on: Keyword | None = None
    _evaluated: EvaluatedRun | None = None

    def count(
        self,
        services: Services,
        evaluated: EvaluatedRun,
        rows: Ints,
        on: Keyword | None = None,
    ) -> None:
        """Count which labels of the group these queries retrieved; the cursor goes to the label
        `on`."""
        self._evaluated, self._on = evaluated, on
        self.clear()
        self.empty = "Counting …"
        services.evaluations.confusion(
            evaluated, self.group, rows, self._counted, self._not_counted
        )

    def _counted(self, confused: ConfusionMatrix) -> None:
        self.empty = "No query has exactly one label."
        self._arrange(confused, self._on)

    def _not_counted(self, error: Exception) -> None:
        self.empty = describe_failure(error)

    def _arrange(self, confused: ConfusionMatrix, on: Keyword | None) -> None:
        assert self._evaluated is not None
        table = self._evaluated.table
        main = table.main, table.label(table.main)
        rows = ConfusionRows(confused, self.sort, *main, self._glyphs, lambda: self.line_width)
        self.show_subjects(rows, on)
        self.post_message(self.Arranged())

    def sort_by(self, sort: Sort[ConfusionSortKey] | None) -> None:
        if sort is not None and self.shown is not None:
            self.sort = sort
            self._arrange(self.shown.table, self.subject)

    @on(LineTable.HeaderClicked)
    def _title_clicked(self, event: LineTable.HeaderClicked) -> None:
        if self.shown is not None:
            self.sort_by(self.shown.sort_by_column(event.column))

    @property
    def shown(self) -> ConfusionRows | None:
        return self.source if isinstance(self.source, ConfusionRows) else None

    # What is said of it

    def summary(self, width: int) -> Content:
        """What is counted, and what is retrieved for the label under the cursor."""
        shown = self.shown
        if shown is None or self.subject is None:
            return Content("\n")
        label = int(shown.rows[self.cursor])
        words = describe_confusion(shown.table, label, width, self._glyphs)
        line = fit(words, min(cell_len(words), width), ellipsis=self._glyphs.ellipsis)
        return Content(f"{describe_counts(shown, self._glyphs)}\n{line}")


def explain_none(evaluated: EvaluatedRun, keymap: Keymap) -> str:
    """Why there is no confusion table, and what there is in its place."""
    groups = evaluated.run.selection.groups
    several = " and of ".join(map(spell_group, groups))
    keys = keymap.spell(
        "{evaluate.frequency} lists what was retrieved instead; {inspect.pick} on Inspect chooses "
        "other groups."
    )
    return (
        f"No confusion table: clips have several keywords of {several}, so a table of one label "
        f"against another cannot be drawn. {keys}"
    )


def describe_confusion_order(sort: Sort[ConfusionSortKey], label: str) -> str:
    """The order in words.

    >>> describe_confusion_order(Sort("score"), "LabelScore@10")
    'worst first by mean LabelScore@10'
    >>> describe_confusion_order(Sort("queries", descending=True), "")
    'fewest queries first'
    """
    if sort.key == "score":
        return f"{'best' if sort.descending else 'worst'} first by mean {label}"
    if sort.key == "queries":
        return f"{'fewest' if sort.descending else 'most'} queries first"
    return f"by label{', backwards' if sort.descending else ''}"


def describe_counts(rows: ConfusionRows, glyphs: Glyphs) -> str:
    """What the numbers are, and what they leave out."""
    confused = rows.table
    parts = [f"% of the top {confused.k:,}", "[ ] same label"]
    if rows.unnamed:
        parts.append(f"mean {rows.unnamed}")
    else:
        parts = ["rows: label asked", "columns: label found", *parts]
    if rows.further:
        parts.append(f"others: {pluralise(rows.further, 'label')}")
    if confused.left_out:
        parts.append(f"{pluralise(confused.left_out, 'query')} without one label not counted")
    if confused.unscored:
        parts.append(f"{pluralise(confused.unscored, 'query')} in no mean: nothing is relevant")
    if confused.asks_more:
        asked = "all keywords" if confused.rule == "all" else "any keyword"
        parts.append(f"a hit has {asked} of its query, [ ] only this label")
    return f" {glyphs.dot} ".join(parts)


def describe_confusion(confused: ConfusionMatrix, label: int, width: int, glyphs: Glyphs) -> str:
    """What is retrieved for a label, the biggest confusions first, as many as the width has room
    for."""
    total, right = confused.table.total(label), int(confused.table.right[label])
    name = _short(confused.names[label], glyphs)
    if not total:
        return f"{name}: nothing is retrieved."
    said = f"{name}: same label {right:,} of {total:,}"
    wrong = confused.table.wrong(label, len(confused.names))
    if not wrong:
        return f"{said}, nothing else"
    for number, (other, count) in enumerate(wrong):
        wrong_name = _short(confused.names[other], glyphs)
        text = f"{'; instead' if not number else ','} {wrong_name} {count:,}"
        rest = len(wrong) - number - 1
        tail = f" and {rest:,} more" if rest else ""
        if number and cell_len(said + text + tail) > width:
            return f"{said} and {len(wrong) - number:,} more"
        said += text
    return said


def _short(name: str, glyphs: Glyphs) -> str:
    """A label that leaves room for others on the line."""
    name = escape(name)
    return fit(name, min(cell_len(name[:_LONGEST_NAME]), _LONGEST_NAME), ellipsis=glyphs.ellipsis)
