"""Listing: what a screen remembers of one table, while others are shown in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from tui.widgets.fitted_rows import Sort

if TYPE_CHECKING:  # the first paint does without numpy
    from engine.base.arrays import Bools, Ints
    from engine.keywords.query_filter import Filter
    from engine.sessions import TableView
    from tui.work.scope import Scope

_NO_ROWS: Ints = cast("Ints", ())
R = TypeVar("R")
K = TypeVar("K")
D = TypeVar("D")


@dataclass(slots=True)
class RememberedRows(Generic[R, K, D]):
    """Some rows of a result in an order, and where one is in them.

    result   what is listed; None: there is nothing yet
    scope    what it was made with
    sort     None: the usual order
    dived    what was dived into: a keyword, a slice, a class; None: nothing was
    rows     the rows (of the result) that are listed, in their order
    current  the row that the user was last on
    placed   the row on which a new order or filter put the cursor
    failure  why the last work came to nothing
    left     how a session that is resumed was left, until there is a result
    """

    result: R | None = None
    scope: Scope | None = None
    sort: Sort[K] | None = None
    filter_text: str = ""
    filter: Filter | None = None
    dived: D | None = None
    rows: Ints = _NO_ROWS
    current: int | None = None
    placed: int | None = None
    failure: str = ""
    left: TableView | None = None

    def arrange(self, order: Ints, kept: Bools) -> int:
        """List the rows that are kept; the place of the row that one was on, else the first."""
        self.rows = order[kept[order]]
        places = (self.rows == self.current).nonzero()[0]
        place = int(places[0]) if len(places) else 0
        self.placed = self.row_at(place)
        return place

    def row_at(self, place: int) -> int | None:
        return int(self.rows[place]) if 0 <= place < len(self.rows) else None

    def follow(self, place: int) -> None:
        """The cursor went to a place."""
        row = self.row_at(place)
        # A filter that hides the query moves the cursor, but not the user's place.
        if row is not None and row != self.placed:
            self.current, self.placed = row, None
