"""Rows whose columns follow the width of the line, and whose titles show the order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.cells import cell_len

from tui.look.glyphs import Glyphs
from tui.look.nouns import OF_CLIPS, Nouns
from tui.widgets.line_layout import LineCell, LineColumn, fit
from tui.widgets.line_table import LineTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Sort(Generic[K]):
    """A column and its direction."""

    key: K
    descending: bool = False

    @property
    def reversed(self) -> Sort[K]:
        return Sort(self.key, not self.descending)


class FittedRows(Generic[T, K]):
    """Some rows of a table, in an order.

    rows   the numbers of the rows in the table, or what each row says
    width  cells of a line
    keys   what each column sorts by, from left to right; further columns sort by nothing
    """

    keys: Sequence[K] = ()
    signs: Mapping[str, str] = MappingProxyType({})
    """What stands before the names of some rows."""

    def __init__(
        self,
        table: T,
        rows: NDArray[np.integer[Any]] | Sequence[Any],
        sort: Sort[K] | None,
        glyphs: Glyphs,
        width: Callable[[], int] = lambda: 0,
        nouns: Nouns = OF_CLIPS,
    ) -> None:
        self.table = table
        self.rows = rows
        self.sort = sort
        self._glyphs = glyphs
        self._width = width
        self._nouns = nouns
        self._laid_out: int | None = None
        self._columns: tuple[LineColumn, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _sign_room(self) -> int:
        """Cells of the widest sign."""
        return max(map(cell_len, self.signs.values()), default=0)

    def _signed(self, name: str) -> str:
        """A name behind its sign; once there is any, all names begin below one another."""
        return fit(self.signs.get(name, ""), self._sign_room) + name

    @property
    def columns(self) -> Sequence[LineColumn]:
        self._fit()
        return self._columns

    def _fit(self) -> None:
        """Lay the columns out for the line as it is now."""
        width = self._width()
        if width != self._laid_out:
            self._laid_out = width
            self._columns = tuple(self._lay_out(width))

    def _lay_out(self, width: int) -> Iterable[LineColumn]:
        """The columns of a line of this width; here `keys` is set where it depends on them."""
        raise NotImplementedError

    def cells(self, row: int) -> Sequence[LineCell]:
        raise NotImplementedError

    def subject(self, row: int) -> Any:
        """What a row stands for."""
        return self.rows[row]

    def _title(self, title: str, key: K) -> str:
        """A title, with a sign if the rows are sorted by it."""
        if self.sort is None or key != self.sort.key:
            return title
        return f"{title}{self._glyphs.down if self.sort.descending else self._glyphs.up}"

    # Other orders

    @property
    def _cycle(self) -> Sequence[K]:
        """What one key goes through, from column to column."""
        return self.keys

    @staticmethod
    def first(key: K) -> Sort[K]:
        """The direction of a column that one wants to see first."""
        return Sort(key)

    def next_sort(self) -> Sort[K]:
        """By the column after the one that they are sorted by."""
        self._fit()
        keys, now = self._cycle, self.sort.key if self.sort else None
        place = keys.index(now) if now in keys else -1
        return self.first(keys[(place + 1) % len(keys)])

    def sort_by_column(self, column: int) -> Sort[K] | None:
        """By a column, turned around if it is that one already; None: it sorts by nothing."""
        self._fit()
        if column >= len(self.keys):
            return None
        key = self.keys[column]
        return self.sort.reversed if self.sort and key == self.sort.key else self.first(key)


class SubjectTable(LineTable):
    """Rows that each stand for something: a keyword, a slice, a session."""

    def show_subjects(self, rows: FittedRows[Any, Any], on: object = None) -> None:
        """Show rows; the cursor goes to the one that stands for `on`, else to the first."""
        self.show(rows, next((n for n in range(len(rows)) if rows.subject(n) == on), 0))

    @property
    def subject(self) -> Any:
        """What the row under the cursor stands for; None: there is no row."""
        source = self.source
        if not isinstance(source, FittedRows) or not 0 <= self.cursor < len(source):
            return None
        return source.subject(self.cursor)
