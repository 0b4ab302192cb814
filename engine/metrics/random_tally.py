"""RandomTally: what every quantity of a `Tally` is on average when the ranking is drawn at random.

N items, R of them relevant, stand in a random order, every order as likely as any other; the first
n of them are returned. A definition computed from these quantities is its own expected value, as it
is under `ties.ExpectedTally`: definitions are linear in them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.metrics.relevance import Relevance
from engine.metrics.tally import Gain, Tally, compute_discounts, compute_gain, divide


class RandomTally(Tally):
    """Expected quantities of queries whose numbers of items, relevant and returned ones are those
    of a batch; which results it has does not matter."""

    def __init__(self, relevance: Relevance) -> None:
        super().__init__(relevance)
        self.items = np.broadcast_to(np.asarray(relevance.collection, np.int64), (self.queries,))
        if np.any(self.items < np.maximum(self.relevant, self.returned)):
            raise ValueError(
                "chance needs `collection`, the number of items that could be returned"
            )

    def _drawn(self, k: int) -> Ints:
        return np.minimum(self.retrieved(k), self.depth)

    @property
    def _share(self) -> Floats:
        return divide(self.relevant, self.items)

    def hits(self, k: int) -> Floats:
        """min(k, n) · R / N."""
        return self._drawn(k) * self._share

    def hits_at_own_cutoff(self, cutoffs: Ints) -> Floats:
        return np.minimum(cutoffs, self.retrieved(self.depth)) * self._share

    def any_hit(self, k: int) -> Floats:
        """1 − C(N − R, k) / C(N, k)."""
        return self._by_kind(lambda first: float(first[:k].sum()))

    def precision_sum(self, k: int) -> Floats:
        """Σ(i ≤ k) R/N · (1 + (i − 1) · (R − 1)/(N − 1)) / i: a hit at i, and those before it."""
        drawn = self._drawn(k)
        harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1.0, self.depth + 1))))
        others = divide(np.maximum(self.relevant - 1, 0), np.maximum(self.items - 1, 0))
        return self._share * (harmonic[drawn] * (1.0 - others) + others * drawn)

    def reciprocal_rank(self, k: int) -> Floats:
        """Σ(r ≤ k) P(the first hit stands at r) / r."""
        inverse = 1.0 / np.arange(1.0, self.depth + 1)
        return self._by_kind(lambda first: float(first[:k] @ inverse[: len(first[:k])]))

    def dcg(self, k: int, gain: Gain) -> Floats:
        """The mean gain of all items · Σ(i ≤ k) 1 / log2(i + 1)."""
        total = self.relevant.astype(np.float64)
        levels = self.relevance.levels
        if levels is not None:
            total = (compute_gain(levels.gains, gain) * levels.counts).sum(axis=1)
        elif self.relevance.ideal is not None:
            total = compute_gain(np.maximum(self.relevance.ideal, 0.0), gain).sum(axis=1)
        discounts = np.concatenate(([0.0], np.cumsum(compute_discounts(self.depth))))
        return divide(total, self.items) * discounts[self._drawn(k)]

    def first_rank(self) -> Floats:
        """Σ r · P(the first hit stands at r), and depth + 1 where none is returned: (N + 1)/(R + 1)
        if all are."""
        ranks, beyond = np.arange(1.0, self.depth + 1), self.depth + 1.0

        def mean(first: Floats) -> float:
            return float(first @ ranks[: len(first)] + (1.0 - first.sum()) * beyond)

        return np.where(self.relevant > 0, self._by_kind(mean), np.nan)

    def _by_kind(self, compute: Callable[[Floats], float]) -> Floats:
        """A number made of the probabilities of the first hit's rank, for every query."""
        rows, which = self.kinds
        return np.array([compute(find_first_ranks(*row)) for row in rows.tolist()])[which]

    @cached_property
    def kinds(self) -> tuple[Ints, Ints]:
        """The different (N, R, n) of the queries, and which of them each query has."""
        shapes = np.stack(
            (self.items, self.relevant, np.minimum(self.returned, self.depth)), axis=1
        )
        rows, which = np.unique(shapes, axis=0, return_inverse=True)
        return rows, which.reshape(-1)


def find_first_ranks(items: int, relevant: int, returned: int) -> Floats:
    """P(the first relevant item stands at rank 1, 2, … returned) in a random order.

    >>> find_first_ranks(4, 2, 4).round(3).tolist()
    [0.5, 0.333, 0.167, 0.0]
    """
    before = np.arange(returned)
    others = np.maximum(items - relevant - before, 0)
    none = np.concatenate(([1.0], np.cumprod(others / (items - before))))
    return none[:-1] - none[1:]
