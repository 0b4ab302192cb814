"""Label × label: of what the queries of each label retrieved, how much has which label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from rich.cells import cell_len

from engine.base.keyword import Keyword
from engine.labels.confused import Confused, Order, percentage
from engine.labels.data.level import Codes
from engine.metrics import Measure
from tui.evaluate.rows import value_cell
from tui.look.glyphs import Glyphs
from tui.look.safe import safe
from tui.look.words import counted
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_layout import GAP, GUTTER, Cell, Column, fit
from tui.widgets.line_table import LineTable

_WIDE = 100
_QUERIES = 7
_SAME = len("[>99]")
_OTHERS = len("others")
_NARROWEST, _WIDEST, _WIDEST_OF_NARROW = 5, 12, 8
"""Cells of the column of a label; the last where the screen is narrow."""
_LONGEST_NAME = 24
_CORNER = "asked\\found"
_LOUD = 0.1
"""From this share on a wrong label is no longer quiet."""


def confusion_order_text(sort: Sort[Order], label: str) -> str:
    """The order in words.

    >>> confusion_order_text(Sort("score"), "LabelScore@10")
    'worst first by mean LabelScore@10'
    >>> confusion_order_text(Sort("queries", descending=True), "")
    'fewest queries first'
    """
    if sort.key == "score":
        return f"{'best' if sort.descending else 'worst'} first by mean {label}"
    if sort.key == "queries":
        return f"{'fewest' if sort.descending else 'most'} queries first"
    return f"by label{', backwards' if sort.descending else ''}"


class ConfusionRows(FittedRows[Order]):
    """One row per label that queries have; as many labels as columns as fit.

    Where all fit, it is the whole table, and the columns stand in the order of the rows: the
    diagonal is one. Where not, the columns are the labels that intrude most, the query's own
    label has a column of its own, and what is left are the others: a row adds to 100 %.
    """

    keys: Sequence[Order] = ("label", "queries", "score")
    rows: Codes

    def __init__(
        self,
        confused: Confused,
        sort: Sort[Order],
        measure: Measure,
        label: str,
        glyphs: Glyphs,
        width: Callable[[], int],
    ) -> None:
        rows = confused.order(sort.key, reverse=sort.descending)
        super().__init__(rows, glyphs, width, sort)
        self.confused = confused
        self._measure = measure
        self._label = label
        self._whole = False
        self._shown = rows

    @property
    def _cycle(self) -> Sequence[Order]:
        return self.keys[::-1]

    @property
    def further(self) -> int:
        """Labels that were retrieved and have no column: the others."""
        self._fit()
        return len(np.setdiff1d(self.confused.columns, self._shown))

    @property
    def unnamed(self) -> str:
        """What the mean is of, where its column has no room for the name."""
        return "" if self._width() >= _WIDE else self._label

    def cells(self, row: int) -> Sequence[Cell]:
        self._fit()
        label, confused = int(self.rows[row]), self.confused
        head: tuple[Cell, ...] = (
            confused.names[label],
            f"{int(confused.table.queries[label]):,}",
            value_cell(float(confused.means[label]), self._glyphs, self._measure),
        )
        return (*head, *(self._whole_row(label) if self._whole else self._row(label)))

    def _whole_row(self, label: int) -> list[Cell]:
        shares = self.confused.shares(label, self._shown).tolist()
        return [
            _own(share) if other == label else _other(share)
            for other, share in zip(self._shown.tolist(), shares, strict=False)
        ]

    def _row(self, label: int) -> list[Cell]:
        """The label's own share, those of the columns (its own is said already), and the rest."""
        foreign = self._shown[self._shown != label]
        same, *shares = self.confused.shares(label, np.append(label, foreign)).tolist()
        said = dict(zip(foreign.tolist(), shares, strict=False))
        cells: list[Cell] = [
            (self._glyphs.same, "dim") if other == label else _other(said[other])
            for other in self._shown.tolist()
        ]
        return [_own(same), *cells, _other(shares[-1])]

    @cached_property
    def _longest(self) -> int:
        names = self.confused.names
        return max((cell_len(names[label]) for label in self.rows.tolist()), default=8)

    def _lay_out(self, width: int) -> Iterable[Column]:
        score = self._label if width >= _WIDE else "mean"
        # Where there is no room to say it in words, the corner tells rows from columns.
        corner = self.confused.group.replace("_", " ") if width >= _WIDE else _CORNER
        label = max(
            8 if width >= _WIDE else len(_CORNER), min(self._longest, 32 if width >= _WIDE else 18)
        )
        head = (
            Column(corner, label),
            Column("queries", _QUERIES, right=True),
            Column(score, max(4, len(score)), right=True),
        )
        room = width - GUTTER - sum((column.width or 0) + GAP for column in head)
        asked = self.rows[:width]  # more can never fit
        retrieved = np.setdiff1d(self.confused.columns, self.rows)[:width]
        every = np.append(asked, retrieved)
        self._whole = len(every) < width and self._wide_enough(every, room)
        if self._whole:
            self._shown = every
            columns = widened([self._column(label) for label in every.tolist()], room + GAP)
            return (*head, *columns)
        room -= _SAME + GAP + _OTHERS + GAP
        self._shown = self._fitting(room)
        return (
            *head,
            Column("same", _SAME, right=True),
            *widened([self._column(label) for label in self._shown.tolist()], room),
            Column("others", _OTHERS, right=True),
        )

    def _column(self, label: int) -> Column:
        name = self.confused.names[label]
        most = _WIDEST if (self._laid_out or 0) >= _WIDE else _WIDEST_OF_NARROW
        return Column(name, max(_NARROWEST, min(cell_len(name), most)), right=True)

    def _wide_enough(self, labels: Codes, room: int) -> bool:
        widths = [(self._column(label).width or 0) + GAP for label in labels.tolist()]
        return sum(widths) <= room + GAP

    def _fitting(self, room: int) -> Codes:
        kept: list[int] = []
        for label in self.confused.columns[: self._laid_out or 0].tolist():
            room -= (self._column(label).width or 0) + GAP
            if room < 0:
                break
            kept.append(label)
        return np.array(kept, np.int64)


