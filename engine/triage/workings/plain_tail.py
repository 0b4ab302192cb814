"""The hypergeometric tail of results that were drawn at random, stratum by stratum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import comb

import numpy as np

from engine.base.arrays import Floats


def compute_plain_tail(found: int, draws: Iterable[tuple[int, int, int]]) -> float:
    """P(Σ X ≥ found), X independent, each the number of good ones among n that are drawn without
    replacement from M clips, K of which are good; `draws` has M, K and n of each.

    >>> compute_plain_tail(1, [(4, 2, 2)]), compute_plain_tail(2, [(2, 1, 1), (2, 1, 1)])
    (0.8333333333333333, 0.25)
    """
    total = np.ones(1)
    for (clips, good, drawn), times in Counter(draws).items():
        total = np.convolve(total, _raise(_list_chances(clips, good, drawn), times))
    return float(total[found:].sum()) if found > 0 else 1.0


def _list_chances(clips: int, good: int, drawn: int) -> Floats:
    ways = [comb(good, x) * comb(clips - good, drawn - x) for x in range(drawn + 1)]
    every = comb(clips, drawn)
    return np.array([way / every for way in ways])


def _raise(chances: Floats, times: int) -> Floats:
    """The chances of the sum of so many."""
    found = np.ones(1)
    while times:
        if times & 1:
            found = np.convolve(found, chances)
        chances, times = np.convolve(chances, chances), times >> 1
    return found
