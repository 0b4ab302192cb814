"""Hits of ranked items against explicit relevant sets, for whole batches at once.

Sets are in CSR form: query i's relevant items are `indices[indptr[i]:indptr[i + 1]]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats, Ints
from engine.base.errors import InputError
from engine.base.ranking import NO_ITEM, Ranking

_TABLE_BYTES = 1 << 22
"""A lookup table of this size stays in the processor's cache."""

_FEWEST_ROWS = 16
"""With fewer queries per table than this, a search in sorted keys is faster."""


def gains_from_sets(
    ranking_indices: Ints,
    indptr: Ints,
    indices: Ints,
    gains: npt.NDArray[np.floating] | None = None,
) -> Bools | Floats:
    """(q, d) whether each ranked item is relevant to its query; its gain if gains are given.

    >>> gains_from_sets(np.array([[5, 2], [2, -1]]), np.array([0, 1, 3]), np.array([5, 1, 2]))
    array([[ True, False],
           [ True, False]])
    """
    if len(indptr) != len(ranking_indices) + 1 or indptr[-1] != len(indices):
        raise ValueError("indptr needs one entry more than there are queries, up to len(indices)")
    if ranking_indices.min(initial=0) < NO_ITEM or indices.min(initial=0) < 0:
        raise ValueError("item indices must not be negative")
    worth = np.ones(len(indices), dtype=np.bool_) if gains is None else gains.astype(np.float64)
    items = int(max(ranking_indices.max(initial=0), indices.max(initial=0))) + 1
    rows = _TABLE_BYTES // (worth.itemsize * (items + 1))
    if rows < _FEWEST_ROWS:
        return _by_sorted_keys(ranking_indices, indptr, indices, worth, items)
    return _by_table(ranking_indices, indptr, indices, worth, items, rows)


def _by_table(
    ranking: Ints,
    indptr: Ints,
    indices: Ints,
    worth: npt.NDArray[Any],
    items: int,
    rows: int,
) -> npt.NDArray[Any]:
    """Look every item up in a queries × items table, some rows at a time."""
    out = np.empty(ranking.shape, dtype=worth.dtype)
    # One column more than items: NO_ITEM (−1) then falls on a place that is never set.
    width = items + 1
    table = np.zeros(min(rows, len(ranking)) * width, dtype=worth.dtype)
    sizes = np.diff(indptr)
    for start in range(0, len(ranking), rows):
        stop = min(start + rows, len(ranking))
        sets = slice(int(indptr[start]), int(indptr[stop]))
        offsets = np.arange(stop - start, dtype=np.int64) * width
        places = np.repeat(offsets, sizes[start:stop]) + indices[sets]
        table[places] = worth[sets]
        out[start:stop] = table[ranking[start:stop] + offsets[:, None]]
        table[places] = 0
    return out


def _by_sorted_keys(
    ranking: Ints, indptr: Ints, indices: Ints, worth: npt.NDArray[Any], items: int
) -> npt.NDArray[Any]:
    """Search (query, item) keys among those of the relevant sets; memory follows the input."""
    owners = np.repeat(np.arange(len(ranking), dtype=np.int64), np.diff(indptr))
    keys = owners * items + indices
    if np.any(keys[1:] < keys[:-1]):
        order = np.argsort(keys, kind="stable")
        keys, worth = keys[order], worth[order]
    if not len(keys):
        return np.zeros(ranking.shape, dtype=worth.dtype)
    asked = np.arange(len(ranking), dtype=np.int64)[:, None] * items + ranking
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    found = (keys[place] == asked) & (ranking != NO_ITEM)
    hits = worth[place]
    hits[~found] = 0
    return hits


def ideal_from_sets(indptr: Ints, gains: npt.NDArray[np.floating]) -> Floats:
    """(q, m) every query's gains in descending order, padded with 0: the ideal ranking.

    >>> ideal_from_sets(np.array([0, 2, 3]), np.array([1.0, 3.0, 2.0]))
    array([[3., 1.],
           [2., 0.]])
    """
    sizes = np.diff(indptr)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    ideal = np.zeros((len(sizes), int(sizes.max(initial=0))))
    ideal[owners, np.arange(len(gains)) - indptr[:-1][owners]] = gains[np.lexsort((-gains, owners))]
    return ideal


def _repeats(indices: Ints) -> Bools:
    """(q, d) whether the same item stands further up in the same ranking."""
    order = np.argsort(indices, axis=1, kind="stable")
    ordered = np.take_along_axis(indices, order, axis=1)
    again = np.zeros(indices.shape, dtype=np.bool_)
    again[:, 1:] = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NO_ITEM)
    repeats = np.empty_like(again)
    np.put_along_axis(repeats, order, again, axis=1)
    return repeats


def name_query(query: int, names: Sequence[str] | None) -> str:
    """A query in a message: by its name, or by its place."""
    return f"query {query}" if names is None else f"query {names[query]!r}"


def require_unique(
    ranking: Ranking,
    query_names: Sequence[str] | None = None,
    item_names: Sequence[str] | None = None,
) -> None:
    """Raise InputError naming the query and the item if an item is ranked twice."""
    repeats = _repeats(ranking.indices)
    if not repeats.any():
        return
    query, place = (int(i) for i in np.argwhere(repeats)[0])
    item = int(ranking.indices[query, place])
    item_name = item if item_names is None else repr(item_names[item])
    raise InputError(
        f"{name_query(query, query_names)} ranks item {item_name} more than once",
        hint="remove the repeats, or keep the best of each with the policy keep_best",
    )
