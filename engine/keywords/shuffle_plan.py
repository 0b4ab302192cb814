"""ShufflePlan: how often annotations are shuffled, and with which queries, so that it is quick."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Ints

SHUFFLES = (499, 99, 39)
"""How often annotations are shuffled; one p-value is 0.05 in each case."""

QUICK_RESULTS = 10_000_000
"""Results that may be judged anew in all shuffles together, a tenth of a second; if they were more,
there are fewer shuffles."""

MOST_RESULTS = 100_000_000
"""If they were more than these in the fewest shuffles, and more than are ranked anyway, only some
queries are looked at, one at least: that takes a second, or little beside the search."""

_PER_QUERY = 20
"""Results that are judged in the time in which those of one query are scored."""

_PER_RESULT = 10
"""Clips that are shuffled in the time in which one result is judged."""

_SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class ShufflePlan:
    """How often annotations are shuffled, and the numbers of the queries that are looked at."""

    shuffles: int
    chosen: Ints

    @classmethod
    def of(cls, queries: int, results: int, clips: int) -> ShufflePlan:
        """For so many results of each query.

        >>> for queries, results in ((284, 5), (2_000, 5), (20_000, 5), (4_000, 4_000)):
        ...     plan = ShufflePlan.of(queries, results, clips=20_000)
        ...     print(plan.shuffles, len(plan.chosen))
        499 284
        99 2000
        39 20000
        39 641
        """
        ranked = queries * results
        shuffles = choose_shuffles(queries, ranked, clips)
        count = max(1, max(MOST_RESULTS, ranked) // (shuffles * results))
        if count >= queries:
            return cls(shuffles, np.arange(queries))
        chosen = np.random.default_rng(_SEED).choice(queries, count, replace=False)
        return cls(shuffles, np.sort(chosen))


def choose_shuffles(queries: int, results: int, clips: int) -> int:
    """How often to shuffle, if so many results are judged anew each time."""
    work = results + queries * _PER_QUERY + clips // _PER_RESULT
    return next((one for one in SHUFFLES if one * work <= QUICK_RESULTS), SHUFFLES[-1])
