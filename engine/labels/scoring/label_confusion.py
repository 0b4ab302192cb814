"""Label confusion: which labels are retrieved for queries of each label, counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints

_MOST_CELLS = 2**22
"""Cells of a whole table that may lie in memory while a chunk is counted: 32 MB."""


@dataclass(frozen=True, eq=False)
class LabelConfusion:
    """How often each label was retrieved for the queries of each label.

    Only pairs that occur are held, so that memory grows with them and not with labels².

    labels   how many labels there are
    queries  queries of each label: the support of its row
    pairs    row · labels + column of every pair that occurs, ascending
    times    how often each of the pairs occurs

    >>> table = LabelConfusion.count(np.array([0, 0, 1]), np.array([[0, 1], [0, 2], [1, -1]]), 3)
    >>> table.counts(0).tolist(), table.total(0), table.top(0, 2)
    ([2, 1, 1], 4, [(0, 2), (1, 1)])
    >>> (table + table).counts(1).tolist(), table.queries.tolist()
    ([0, 2, 0], [2, 1, 0])
    """

    labels: int
    queries: Ints
    pairs: Ints
    times: Ints

    @classmethod
    def count(
        cls, query_codes: Ints, found_codes: npt.NDArray[np.int64], labels: int
    ) -> LabelConfusion:
        """Count the labels found for each query: (queries,) and (queries, depth).

        -1 is no label: such a result counts nowhere, and neither does a query without one.
        """
        asked = np.asarray(query_codes, np.int64)
        found = np.asarray(found_codes, np.int64)
        if found.ndim != 2 or len(found) != len(asked):
            raise ValueError(f"{found.shape} results for {len(asked)} queries")
        if max(asked.max(initial=-1), found.max(initial=-1)) >= labels:
            raise ValueError("a code is not below the number of labels")
        counted = (asked[:, None] >= 0) & (found >= 0)
        pairs, times = _tally((asked[:, None] * labels + found)[counted], labels)
        return cls(labels, _bincount(asked[asked >= 0], labels), pairs, times)

    def __add__(self, other: LabelConfusion) -> LabelConfusion:
        if self.labels != other.labels:
            raise ValueError("tables of different labels")
        pairs, place = np.unique(np.concatenate((self.pairs, other.pairs)), return_inverse=True)
        times = np.zeros(len(pairs), np.int64)
        np.add.at(times, place.reshape(-1), np.concatenate((self.times, other.times)))
        return LabelConfusion(self.labels, self.queries + other.queries, pairs, times)

    def counts(self, row: int) -> Ints:
        """How often every label was retrieved for queries of this one."""
        columns, times = self._row(row)
        counts = np.zeros(self.labels, np.int64)
        counts[columns] = times
        return counts

    def total(self, row: int) -> int:
        """How many results the queries of a label have."""
        return int(self.totals[row])

    def top(self, row: int, n: int) -> list[tuple[int, int]]:
        """The labels that were retrieved most for a label, itself among them, with their counts."""
        columns, times = self._row(row)
        best = np.lexsort((columns, -times))[:n]
        return list(zip(columns[best].tolist(), times[best].tolist(), strict=True))

    def wrong(self, row: int, n: int) -> list[tuple[int, int]]:
        """The *other* labels that were retrieved most for a label, with their counts."""
        return [(label, times) for label, times in self.top(row, n + 1) if label != row][:n]

    @cached_property
    def totals(self) -> Ints:
        """Results of the queries of each label."""
        return self._summed(self.pairs // max(1, self.labels), self.times)

    @cached_property
    def right(self) -> Ints:
        """Results of each label's queries that have that label: the diagonal."""
        rows, columns = np.divmod(self.pairs, max(1, self.labels))
        same = rows == columns
        return self._summed(rows[same], self.times[same])

    @cached_property
    def intruding(self) -> Ints:
        """How often each label was retrieved for queries of *other* labels."""
        rows, columns = np.divmod(self.pairs, max(1, self.labels))
        other = rows != columns
        return self._summed(columns[other], self.times[other])

    def _row(self, row: int) -> tuple[Ints, Ints]:
        first, end = np.searchsorted(self.pairs, (row * self.labels, (row + 1) * self.labels))
        return self.pairs[first:end] - row * self.labels, self.times[first:end]

    def _summed(self, places: Ints, times: Ints) -> Ints:
        # Not bincount with weights: that adds in float64.
        sums = np.zeros(self.labels, np.int64)
        np.add.at(sums, places, times)
        return sums


def _tally(pairs: Ints, labels: int) -> tuple[Ints, Ints]:
    """The distinct pairs, ascending, and how often each occurs."""
    if labels * labels > _MOST_CELLS:
        distinct, times = np.unique(pairs, return_counts=True)
        return distinct, times.astype(np.int64)
    table = _bincount(pairs, labels * labels)
    distinct = np.flatnonzero(table)
    return distinct, table[distinct]


def _bincount(codes: Ints, length: int) -> Ints:
    return np.bincount(codes, minlength=length).astype(np.int64)
