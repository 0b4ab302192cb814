"""What `RetrievalMetrics` is handed for one query, checked and brought into one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats, Ints
from engine.base.errors import InputError
from engine.base.ranking import NO_ITEM
from engine.metrics.qrels import gains_from_sets, ideal_from_sets, name_query
from engine.metrics.relevance import Relevance

Item: TypeAlias = int | str
"""What a ranking names: the index of an item, or its id."""

_Key = TypeVar("_Key", bound=Item)

RelevantItems: TypeAlias = Iterable[_Key] | Mapping[_Key, float]
"""The relevant items of one query, or every judged item with its grade."""

LARGEST_K = 999_999_999
_COMPACT = 1 << 31
"""Above this, item numbers are replaced by smaller ones before (query, item) keys are formed."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenRelevance:
    """The relevant items of q queries: those of query i are `indices[indptr[i]:indptr[i + 1]]`.

    grades  one per item, above 0; None: every relevant item is worth the same
    known   (q,) False: nobody said what is relevant to the query
    items   the items that the sets can name; None: any
    """

    indptr: Ints
    indices: Ints
    grades: Floats | None
    known: Bools
    items: int | None = None

    @property
    def counts(self) -> Ints:
        return np.diff(self.indptr)


@dataclass(frozen=True, slots=True, eq=False)
class GivenRankings:
    """Rankings as they were handed in (`NO_ITEM` fills short ones), and what is relevant."""

    indices: Ints
    scores: Floats
    truth: GivenRelevance

    @property
    def returned(self) -> Ints:
        """n, the results of each query."""
        counts: Ints = (self.indices != NO_ITEM).sum(axis=1, dtype=np.int64)
        return counts

    def relevance(self) -> Relevance:
        """What the measures read: the list handed in is all that the system returned."""
        ranked, relevant = _compact(self.indices, self.truth.indices)
        indptr, grades = self.truth.indptr, self.truth.grades
        return Relevance(
            gains=gains_from_sets(ranked, indptr, relevant, grades),
            scores=self.scores,
            returned=self.returned,
            relevant=self.truth.counts,
            collection=0,
            ideal=None if grades is None else ideal_from_sets(indptr, grades),
            complete=True,
        )


def _compact(ranked: Ints, relevant: Ints) -> tuple[Ints, Ints]:
    """Ranked and relevant items, renumbered if their numbers are huge (hashes, say)."""
    if max(ranked.max(initial=0), relevant.max(initial=0)) < _COMPACT:
        return ranked, relevant
    names, numbers = np.unique(np.concatenate((ranked.ravel(), relevant)), return_inverse=True)
    numbers = numbers - np.count_nonzero(names == NO_ITEM)  # NO_ITEM sorts first, and stays
    return numbers[: ranked.size].reshape(ranked.shape), numbers[ranked.size :]


def read_k(k: int) -> int:
    """A cut-off, or an error.

    >>> read_k(0)
    Traceback (most recent call last):
    engine.base.errors.InputError: k is 0; give a whole number from 1 on
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= LARGEST_K:
        raise InputError(f"k is {k!r}", hint="give a whole number from 1 on")
    return int(k)


def read_query(
    retrieved: Iterable[Item], scores: Iterable[float], relevant: RelevantItems[Item] | None
) -> GivenRankings:
    """One query; its items are numbers or texts, and are renumbered."""
    ranked = _items(retrieved, "retrieved_indices")
    values = _one_row(scores)
    if len(values) != len(ranked):
        raise InputError(
            f"retrieved_indices has {len(ranked)} items and similarity_scores {len(values)}",
            hint="give one score for each item",
        )
    while ranked and ranked[-1] == NO_ITEM:
        ranked.pop()
    grades = None if relevant is None else grade_items(relevant, "relevant_indices")
    require_one_kind(ranked, list(grades or ()))
    places = _places(ranked)
    own = {item: grade for item, grade in (grades or {}).items() if grade > 0}
    numbers = [places.setdefault(item, len(places)) for item in own]
    truth = GivenRelevance(
        indptr=np.array([0, len(own)], np.int64),
        indices=np.array(numbers, np.int64),
        grades=np.array([*own.values()], np.float64) if isinstance(relevant, Mapping) else None,
        known=np.array([relevant is not None]),
    )
    indices = np.arange(len(ranked), dtype=np.int64)[None, :]
    found = values[None, : len(ranked)]
    require_finite(indices, found, None)
    return GivenRankings(indices, found, truth)


def _items(items: Iterable[Item], name: str) -> list[Item]:
    """Items as plain numbers and texts; what is neither is an error."""
    several = isinstance(items, np.ndarray) and items.ndim > 1
    if several or isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise InputError(
            f"{name} is not a list of items", hint="give the items of one query in one list"
        )
    found = items.tolist() if isinstance(items, np.ndarray) else list(items)
    plain = [int(item) if isinstance(item, np.integer) else item for item in found]
    for item in plain:
        if isinstance(item, bool | np.bool_) or not isinstance(item, int | str):
            raise InputError(
                f"{name} holds {item!r}, which is neither a whole number nor a text",
                hint="give the items' indices or ids; np.flatnonzero(mask) makes them of a mask",
            )
    return plain


def grade_items(relevant: RelevantItems[Item], name: str) -> dict[Item, float]:
    """Every judged item with its grade; 1 where none was given."""
    items = _items(relevant, name)
    if not isinstance(relevant, Mapping):
        return dict.fromkeys(items, 1.0)
    values = as_numbers([*relevant.values()], name)
    for item, value in zip(items, values, strict=True):
        if not np.isfinite(value):
            raise InputError(
                f"{name} gives item {item!r} the grade {value}", hint="give finite numbers"
            )
    return dict(zip(items, values.tolist(), strict=True))


def require_one_kind(ranked: Sequence[Item], judged: Sequence[Item]) -> None:
    """Numbers never equal texts: a mixture would count as nothing found, and say nothing."""
    kinds = {isinstance(item, str) for item in (*ranked, *judged)}
    if len(kinds) > 1:
        raise InputError(
            "some items are numbers and some are texts, which never match",
            hint="name retrieved and relevant items in the same way",
        )
    for item in (*ranked, *judged):
        if isinstance(item, int) and item < 0:
            raise InputError(
                f"item {item} is negative",
                hint="indices count from 0; -1 (nothing) stands after the last result only",
            )


def _places(ranked: Sequence[Item]) -> dict[Item, int]:
    places: dict[Item, int] = {}
    for place, item in enumerate(ranked):
        if places.setdefault(item, place) != place:
            raise InputError(
                f"item {item!r} is ranked twice, at {places[item] + 1} and at {place + 1}",
                hint="give every item once, at its best rank",
            )
    return places


def _one_row(scores: Iterable[float]) -> Floats:
    values = as_numbers(
        scores if isinstance(scores, np.ndarray) else [*scores], "similarity_scores"
    )
    if values.ndim != 1:
        raise InputError(
            "similarity_scores is not a list of numbers",
            hint="give the scores of one query in one list",
        )
    return values


def as_numbers(values: npt.ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iuf" and array.size:
            raise TypeError
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} holds something that is not a number", hint="give numbers"
        ) from None


def require_finite(indices: Ints, scores: Floats, names: Sequence[str] | None) -> None:
    bad = ~np.isfinite(scores) & (indices != NO_ITEM)
    if bad.any():
        query, place = (int(i) for i in np.argwhere(bad)[0])
        where = f" of {name_query(query, names)}" if len(indices) > 1 or names else ""
        raise InputError(
            f"the score at rank {place + 1}{where} is {scores[query, place]}",
            hint="give finite numbers",
        )
