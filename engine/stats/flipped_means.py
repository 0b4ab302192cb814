"""The sign-flip test turned round: which mean differences it would not reject.

The test of a mean difference δ flips the signs of d − δ. For one pattern of signs, with F the
queries that it flips and K those that it keeps, the flipped sum is at least as far below or above
as the observed one if and only if the mean of d over F, or over K, lies on the other side of δ. So
each pattern has two numbers, the smaller and the larger one of these two means, and

    p(δ) = the share of patterns whose smaller mean is ≤ δ     for δ below the mean of d
    p(δ) = the share of patterns whose larger mean is ≥ δ      for δ above it

p(δ) falls on both sides. The δ that are not rejected at α form an interval, and its ends are order
statistics of these means: it leaves 0 out if and only if the test of 0, with the same patterns,
has p < α.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from engine.base.arrays import ROUNDING, Floats, Ints
from engine.stats.bootstrap import Interval
from engine.stats.paired import PairedTest, require_alternative
from engine.stats.permutation import (
    Patterns,
    SignSums,
    count_bits,
    draw_patterns,
    enumerate_patterns,
)
from engine.stats.samples import (
    Alternative,
    check_sample,
    number_clusters,
    require_resamples,
    require_share,
)

_MOST_EQUAL = 20
"""Units without any difference of which all patterns are counted, a million: more are as sure as
these."""

_STILL = 1
"""Of the random numbers for queries without a difference: a stream of their own, so that p is the
same with and without them."""


@dataclass(frozen=True, slots=True, eq=False)
class SignFlips:
    """A sign-flip test together with the intervals that agree with it.

    extreme   patterns at least as extreme as the observed signs
    patterns  how many there are
    exact     whether the observed signs are one of them; else they are counted besides
    low       the smallest of the patterns' smaller means, in ascending order
    high      the largest of their larger means, in descending order
    """

    statistic: float
    extreme: int
    patterns: int
    exact: bool
    low: Floats
    high: Floats

    @property
    def test(self) -> PairedTest:
        besides = 0 if self.exact else 1
        return PairedTest(self.statistic, (self.extreme + besides) / (self.patterns + besides))

    def invert(self, alpha: float, *, rejected: bool) -> Interval:
        """The differences that are not rejected at `alpha`, an interval of level 1 − alpha.

        `rejected` is what was decided about 0 at this alpha: rounding must not contradict it.
        Where the patterns are too few to reject any difference, there is no interval: NaN.

        >>> flips = flip_signs([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], alpha=0.05)
        >>> flips.test.p, flips.invert(0.05, rejected=True)
        (0.03125, Interval(low=1.0, high=6.0, level=0.95))
        >>> flips.invert(0.01, rejected=False)
        Interval(low=nan, high=nan, level=0.99)
        """
        besides = 0 if self.exact else 1
        rank = math.ceil(round(alpha * (self.patterns + besides), 6)) - besides
        rank = max(rank, self.extreme + 1) if rejected else min(rank, self.extreme)
        level = 1 - alpha
        if rank < 1:
            return Interval(math.nan, math.nan, level)
        low, high = float(self.low[rank - 1]), float(self.high[rank - 1])
        if math.isinf(low) and math.isinf(high):
            return Interval(math.nan, math.nan, level)
        return Interval(low, high, level)


def flip_signs(
    differences: npt.ArrayLike,
    *,
    alpha: float,
    resamples: int = 10_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    clusters: npt.ArrayLike | None = None,
) -> SignFlips:
    """The test of `engine.stats.sign_flip`, of the same patterns, with what its intervals need.

    `alpha` is the largest that intervals are asked for. One-sided tests have one-sided intervals:
    of "less" the lower end is −inf, of "greater" the upper end inf.

    Queries (clusters) without a difference do not move p, but they do move the means of those that
    are flipped: so their signs are drawn as well, where not all patterns can be looked at.

    No difference at all has p = 1, and an interval of no width where so many units could have
    shown one: 2^(1 − units) < alpha, one-sided 2^−units.

    >>> flip_signs([0.0] * 6, alpha=0.05).invert(0.05, rejected=False)
    Interval(low=0.0, high=0.0, level=0.95)
    >>> flip_signs([0.0] * 5, alpha=0.05).invert(0.05, rejected=False)
    Interval(low=nan, high=nan, level=0.95)
    """
    require_alternative(alternative)
    require_resamples(resamples)
    require_share("alpha", alpha)
    d = check_sample(differences)
    unit_of = number_clusters(clusters, len(d))
    if not d.any():
        return _flip_nothing(len(np.unique(unit_of)), alpha, alternative)
    sums = np.bincount(unit_of, weights=d).astype(np.float64)
    units = _Units.of(sums, np.bincount(unit_of), resamples)
    ends = [
        _choose_ends(kept, flipped, alternative)
        for kept, flipped in units.average_halves(resamples, seed)
    ]
    low, high = (np.concatenate(column) for column in zip(*ends, strict=True))
    upwards = alternative == "greater" or (alternative == "two-sided" and d.sum() >= 0)
    return SignFlips(
        statistic=float(d.mean()),
        extreme=int(np.count_nonzero(low <= 0 if upwards else high >= 0)),
        patterns=len(low),
        exact=2 ** len(units.sums) <= resamples,
        low=_keep_smallest(low, alpha),
        high=-_keep_smallest(-high, alpha),
    )


def _flip_nothing(units: int, alpha: float, alternative: Alternative) -> SignFlips:
    """Of units without any difference: whatever is flipped or kept has the mean 0, but for the two
    patterns that flip, or keep, none of them."""
    patterns = 2 ** min(units, _MOST_EQUAL)
    kept, flipped = np.zeros((2, _count_kept_ends(patterns, alpha)))
    flipped[0] = kept[min(1, patterns - 1)] = np.nan
    return SignFlips(0.0, patterns, patterns, True, *_choose_ends(kept, flipped, alternative))


def _choose_ends(kept: Floats, flipped: Floats, alternative: Alternative) -> tuple[Floats, Floats]:
    """The means at which each pattern begins and ceases to be as extreme as the observed signs; a
    side without queries has no mean (NaN), and its pattern always is."""
    outer = np.full_like(flipped, np.inf)
    if alternative == "less":
        return -outer, np.where(np.isnan(flipped), np.inf, flipped)
    if alternative == "greater":
        return np.where(np.isnan(flipped), -np.inf, flipped), outer
    low, high = np.minimum(kept, flipped), np.maximum(kept, flipped)  # NaN stays NaN
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _keep_smallest(values: Floats, alpha: float) -> Floats:
    """As many as an interval at `alpha` may ask for, in ascending order."""
    most = _count_kept_ends(len(values), alpha)
    return np.sort(np.partition(values, most - 1)[:most])


def _count_kept_ends(patterns: int, alpha: float) -> int:
    return min(patterns, math.ceil(alpha * (patterns + 1)) + 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """What is flipped: queries, or clusters of them, by the sums of their differences.

    sums, sizes  of each unit that has a difference (of each, if all patterns can be looked at)
    still        (sizes, how many) of the other units
    """

    sums: Floats
    sizes: Floats
    still: tuple[Floats, Ints]

    @classmethod
    def of(cls, sums: Floats, sizes: Ints, resamples: int) -> _Units:
        moved = (sums != 0) | (2 ** len(sums) <= resamples)
        weights = sizes.astype(np.float64)
        still, counts = np.unique(weights[~moved], return_counts=True)
        return cls(sums[moved], weights[moved], (still, counts.astype(np.int64)))

    def average_halves(self, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
        """Per pattern, the means of the differences that are kept and of those that are flipped.

        All patterns if there are no more than `resamples`, the same number of times each where
        the signs of further units are drawn beside them; else random ones.
        """
        rng = np.random.default_rng((seed, _STILL))
        count, average = 2 ** len(self.sums), self._make_average()
        if count > resamples:
            for rows in draw_patterns(len(self.sums), resamples, seed):
                yield average(rows, self._draw_still(rng, len(rows)))
            return
        turns = resamples // count if len(self.still[0]) else 1
        rows = np.tile(np.concatenate([*enumerate_patterns(len(self.sums))]), (turns, 1))
        still = self._draw_still(rng, len(rows))
        still[0], still[-1] = self.still[0] @ self.still[1], 0.0  # the observed, its opposite
        yield average(rows, still)

    def _draw_still(self, rng: np.random.Generator, rows: int) -> Floats:
        """How many queries of units without a difference are flipped."""
        found = np.zeros(rows)
        for size, count in zip(*self.still, strict=True):
            found += size * rng.binomial(count, 0.5, rows)
        return found

    def _make_average(self) -> Callable[[Patterns, Floats], tuple[Floats, Floats]]:
        """What averages the kept and the flipped half of every pattern: the tables that it looks
        sums up in are made once, and serve all patterns."""
        total, noise = float(self.sums.sum()), ROUNDING * float(np.abs(self.sums).sum())
        size = float(self.sizes.sum())
        sum_signed, count_kept = SignSums(self.sums), self._make_count()

        def average(rows: Patterns, still: Floats) -> tuple[Floats, Floats]:
            signed, flipped = sum_signed(rows), size - count_kept(rows) + still
            kept = size + float(self.still[0] @ self.still[1]) - flipped
            return (
                _divide((total + signed) / 2, kept, noise / 2),
                _divide((total - signed) / 2, flipped, noise / 2),
            )

        return average

    def _make_count(self) -> Callable[[Patterns], Floats]:
        """What counts the queries that a pattern keeps: of units of one query its bits."""
        if (self.sizes == 1).all():
            return partial(count_bits, units=len(self.sizes))
        size, sum_signed = float(self.sizes.sum()), SignSums(self.sizes)
        return lambda rows: (size + sum_signed(rows)) / 2


def _divide(sums: Floats, sizes: Floats, noise: float) -> Floats:
    """Means; NaN of nothing. A sum that is noise is 0, as in the test: rounding decides nothing."""
    sums[np.abs(sums) <= noise] = 0.0
    means: Floats = sums / np.where(sizes == 0, np.nan, sizes)
    return means
