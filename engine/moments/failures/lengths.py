"""Recall and classes by length: are short moments, or long videos, the hard ones?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.moments.failures.classes import CLASSES, HIT
from engine.moments.failures.failures import Failures

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class LengthBin:
    """The queries with a length from `low` up to, not including, `high`; the last bin includes it.

    low, high  seconds; both NaN: the lengths are not known
    counts     (5,) queries of each class
    """

    low: float
    high: float
    counts: AnyInts

    @property
    def n(self) -> int:
        """How many queries it has."""
        return int(self.counts.sum())

    @property
    def shares(self) -> AnyFloats:
        """(5,) the share of its queries that each class has, 0 to 1; NaN without queries."""
        return self.counts / (self.n or math.nan)

    @property
    def recall(self) -> float:
        """The share of hits; NaN without queries."""
        return float(self.shares[HIT])

    @property
    def known(self) -> bool:
        return not math.isnan(self.low)


def split_by_length(
    failures: Failures, lengths: AnyFloats, edges: Sequence[float] | None = None
) -> tuple[LengthBin, ...]:
    """The queries in bins of their length: quartiles unless edges are given; equal edges are one.

    What lies beyond given edges has a bin of its own, which is open (infinite) on that side.
    Lengths that are not known are in a last bin.

    >>> from engine.moments.hit_rule import HitRule
    >>> from engine.moments.failures.failures import explain
    >>> from engine.moments.tvr.scoring import judge_lists
    >>> wanted = [("a", [(10, 20)]), ("b", [(10, 40)])]
    >>> found = [[("a", 10, 20)], [("a", 10, 20)]]
    >>> failures = explain(judge_lists("VCMR", wanted, found), HitRule(0.5, 1))
    >>> bins = split_by_length(failures, failures.judged.truth.moment_lengths, edges=(0, 15, 60))
    >>> [(one.low, one.high, one.n, one.recall) for one in bins]
    [(0.0, 15.0, 1, 1.0), (15.0, 60.0, 1, 0.0)]
    """
    known = np.isfinite(lengths)
    bins = []
    if known.any():
        limits = _limits(lengths[known], edges)
        last = len(limits) - 2
        places = np.clip(np.searchsorted(limits, lengths, side="right") - 1, 0, last)
        bins = [
            _bin(
                failures, known & (places == place), float(limits[place]), float(limits[place + 1])
            )
            for place in range(last + 1)
        ]
    if not known.all():
        bins.append(_bin(failures, ~known, math.nan, math.nan))
    return tuple(bins)


def _limits(lengths: AnyFloats, edges: Sequence[float] | None) -> AnyFloats:
    limits = np.unique(np.quantile(lengths, QUARTILES) if edges is None else np.asarray(edges))
    if edges is not None:
        shorter = [-math.inf] if lengths.min() < limits[0] else []
        longer = [math.inf] if lengths.max() > limits[-1] else []
        limits = np.concatenate([shorter, limits, longer])
    return limits if len(limits) > 1 else np.repeat(limits, 2)


def _bin(failures: Failures, chosen: Bools, low: float, high: float) -> LengthBin:
    return LengthBin(low, high, np.bincount(failures.classes[chosen], minlength=len(CLASSES)))
