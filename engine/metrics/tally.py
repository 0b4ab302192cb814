"""Tally: the few quantities that every measure is made of, each computed once per batch.

A definition is written once, over these quantities. `Tally` takes the results in their given order;
`ties.ExpectedTally` averages over all orders of tied results.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats, Ints
from engine.metrics.gain_levels import GainLevels
from engine.metrics.relevance import Relevance

Gain: TypeAlias = Literal["linear", "exp"]
"""What a grade g is worth in DCG: g itself, or 2^g − 1."""


class Tally:
    """What measures read of one batch, in the order in which the results stand; work is
    proportional to the hits. A depth k beyond the list means the whole list.
    """

    def __init__(self, relevance: Relevance) -> None:
        self.relevance = relevance
        self.queries = len(relevance)
        self.depth = relevance.depth
        self.relevant = np.asarray(relevance.relevant, dtype=np.int64)
        self.returned = np.asarray(relevance.returned, dtype=np.int64)
        if np.any(self.hits_per_query > self.relevant):
            query = int(np.argmax(self.hits_per_query > self.relevant))
            raise ValueError(
                f"query {query} has {self.hits_per_query[query]} hits but only "
                f"{self.relevant[query]} relevant items"
            )

    @cached_property
    def is_hit(self) -> Bools:
        """(q, d) whether each result is relevant and retrieved."""
        hit = np.asarray(self.relevance.gains)
        if hit.dtype != np.bool_:
            hit = hit > 0
        if self.returned.min(initial=self.depth) < self.depth:
            hit = hit & (np.arange(self.depth) < self.returned[:, None])
        return hit

    @cached_property
    def hit_cells(self) -> Ints:
        """The hits as flat positions in the q × d table, query by query, best first."""
        return np.flatnonzero(self.is_hit)

    @cached_property
    def hit_rows(self) -> Ints:
        """The query of every hit."""
        return self.hit_cells // max(self.depth, 1)

    @cached_property
    def hits_per_query(self) -> Ints:
        return np.bincount(self.hit_rows, minlength=self.queries)

    @cached_property
    def hit_starts(self) -> Ints:
        """Where each query's hits begin in `hit_rows`; one more entry than queries."""
        return np.concatenate(([0], np.cumsum(self.hits_per_query)))

    def retrieved(self, k: int) -> Ints:
        """min(k, n): results that were really returned among the first k."""
        return np.minimum(k, self.returned)

    def size(self, k: int) -> Ints:
        """The denominator that stands for k, by the policy for short lists."""
        if self.relevance.short == "adaptive":
            return self.retrieved(k)
        return np.full(self.queries, k, dtype=np.int64)

    def ideal_dcg(self, k: int | None, gain: Gain) -> Floats:
        """DCG of the best possible ranking of ALL judged items, cut at k if there is one."""
        if self.relevance.levels is not None:
            return self._ideal_dcg_of_levels(self.relevance.levels, k, gain)
        if self.relevance.ideal is not None:
            ideal = self.relevance.ideal[:, :k]
            worth: Floats = compute_gain(np.maximum(ideal, 0.0), gain) @ compute_discounts(
                ideal.shape[1]
            )
            return worth
        if self.relevance.graded:
            raise ValueError("graded nDCG needs `ideal`: the gains of all judged items")
        longest = int(self.relevant.max(initial=0))
        longest = longest if k is None else min(longest, k)
        by_count = np.concatenate(([0.0], np.cumsum(compute_discounts(longest))))
        return by_count[np.minimum(self.relevant, longest)]

    def _ideal_dcg_of_levels(self, levels: GainLevels, k: int | None, gain: Gain) -> Floats:
        """As far as the rankings go, items are added one by one, as `dcg` adds them, so that a
        perfect ranking has exactly 1; below, all of a level at once."""
        worth, ends = compute_gain(levels.gains, gain), np.cumsum(levels.counts, axis=1)
        longest = int(ends.max(initial=0))
        longest = longest if k is None else min(longest, k)
        one_by_one = min(longest, self.depth)
        discounts = compute_discounts(longest)
        upto = np.minimum(ends, one_by_one)
        lengths = upto.max(axis=1, initial=0)
        rows = np.repeat(np.arange(self.queries), lengths)
        places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        gains = np.repeat(worth.ravel(), np.diff(upto, axis=1, prepend=0).ravel())
        summed_up = np.bincount(rows, gains * discounts[places], minlength=self.queries)
        total: Floats = summed_up.astype(np.float64, copy=False)
        if longest > one_by_one:
            summed = np.concatenate(([0.0], np.cumsum(discounts)))
            begin = np.clip(ends - levels.counts, one_by_one, longest)
            end = np.clip(ends, one_by_one, longest)
            total += (worth * (summed[end] - summed[begin])).sum(axis=1)
        return total

    def first_rank(self) -> Floats:
        """Rank of the first relevant item; NaN without one, a stand-in if it was not retrieved.

        The stand-in is one more than the deepest rank that was looked at.
        """
        found = self.first_hit()
        return np.where(self.relevant > 0, np.where(found > 0, found, self.depth + 1), np.nan)

    def first_rank_unknown(self) -> Ints:
        """1 for each query whose `first_rank` is a stand-in."""
        return ((self.hits_per_query <= 0) & (self.relevant > 0)).astype(np.int64)

    def unfound(self) -> Ints:
        """Relevant items that are not in the list."""
        return self.relevant - self.hits_per_query

    def median_rank(self) -> Floats:
        """Median rank of a query's relevant items; those not found stand at depth + 1."""
        ranks = self.hit_ranks()

        def nth(index: Ints) -> Floats:
            found = index < self.hits_per_query
            place = np.where(found, self.hit_starts[:-1] + index, 0)
            padded = ranks if len(ranks) else np.zeros(1)
            return np.where(found, padded[place], self.depth + 1.0)

        lower, upper = np.maximum(self.relevant - 1, 0) // 2, self.relevant // 2
        return np.where(self.relevant > 0, (nth(lower) + nth(upper)) / 2, np.nan)

    @cached_property
    def _hit_ranks(self) -> Ints:
        return self.hit_cells - self.hit_rows * self.depth + 1

    @cached_property
    def _precisions(self) -> Floats:
        """P@i at every hit: its number among the query's hits, over its rank."""
        nth = np.arange(1, len(self._hit_ranks) + 1) - self.hit_starts[self.hit_rows]
        return nth / self._hit_ranks

    @cached_property
    def _hits_by_depth(self) -> dict[int, Floats]:
        return {}

    def _sum(self, weights: Floats, k: int) -> Floats:
        """Sum of a weight per hit, by query, over the hits among the first k."""
        if k < self.depth:
            weights = np.where(self._hit_ranks <= k, weights, 0.0)
        total = np.bincount(self.hit_rows, weights, minlength=self.queries)
        # numpy gives integers for no hits at all.
        return total.astype(np.float64, copy=False)

    def hits(self, k: int) -> Floats:
        """Number of relevant results among the first k."""
        if k not in self._hits_by_depth:
            rows = self.hit_rows[self._hit_ranks <= k]
            counts = np.bincount(rows, minlength=self.queries)
            self._hits_by_depth[k] = counts.astype(np.float64)
        return self._hits_by_depth[k]

    def hits_at_own_cutoff(self, cutoffs: Ints) -> Floats:
        """Like `hits`, with a k for each query."""
        rows = self.hit_rows[self._hit_ranks <= cutoffs[self.hit_rows]]
        return np.bincount(rows, minlength=self.queries).astype(np.float64)

    def any_hit(self, k: int) -> Floats:
        """1 (or the probability) that a relevant result is among the first k."""
        return (self.hits(k) > 0).astype(np.float64)

    def precision_sum(self, k: int) -> Floats:
        """Σ(i ≤ k) P@i · rel_i."""
        return self._sum(self._precisions, k)

    def reciprocal_rank(self, k: int) -> Floats:
        """1 / rank of the first hit, 0 where that is beyond k."""
        first = self.first_hit()
        return np.divide(1.0, first, out=np.zeros_like(first), where=(first > 0) & (first <= k))

    def dcg(self, k: int, gain: Gain) -> Floats:
        """Σ(i ≤ k) gain(g_i) / log2(i + 1)."""
        discount = compute_discounts(self.depth)[self._hit_ranks - 1]
        if not self.relevance.graded:
            return self._sum(discount, k)
        grades = self.relevance.gains.ravel()[self.hit_cells].astype(np.float64)
        return self._sum(compute_gain(grades, gain) * discount, k)

    def first_hit(self) -> Floats:
        """Rank of the first hit in the list, 0 where there is none."""
        first = np.zeros(self.queries)
        some = self.hits_per_query > 0
        first[some] = self._hit_ranks[self.hit_starts[:-1][some]]
        return first

    def hit_ranks(self) -> Floats:
        """The rank of every hit, in the order of `hit_rows`; ascending within a query."""
        return self._hit_ranks.astype(np.float64)


def compute_discounts(depth: int) -> Floats:
    """1 / log2(i + 1) for the ranks 1 … depth.

    >>> compute_discounts(3).round(3)
    array([1.   , 0.631, 0.5  ])
    """
    return 1.0 / np.log2(np.arange(2, depth + 2))


def compute_gain(grades: npt.NDArray[np.floating], gain: Gain) -> Floats:
    """What grades are worth in DCG: themselves, or 2^g − 1."""
    return np.exp2(grades) - 1.0 if gain == "exp" else grades.astype(np.float64)


def divide(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Floats:
    """part / whole, and 0 where the whole is 0.

    >>> divide(np.array([1.0, 0.0]), np.array([2, 0]))
    array([0.5, 0. ])
    """
    out: Floats = np.zeros(np.shape(part), dtype=np.float64)
    np.divide(part, whole, out=out, where=whole != 0)
    return out