def widened(columns: Sequence[Column], room: int) -> list[Column]:
    """Columns whose titles are cut, made wider while there is room: as many whole ones as can be.

    >>> [column.width for column in widened([Column("bedroom", 5), Column("lounge", 5)], 14)]
    [6, 6]
    """
    widths = [column.width or 0 for column in columns]
    lacking = [
        min(cell_len(column.title[:room]), room) - width
        for column, width in zip(columns, widths, strict=True)
    ]
    spare = room - sum(widths) - GAP * len(widths)
    for number in sorted(range(len(widths)), key=lambda number: lacking[number]):
        more = max(0, min(lacking[number], spare))
        widths[number] += more
        spare -= more
    return [replace(column, width=width) for column, width in zip(columns, widths, strict=True)]


def _own(share: float) -> Cell:
    """The diagonal stands in brackets: it is seen without any colour."""
    return f"[{percentage(share) or '0'}]", "strong"


def _other(share: float) -> Cell:
    return percentage(share), "" if share >= _LOUD else "dim"


class ConfusionTable(LineTable):
    """The table; the cursor's label can be dived into."""

    def confuse(
        self,
        confused: Confused,
        sort: Sort[Order],
        measure: Measure,
        label: str,
        on: Keyword | None = None,
    ) -> None:
        """Show the counts in an order; the cursor goes to the label `on`."""
        rows = ConfusionRows(confused, sort, measure, label, self._glyphs, lambda: self.line_width)
        place = next((n for n, row in enumerate(rows.rows) if confused.keyword(row) == on), 0)
        self.show(rows, place)

    @property
    def shown(self) -> ConfusionRows | None:
        return self.source if isinstance(self.source, ConfusionRows) else None

    @property
    def label(self) -> int | None:
        """The label under the cursor."""
        shown = self.shown
        return int(shown.rows[self.cursor]) if shown is not None and self.cursor >= 0 else None

    @property
    def keyword(self) -> Keyword | None:
        shown, label = self.shown, self.label
        return None if shown is None or label is None else shown.confused.keyword(label)


def what_is_counted(rows: ConfusionRows, glyphs: Glyphs) -> str:
    """What the numbers are, and what they leave out."""
    confused = rows.confused
    parts = [f"% of the top {confused.k:,}", "[ ] same label"]
    if not rows.unnamed:
        parts = ["rows: label asked", "columns: label found", *parts]
    if rows.unnamed:
        parts.append(f"mean {rows.unnamed}")
    if rows.further:
        parts.append(f"others: {counted(rows.further, 'label')}")
    if confused.left_out:
        parts.append(f"{counted(confused.left_out, 'query')} without one label not counted")
    return f" {glyphs.dot} ".join(parts)


def confusion_in_words(confused: Confused, label: int, width: int, glyphs: Glyphs) -> str:
    """What is retrieved for a label, the biggest confusions first, in one line."""
    said = _words(confused, label, width, glyphs)
    return fit(said, min(cell_len(said), width), ellipsis=glyphs.ellipsis)


def _words(confused: Confused, label: int, width: int, glyphs: Glyphs) -> str:
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
    name = safe(name)
    return fit(name, min(cell_len(name[:_LONGEST_NAME]), _LONGEST_NAME), ellipsis=glyphs.ellipsis)
