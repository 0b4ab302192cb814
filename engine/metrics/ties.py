"""Ties: results with the same float32 score, whose order says nothing about the system.

Three policies. `insertion` takes the order as it stands. `docid_desc` is trec_eval's: reorder the
ranking first with `reorder_ties_by_docid_desc`. `expected` is the mean of a measure over all orders
of the tied results, in closed form (McSherry & Najork 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics.tally import Gain, Tally, compute_discounts, compute_gain


class ExpectedTally(Tally):
    """Expected quantities when every order of tied results is equally likely.

    A group of tied results that the end of the list cuts in two is treated as if it ended there:
    for exact values the list must hold whole groups, so fetch on until the score changes.
    """

    @cached_property
    def _start(self) -> Ints:
        """(q, d) the column at which each result's group begins."""
        return np.maximum.accumulate(np.where(self._begins, np.arange(self.depth), 0), axis=1)

    @cached_property
    def _begins(self) -> npt.NDArray[np.bool_]:
        begins = find_group_starts(self.relevance.scores)
        # What was not retrieved is tied with nothing.
        return begins | (np.arange(self.depth) >= self.returned[:, None])

    @cached_property
    def _size(self) -> Ints:
        """(q, d) how many results each result is tied with, itself included."""
        ends = np.where(np.roll(self._begins, -1, axis=1), np.arange(1, self.depth + 1), self.depth)
        ends[:, -1:] = self.depth
        backwards = np.minimum.accumulate(ends[:, ::-1], axis=1)
        return backwards[:, ::-1] - self._start

    def _group_sum(self, cells: npt.NDArray[np.generic]) -> Floats:
        """(q, d) sum of the cells over each result's group."""
        running = np.cumsum(cells, axis=1, dtype=np.float64)
        running = np.concatenate((np.zeros((self.queries, 1)), running), axis=1)
        after = np.take_along_axis(running, self._start + self._size, axis=1)
        return after - np.take_along_axis(running, self._start, axis=1)

    @cached_property
    def _hits_in_group(self) -> Floats:
        return self._group_sum(self.is_hit)

    @cached_property
    def _place(self) -> Ints:
        """(q, d) position within the group, from 0."""
        return np.arange(self.depth) - self._start

    @cached_property
    def _hits_by_rank(self) -> Floats:
        """(q, d + 1) expected hits among the first 0 … d results."""
        chance = self._hits_in_group / self._size
        return np.concatenate((np.zeros((self.queries, 1)), np.cumsum(chance, axis=1)), axis=1)

    @cached_property
    def _no_hit_yet(self) -> Floats:
        """(q, d + 1) probability that the first 0 … d results hold no hit."""
        left = self._size - self._place
        # The factor is 0 once only hits are left in a group, and the product stays 0 from there.
        still_none = np.cumprod((left - self._hits_in_group) / left, axis=1)
        return np.concatenate((np.ones((self.queries, 1)), still_none), axis=1)

    @cached_property
    def _first_at(self) -> Floats:
        """(q, d) probability that the first hit stands at each rank."""
        return -np.diff(self._no_hit_yet, axis=1)

    @property
    def _ranks(self) -> Floats:
        return np.arange(1.0, self.depth + 1)

    def hits(self, k: int) -> Floats:
        return self._hits_by_rank[:, min(k, self.depth)]

    def hits_at_own_cutoff(self, cutoffs: Ints) -> Floats:
        cutoffs = np.minimum(cutoffs, self.depth)
        return np.take_along_axis(self._hits_by_rank, cutoffs[:, None], axis=1)[:, 0]

    def any_hit(self, k: int) -> Floats:
        return 1.0 - self._no_hit_yet[:, min(k, self.depth)]

    def precision_sum(self, k: int) -> Floats:
        hits, size = self._hits_in_group, self._size
        before_group = np.take_along_axis(self._hits_by_rank, self._start, axis=1)
        # Given a hit here, each earlier place of the group holds one of the other r − 1 hits.
        before_here = self._place * np.maximum(hits - 1, 0) / np.maximum(size - 1, 1)
        precision = (before_group + 1.0 + before_here) / self._ranks
        total: Floats = np.sum((hits / size * precision)[:, :k], axis=1)
        return total

    def reciprocal_rank(self, k: int) -> Floats:
        mean: Floats = self._first_at[:, :k] @ (1.0 / self._ranks[:k])
        return mean

    def dcg(self, k: int, gain: Gain) -> Floats:
        grades = np.where(self.is_hit, self.relevance.gains, 0.0).astype(np.float64)
        worth = self._group_sum(compute_gain(grades, gain)) / self._size
        total: Floats = worth[:, :k] @ compute_discounts(self.depth)[:k]
        return total

    def first_hit(self) -> Floats:
        return self._first_at @ self._ranks

    def hit_ranks(self) -> Floats:
        """Every hit at the mean rank of its group."""
        middle = self._start + (self._size + 1) / 2
        return middle.ravel()[self.hit_cells]


def find_group_starts(scores: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Where a score differs, as float32, from the one before it.

    >>> find_group_starts(np.array([[0.9, 0.5, 0.5]], dtype=np.float32))
    array([[ True,  True, False]])
    """
    single = scores.astype(np.float32, copy=False)
    begins = np.ones(single.shape, dtype=np.bool_)
    begins[:, 1:] = single[:, 1:] != single[:, :-1]
    return begins


def order_by_docid(ids: Sequence[str]) -> Ints:
    """The place of every id when all are sorted, as `reorder_ties_by_docid_desc` wants it.

    >>> order_by_docid(["b", "c", "a"])
    array([1, 2, 0])
    """
    order = np.empty(len(ids), dtype=np.int64)
    order[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return order


def reorder_ties_by_docid_desc(ranking: Ranking, doc_order: Ints) -> Ranking:
    """Among equal float32 scores, the item whose id sorts last comes first, as in trec_eval.

    >>> tied = Ranking(np.array([[0, 1, 2]]), np.array([[0.9, 0.5, 0.5]], dtype=np.float32))
    >>> reorder_ties_by_docid_desc(tied, order_by_docid(["a", "b", "c"])).indices
    array([[0, 2, 1]])
    """
    group = np.cumsum(find_group_starts(ranking.scores), axis=1)
    # The sort is stable and no item is above 0, so NO_ITEM stays behind what it is tied with.
    by_id = np.where(ranking.indices == NO_ITEM, 0, -doc_order[ranking.indices])
    order = np.lexsort((by_id, group), axis=1)
    return Ranking(
        np.take_along_axis(ranking.indices, order, axis=1),
        np.take_along_axis(ranking.scores, order, axis=1),
    )
