"""The order and the row of a table as a session names them, and both found again in another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from engine.sessions import TableRow, TableSort
from tui.shell.listing import RememberedRows
from tui.widgets.fitted_rows import Sort

K = TypeVar("K")


class NamedRows(Protocol):
    """A table whose rows are queries."""

    def name(self, row: int) -> str: ...

    def place(self, row: int) -> int: ...

    def row_of(self, name: str, place: int) -> int | None: ...


def name_sort(sort: Sort[K] | None) -> TableSort | None:
    """An order, for a session.

    >>> name_sort(Sort("query", descending=True))
    TableSort(column='query', direction='descending')
    """
    if sort is None:
        return None
    return TableSort(str(sort.key), "descending" if sort.descending else "ascending")


def find_saved_sort(saved: TableSort | None, keys: Iterable[K]) -> Sort[K] | None:
    """The order that a session names; None: there is no such column (any more).

    >>> find_saved_sort(TableSort("query", "descending"), ["change", "query"])
    Sort(key='query', descending=True)
    """
    if saved is None:
        return None
    key = next((key for key in keys if str(key) == saved.column), None)
    return None if key is None else Sort(key, saved.direction == "descending")


def name_row(table: NamedRows, row: int | None) -> TableRow | None:
    return None if row is None else TableRow(table.name(row), table.place(row))


def find_saved_row(table: NamedRows, saved: TableRow | None) -> int | None:
    """The row of the query that a session names; None: there is no such query (any more)."""
    return None if saved is None else table.row_of(saved.query, saved.place)


def name_order(
    listing: RememberedRows[Any, Any, Any], table: NamedRows | None
) -> tuple[TableSort | None, TableRow | None]:
    """In which order one is on which row. As long as there is no table, as it was left: it may be
    left again before there is one."""
    left = listing.left
    if table is not None:
        return name_sort(listing.sort), name_row(table, listing.current)
    return (None, None) if left is None else (left.sort, left.row)


def restore_order(
    listing: RememberedRows[Any, K, Any], table: NamedRows, keys: Iterable[K]
) -> None:
    """Arrange the first result of a session that is resumed as it was left."""
    left, listing.left = listing.left, None
    if left is not None:
        listing.sort = find_saved_sort(left.sort, keys)
        listing.current = find_saved_row(table, left.row)
