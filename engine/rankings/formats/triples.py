"""Triples: what every format comes down to, one (query, item, number) per judgement or result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.base.errors import InputError, Place
from engine.rankings.formats.id_table import IdTable, number_ids

FileKind: TypeAlias = Literal["run", "qrels"]
"""What a file is read as."""


_LONG_LISTS = 100
"""Results per query from which a loop over queries is faster than sorting everything."""


def no_line(entry: int) -> int | None:
    """For formats in which an entry has no line of its own."""
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Triples:
    """The entries of a file, in its order.

    query_codes  (n,) places in `queries`, numbered by first appearance
    item_codes   (n,) places in `items`, likewise
    values       (n,) scores or grades, all finite
    ranked       the file gives ranks, not scores: values are −rank
    line_of      the line of an entry, where there are lines; may be slow
    """

    path: Path
    queries: IdTable
    query_codes: Ints
    items: IdTable
    item_codes: Ints
    values: Floats
    ranked: bool = False
    line_of: Callable[[int], int | None] = field(default=no_line)

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def of(
        cls,
        path: Path,
        queries: Any,
        items: Any,
        values: npt.ArrayLike,
        *,
        ranked: bool = False,
        line_of: Callable[[int], int | None] = no_line,
    ) -> Triples:
        """Entries of lists of texts, or of Arrow columns of them."""
        query_codes, query_ids = number_ids(queries)
        item_codes, item_ids = number_ids(items)
        numbers = np.asarray(values, np.float64)
        return cls(path, query_ids, query_codes, item_ids, item_codes, numbers, ranked, line_of)

    def place(self, entry: int) -> Place:
        return Place(self.path, self.line_of(entry))

    def name(self, entry: int) -> str:
        """The entry in words."""
        query, item = self.queries[self.query_codes[entry]], self.items[self.item_codes[entry]]
        return f"item {item!r} of query {query!r}"

    @property
    def has_repeats(self) -> bool:
        """Whether some query has an item twice."""
        codes = self.query_codes
        if len(self) < _LONG_LISTS * len(self.queries) or np.any(codes[1:] < codes[:-1]):
            keys = np.sort(self._keys())
            return bool((keys[1:] == keys[:-1]).any())
        ends = np.cumsum(np.bincount(codes, minlength=len(self.queries))).tolist()
        return has_repeats(self.item_codes, ends, len(self.items))

    def refuse_repeats(self) -> None:
        """Raise an InputError that names the first item that a query has twice."""
        keys = self._keys()
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(keys[order][1:] == keys[order][:-1])
        second = int(order[again + 1].min())
        first = int(np.flatnonzero(keys == keys[second])[0])
        line = self.line_of(first)
        before = "" if line is None else f" (first in line {line})"
        raise InputError(
            f"{self.name(second)} occurs more than once{before}",
            self.place(second),
            hint="remove the repeats, or use --duplicates keep_best",
        )

    def _keys(self) -> Ints:
        return self.query_codes * max(len(self.items), 1) + self.item_codes

    def sorted_by_query(self) -> tuple[Ints | None, Ints]:
        """The order that brings every query's entries together, larger values first, equal ones
        as they stand (None: they stand so already), and the CSR bounds of the queries."""
        counts = np.bincount(self.query_codes, minlength=len(self.queries))
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        later, before = self.query_codes[1:], self.query_codes[:-1]
        in_order = (later > before) | ((later == before) & (self.values[1:] <= self.values[:-1]))
        if in_order.all():
            return None, indptr
        return np.lexsort((-self.values, self.query_codes)), indptr


@dataclass(slots=True)
class EntryLists:
    """Entries as they are read one by one; a line is 0 where there are none.

    ranked  the values are −rank; None: not known yet
    """

    path: Path
    queries: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    ranked: bool | None = None

    def add(self, query: str, item: str, value: Any, line: int) -> None:
        self.queries.append(query)
        self.items.append(item)
        self.values.append(value)
        self.lines.append(line)

    def triples(self) -> Triples:
        """All of them; there is one at least."""
        return Triples.of(
            self.path,
            self.queries,
            self.items,
            self.values,
            ranked=bool(self.ranked),
            line_of=self.lines.__getitem__ if self.lines[-1] else no_line,
        )


def has_repeats(codes: Ints, ends: list[int], items: int) -> bool:
    """Whether a number occurs twice in one of the stretches that end at `ends`.

    Each entry writes its place under its item; who does not find it there was overwritten by a
    later one. That takes a fifth of the time of sorting.

    >>> has_repeats(np.array([0, 1, 0]), [2, 3], 2), has_repeats(np.array([0, 1, 0]), [3], 2)
    (False, True)
    """
    places = np.arange(len(codes))
    last = np.zeros(items, dtype=np.int64)
    start = 0
    for end in ends:
        own, here = codes[start:end], places[start:end]
        last[own] = here
        if not np.array_equal(last[own], here):
            return True
        start = end
    return False


def drop_repeats(indptr: Ints, codes: Ints) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Which entries of a CSR stay if every item counts only once per query, and the new bounds.

    >>> drop_repeats(np.array([0, 3]), np.array([7, 7, 2]))
    (array([ True, False,  True]), array([0, 2]))
    """
    owners = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
    keys = owners * (int(codes.max(initial=0)) + 1) + codes
    kept = np.zeros(len(codes), dtype=np.bool_)
    kept[np.unique(keys, return_index=True)[1]] = True
    counts = np.bincount(owners[kept], minlength=len(indptr) - 1)
    return kept, np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
