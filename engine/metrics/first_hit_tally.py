"""FirstHitTally: measures of queries of which nothing is known but where their first hit stands."""

from __future__ import annotations

from engine.base.arrays import Floats, Ints
from engine.metrics.measure import Measure
from engine.metrics.tally import Tally


def follows_from_first_hit(measure: Measure) -> bool:
    """Whether nothing but the rank of a query's first hit matters.

    >>> [follows_from_first_hit(Measure.parse(text)) for text in ("RR@5", "MedR", "MedR(all)")]
    [True, True, False]
    """
    return measure.name in ("RR", "MedR", "MnR") and measure.aggregate != "pooled"


class FirstHitTally(Tally):
    """What measures read that follow from the first hit; there is nothing else to be asked of it.

    first  (q,) rank of the first hit, 0 where there is none

    >>> import numpy as np
    >>> tally = FirstHitTally(np.array([2.0, 0.0]), relevant=np.array([3, 1]), depth=9)
    >>> tally.reciprocal_rank(9).tolist(), tally.first_rank().tolist()
    ([0.5, 0.0], [2.0, 10.0])
    """

    def __init__(self, first: Floats, relevant: Ints, depth: int) -> None:
        self.queries, self.depth, self.relevant = len(first), depth, relevant
        self._first = first

    def first_hit(self) -> Floats:
        return self._first
