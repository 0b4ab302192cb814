"""Label × label: one row for each label that is asked for, as many as columns as fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
from rich.cells import cell_len

from engine.base.arrays import Ints
from engine.base.keyword import Keyword
from engine.base.messages import format_percentage
from engine.labels.confusion_matrix import ConfusionMatrix, ConfusionSortKey
from engine.metrics import Measure
from tui.evaluate.rows import format_cell
from tui.look.glyphs import Glyphs
from tui.look.nouns import spell_group
from tui.widgets.fitted_rows import FittedRows, Sort
from tui.widgets.line_layout import COLUMN_GAP, GUTTER, LineCell, LineColumn

_WIDE = 100
_QUERIES = 7
_SAME = len("[>99]")
_OTHERS = len("others")
_NARROWEST, _WIDEST, _WIDEST_OF_NARROW = 5, 12, 8
"""Cells of the column of a label; the last where the screen is narrow."""
_CORNER = "asked\\found"
_LOUD = 0.1
"""From this share on a wrong label is no longer quiet."""


class ConfusionRows(FittedRows[ConfusionMatrix, ConfusionSortKey]):
    """One row per label that queries have; as many labels as columns as fit.

    Where all fit, it is the whole table, and the columns stand in the order of the rows: the
    diagonal is one. Where not, the columns are the labels that intrude most, the query's own
    label has a column of its own, and what is left are the others: a row adds to 100 %.
    """

    keys: Sequence[ConfusionSortKey] = ("label", "queries", "score")
    rows: Ints

    def __init__(
        self,
        confused: ConfusionMatrix,
        sort: Sort[ConfusionSortKey],
        measure: Measure,
        label: str,
        glyphs: Glyphs,
        width: Callable[[], int],
    ) -> None:
        rows = confused.order(sort.key, reverse=sort.descending)
        super().__init__(confused, rows, sort, glyphs, width)
        self._measure = measure
        self._label = label
        self._whole = False
        self._shown = rows

    @property
    def _cycle(self) -> Sequence[ConfusionSortKey]:
        return self.keys[::-1]

    @property
    def further(self) -> int:
        """Labels that were retrieved and have no column: the others."""
        self._fit()
        return len(np.setdiff1d(self.table.columns, self._shown))

    @property
    def unnamed(self) -> str:
        """What the mean is of, where its column has no room for the name."""
        return "" if self._width() >= _WIDE else self._label

    def cells(self, row: int) -> Sequence[LineCell]:
        self._fit()
        label, confused = int(self.rows[row]), self.table
        head: tuple[LineCell, ...] = (
            confused.names[label],
            f"{int(confused.table.queries[label]):,}",
            format_cell(float(confused.means[label]), self._glyphs, self._measure),
        )
        return (*head, *(self._whole_row(label) if self._whole else self._row(label)))

    def subject(self, row: int) -> Keyword:
        return self.table.keyword(int(self.rows[row]))

    def _whole_row(self, label: int) -> list[LineCell]:
        shares = self.table.shares(label, self._shown).tolist()
        return [
            _own(share) if other == label else _other(share)
            for other, share in zip(self._shown.tolist(), shares, strict=False)
        ]

    def _row(self, label: int) -> list[LineCell]:
        """The label's own share, those of the columns (its own is said already), and the rest."""
        foreign = self._shown[self._shown != label]
        same, *shares = self.table.shares(label, np.append(label, foreign)).tolist()
        said = dict(zip(foreign.tolist(), shares, strict=False))
        cells: list[LineCell] = [
            (self._glyphs.same, "dim") if other == label else _other(said[other])
            for other in self._shown.tolist()
        ]
        return [_own(same), *cells, _other(shares[-1])]

    @cached_property
    def _longest(self) -> int:
        names = self.table.names
        return max((cell_len(names[label]) for label in self.rows.tolist()), default=8)

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        score = self._label if width >= _WIDE else "mean"
        # Where there is no room to say it in words, the corner tells rows from columns.
        corner = spell_group(self.table.group) if width >= _WIDE else _CORNER
        label = max(
            8 if width >= _WIDE else len(_CORNER), min(self._longest, 32 if width >= _WIDE else 18)
        )
        head = (
            LineColumn(corner, label),
            LineColumn("queries", _QUERIES, right=True),
            LineColumn(score, max(4, len(score)), right=True),
        )
        room = width - GUTTER - sum((column.width or 0) + COLUMN_GAP for column in head)
        asked = self.rows[:width]  # more can never fit
        retrieved = np.setdiff1d(self.table.columns, self.rows)[:width]
        every = np.append(asked, retrieved)
        needed = sum(map(self._cells_of, every.tolist()))
        self._whole = len(every) < width and needed <= room + COLUMN_GAP
        if self._whole:
            self._shown = every
            columns = widen([self._column(label) for label in every.tolist()], room + COLUMN_GAP)
            return (*head, *columns)
        room -= _SAME + COLUMN_GAP + _OTHERS + COLUMN_GAP
        self._shown = self._fitting(room)
        return (
            *head,
            LineColumn("same", _SAME, right=True),
            *widen([self._column(label) for label in self._shown.tolist()], room),
            LineColumn("others", _OTHERS, right=True),
        )

    def _column(self, label: int) -> LineColumn:
        name = self.table.names[label]
        most = _WIDEST if (self._laid_out or 0) >= _WIDE else _WIDEST_OF_NARROW
        return LineColumn(name, max(_NARROWEST, min(cell_len(name), most)), right=True)

    def _cells_of(self, label: int) -> int:
        return (self._column(label).width or 0) + COLUMN_GAP

    def _fitting(self, room: int) -> Ints:
        kept: list[int] = []
        for label in self.table.columns[: self._laid_out or 0].tolist():
            room -= self._cells_of(label)
            if room < 0:
                break
            kept.append(label)
        return np.array(kept, np.int64)


def widen(columns: Sequence[LineColumn], room: int) -> list[LineColumn]:
    """Columns whose titles are cut, made wider while there is room: as many whole ones as can be.

    >>> [
    ...     column.width
    ...     for column in widen([LineColumn("bedroom", 5), LineColumn("lounge", 5)], 14)
    ... ]
    [6, 6]
    """
    widths = [column.width or 0 for column in columns]
    lacking = [
        min(cell_len(column.title[:room]), room) - width
        for column, width in zip(columns, widths, strict=True)
    ]
    spare = room - sum(widths) - COLUMN_GAP * len(widths)
    for number in sorted(range(len(widths)), key=lambda number: lacking[number]):
        more = max(0, min(lacking[number], spare))
        widths[number] += more
        spare -= more
    return [column._replace(width=width) for column, width in zip(columns, widths, strict=True)]


def _own(share: float) -> LineCell:
    """The diagonal stands in brackets: it is seen without any colour."""
    return f"[{format_percentage(share) or '0'}]", "strong"


def _other(share: float) -> LineCell:
    return format_percentage(share), "" if share >= _LOUD else "dim"
