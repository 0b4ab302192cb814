"""Two systems by their medians: how far these are apart, and whether that is more than chance.

The median of differences is not the difference of medians: where most queries tie, it is 0 however
far the medians are apart. So what is reported as a median is compared as one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats
from engine.stats.bootstrap import Interval
from engine.stats.paired import NO_DIFFERENCE, PairedTest, require_alternative
from engine.stats.permutation import sign_flip
from engine.stats.resampling import ResamplingUnits
from engine.stats.samples import (
    Alternative,
    check_sample,
    number_clusters,
    require_resamples,
    require_share,
)


def median_difference(old: npt.ArrayLike, new: npt.ArrayLike) -> float:
    """median(new) − median(old); NaN of nothing.

    >>> median_difference([1, 5, 9], [1, 2, 3])
    -3.0
    """
    before, after = check_sample(old), check_sample(new)
    return float(np.median(after) - np.median(before)) if len(after) else math.nan


def median_difference_interval(
    old: npt.ArrayLike,
    new: npt.ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: npt.ArrayLike | None = None,
) -> Interval:
    """Percentile bootstrap interval of `median_difference`: queries (or whole clusters) are drawn,
    and both medians taken over the same ones. Fewer than two units have no interval: NaN.

    >>> median_difference_interval([2, 2, 2, 2], [1, 1, 1, 1])
    Interval(low=-1.0, high=-1.0, level=0.95)
    """
    require_share("level", level)
    require_resamples(resamples)
    drawn = _resampled(check_sample(old), check_sample(new), resamples, seed, clusters)
    if not len(drawn):
        return Interval(math.nan, math.nan, level)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


@dataclass(frozen=True, slots=True, eq=False)
class MedianResamples:
    """A two-sided `median_test` together with the intervals that agree with it.

    drawn  the resampled differences of the medians, in ascending order
    """

    test: PairedTest
    drawn: Floats

    def invert(self, alpha: float, *, rejected: bool) -> Interval:
        """The differences that the bootstrap does not reject at `alpha`; 0 is among them, too, if
        it was not `rejected`, because the sign test was not convinced. NaN of fewer than two units.

        >>> resample_medians([9] * 8, [1] * 8).invert(0.05, rejected=True)
        Interval(low=-8.0, high=-8.0, level=0.95)
        >>> resample_medians([9] * 4, [1] * 4).invert(0.05, rejected=False)
        Interval(low=-8.0, high=0.0, level=0.95)
        """
        level, count = 1 - alpha, len(self.drawn)
        if not count:
            return Interval(math.nan, math.nan, level)
        beyond = min(np.count_nonzero(self.drawn <= 0), np.count_nonzero(self.drawn >= 0))
        rank = max(1, math.ceil(round(alpha * (count + 1) / 2, 6)) - 1)
        rank = min(count, max(rank, int(beyond) + 1) if rejected else rank)
        low, high = float(self.drawn[rank - 1]), float(self.drawn[count - rank])
        return Interval(*((low, high) if rejected else (min(low, 0.0), max(high, 0.0))), level)


def resample_medians(
    old: npt.ArrayLike,
    new: npt.ArrayLike,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: npt.ArrayLike | None = None,
) -> MedianResamples:
    """The two-sided `median_test`, with what its intervals need."""
    test = median_test(old, new, resamples=resamples, seed=seed, clusters=clusters)
    drawn = _resampled(check_sample(old), check_sample(new), resamples, seed, clusters)
    return MedianResamples(test, np.sort(drawn))


def median_test(
    old: npt.ArrayLike,
    new: npt.ArrayLike,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    clusters: npt.ArrayLike | None = None,
) -> PairedTest:
    """Whether the medians differ: the larger p of two tests, both of which have to be convinced.

    bootstrap  of B resampled differences the b that lie on the other side of 0, (b + 1) / (B + 1);
               twice that for two sides. Few queries make it too sure.
    sign test  of the queries on which the systems differ, by `sign_flip` of their signs. It counts
               wins and losses, whatever they mean for the median.

    A permutation of the medians themselves would see nothing: of pairs (1, 5), swapped at random,
    both sides have a median of 1 or 5, and most patterns are as extreme as what was observed.
    No difference at all gives p = 1; fewer than two units give NaN.

    >>> median_test([9] * 8, [1] * 8)
    PairedTest(statistic=-8.0, p=0.0078125)
    """
    require_alternative(alternative)
    require_resamples(resamples)
    before, after = check_sample(old), check_sample(new)
    if not (before != after).any():
        return NO_DIFFERENCE
    drawn = _resampled(before, after, resamples, seed, clusters)
    if not len(drawn):
        return PairedTest(median_difference(before, after), math.nan)
    signs = sign_flip(
        np.sign(after - before),
        resamples=resamples,
        seed=seed,
        alternative=alternative,
        clusters=clusters,
    )
    p = max(signs.p, _share_beyond(drawn, alternative))
    return PairedTest(median_difference(before, after), p)


def _resampled(
    before: Floats, after: Floats, resamples: int, seed: int, clusters: npt.ArrayLike | None
) -> Floats:
    """The difference of medians in every resample; none of fewer than two units."""
    units = ResamplingUnits.of(np.stack([before, after]), number_clusters(clusters, len(before)))
    if len(units) < 2:
        return np.zeros(0)
    first, second = units.resampled("median", resamples, seed)
    difference: Floats = second - first
    return difference


def _share_beyond(drawn: Floats, alternative: Alternative) -> float:
    below = (np.count_nonzero(drawn >= 0) + 1) / (len(drawn) + 1)
    above = (np.count_nonzero(drawn <= 0) + 1) / (len(drawn) + 1)
    if alternative == "two-sided":
        return float(min(1.0, 2 * min(below, above)))
    return float(below if alternative == "less" else above)
