"""Where items stand in the files that they were read from, if some of those were left out.

`rows` are the rows of the items, ascending; None: every row is an item.
"""

from __future__ import annotations

import numpy as np

from engine.base.arrays import Ints


def find_item_in_row(row: int, items: int, rows: Ints | None = None) -> int | None:
    """The place among so many items of the one that stands in this row; None: there is none.

    >>> rows = np.array([0, 2, 5])
    >>> find_item_in_row(2, 3, rows), find_item_in_row(1, 3, rows), find_item_in_row(6, 3, rows)
    (1, None, None)
    >>> find_item_in_row(2, 3), find_item_in_row(3, 3)
    (2, None)
    """
    if rows is None:
        return row if 0 <= row < items else None
    place = int(np.searchsorted(rows, row))
    return place if place < items and rows[place] == row else None


def find_last_row(items: int, rows: Ints | None = None) -> int:
    """The row in which the last of so many items stands.

    >>> find_last_row(3), find_last_row(3, np.array([0, 2, 5]))
    (2, 5)
    """
    return items - 1 if rows is None else int(rows[-1])
