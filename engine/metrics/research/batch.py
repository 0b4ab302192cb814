"""What `RetrievalMetrics` is handed for many queries at once, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.errors import InputError
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics.qrels import name_query, require_unique
from engine.metrics.research.arguments import (
    GivenRankings,
    GivenRelevance,
    RelevantItems,
    as_numbers,
    grade_items,
    require_finite,
)

_LARGEST = int(np.iinfo(np.int64).max)


@runtime_checkable
class SparseMatrix(Protocol):
    """A sparse queries × items matrix of grades, such as `scipy.sparse.csr_array`."""

    indptr: Any
    indices: Any
    data: Any
    shape: Any


RelevantItemsPerQuery: TypeAlias = (
    Sequence[RelevantItems[int] | None] | npt.NDArray[Any] | SparseMatrix
)
"""One entry per query (None: unknown), or a queries × items matrix of grades, dense or sparse."""


def read_batch(
    retrieved: npt.ArrayLike,
    scores: npt.ArrayLike,
    relevant: RelevantItemsPerQuery | None,
    names: Sequence[str] | None = None,
) -> GivenRankings:
    """Many queries: q × d indices (-1: nothing) and scores, and what is relevant to each."""
    indices = _index_table(retrieved)
    values = as_numbers(scores, "scores")
    if values.shape != indices.shape:
        raise InputError(
            f"retrieved has the shape {indices.shape} and scores {values.shape}",
            hint="give one score for each item",
        )
    if names is not None and len(names) != len(indices):
        raise InputError(
            f"retrieved has {len(indices)} rows, and there are {len(names)} names of queries",
            hint="give one name for each query, or none at all",
        )
    _require_filled_from_the_left(indices, names)
    require_finite(indices, values, names)
    with np.errstate(over="ignore"):
        require_unique(Ranking(indices, values.astype(np.float32)), names)
    truth = _sets(relevant, len(indices), names)
    if truth.items is not None and indices.max(initial=NO_ITEM) >= truth.items:
        raise InputError(
            f"item {indices.max()} is ranked, but relevant has {truth.items} columns",
            hint="give relevant one column for each item of the collection",
        )
    return GivenRankings(indices, values, truth)


def _index_table(retrieved: npt.ArrayLike) -> Ints:
    try:
        table = np.asarray(retrieved)
    except ValueError:
        raise InputError(
            "the rankings differ in length", hint="fill the short ones up with -1"
        ) from None
    if table.ndim != 2 or table.dtype.kind not in "iu":
        raise InputError(
            f"retrieved is no table of item indices (shape {table.shape}, {table.dtype})",
            hint="give a queries × depth array of whole numbers, -1 for nothing",
        )
    if table.min(initial=0) < NO_ITEM or table.max(initial=0) > _LARGEST:
        raise InputError(
            f"item {table.min() if table.min() < NO_ITEM else table.max()} is no index",
            hint="indices count from 0; -1 is for nothing",
        )
    return table.astype(np.int64)


def _require_filled_from_the_left(indices: Ints, names: Sequence[str] | None) -> None:
    holes = (indices[:, 1:] != NO_ITEM) & (indices[:, :-1] == NO_ITEM)
    if holes.any():
        query, place = (int(i) for i in np.argwhere(holes)[0])
        raise InputError(
            f"{name_query(query, names)} has an item at rank {place + 2} after -1 (nothing)",
            hint="-1 stands after the last result only",
        )


def _sets(
    relevant: RelevantItemsPerQuery | None, queries: int, names: Sequence[str] | None
) -> GivenRelevance:
    if relevant is None:
        return GivenRelevance(
            np.zeros(queries + 1, np.int64),
            np.empty(0, np.int64),
            None,
            np.zeros(queries, np.bool_),
        )
    given = relevant.shape[0] if isinstance(relevant, SparseMatrix) else len(relevant)
    if given != queries:
        raise InputError(
            f"retrieved has {queries} rows, relevant {given}",
            hint="give one entry for each query: its relevant items, or None if unknown",
        )
    if isinstance(relevant, SparseMatrix):
        return _from_matrix(
            np.repeat(np.arange(queries), np.diff(relevant.indptr)),
            np.asarray(relevant.indices, np.int64),
            np.asarray(relevant.data),
            (queries, int(relevant.shape[1])),
        )
    if isinstance(relevant, np.ndarray) and relevant.ndim == 2:
        owners, items = np.nonzero(relevant)
        return _from_matrix(owners, items, relevant[owners, items], (queries, relevant.shape[1]))
    return _from_entries(list(relevant), names)


def _from_matrix(
    owners: Ints, items: Ints, worth: npt.NDArray[Any], shape: tuple[int, int]
) -> GivenRelevance:
    """A queries × items matrix of grades, or of True and False, by its entries that are not 0."""
    grades = np.ones(len(worth)) if worth.dtype == np.bool_ else as_numbers(worth, "relevant")
    if not np.isfinite(grades).all():
        raise InputError("relevant holds NaN or infinity", hint="give finite grades")
    keys = owners * shape[1] + items
    if len(np.unique(keys)) != len(keys):
        raise InputError("relevant grades an item of a query twice", hint="sum up its duplicates")
    kept = np.flatnonzero(grades > 0)
    kept = kept[np.argsort(keys[kept])]
    counts = np.bincount(owners[kept], minlength=shape[0])
    binary = bool((grades[kept] == 1).all())
    return GivenRelevance(
        indptr=np.concatenate(([0], np.cumsum(counts))),
        indices=items[kept],
        grades=None if binary else grades[kept],
        known=np.ones(shape[0], np.bool_),
        items=shape[1],
    )


def _from_entries(
    relevant: Sequence[RelevantItems[int] | None], names: Sequence[str] | None
) -> GivenRelevance:
    """One collection of items, one mapping from items to grades, or None, for each query."""
    own = [
        {} if entry is None else _relevant_indices(entry, name_query(query, names))
        for query, entry in enumerate(relevant)
    ]
    graded = any(isinstance(entry, Mapping) for entry in relevant)
    return GivenRelevance(
        indptr=np.cumsum([0, *map(len, own)], dtype=np.int64),
        indices=np.array([item for grades in own for item in grades], np.int64),
        grades=np.array([g for grades in own for g in grades.values()]) if graded else None,
        known=np.array([entry is not None for entry in relevant], np.bool_),
    )


def _relevant_indices(entry: RelevantItems[int], query: str) -> dict[int, float]:
    """The relevant items of one query with their grades."""
    own: dict[int, float] = {}
    for item, grade in grade_items(entry, f"the relevant items of {query}").items():
        if isinstance(item, str) or not 0 <= item <= _LARGEST:
            raise InputError(
                f"the relevant item {item!r} of {query} is no index",
                hint="indices are whole numbers from 0; evaluate_query also takes ids",
            )
        if grade > 0:
            own[item] = grade
    return own
