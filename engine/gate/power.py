"""Power: which drop the test on a mean could have seen, and how many queries a smaller one needs.

Both follow Student's one-sided t test, which the permutation test equals but for its discreteness.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.gate.checks import Power
from engine.stats import find_smallest_effect
from engine.stats.power import compute_power

MOST_UNITS = 1_000_000_000


def compute_power_on_mean(
    gains: Floats, clusters: Ints | None, *, detect: float, alpha: float, power: float
) -> Power:
    """What a one-sided test at `alpha` of the mean of these gains could have seen.

    Of clusters, units are not the queries but the u clusters: with r_c the sum over a cluster of
    gain − mean, each counts as mean + u / n · r_c. Their std / √u is the standard error of the mean
    that allows for clusters, and clusters of one query are the queries themselves.

    Signs of u units have 2^u patterns: where 2^−u ≥ alpha, nothing at all can be seen. Two runs
    that do not differ anywhere would show any drop.
    """
    units = _units(gains, clusters)
    if len(units) and not gains.any():
        return Power(0.0, len(gains))
    least = find_least_units(alpha)
    spread = float(units.std(ddof=1)) if len(units) > 1 else math.nan
    needed = least if math.isnan(spread) else find_queries_needed(spread, detect, alpha, power)
    share = len(gains) / len(units) if len(units) else 1.0
    return Power(
        smallest=find_smallest_effect(units, alpha=alpha, power=power, alternative="less")
        if len(units) >= least
        else math.nan,
        needed=None if needed is None else math.ceil(max(needed, least) * share),
    )


def find_least_units(alpha: float) -> int:
    """The smallest u with 2^−u < alpha.

    >>> find_least_units(0.025)
    6
    """
    return math.floor(-math.log2(alpha)) + 1


def find_least_slice_units(units: Sequence[int], means: int, alpha: float) -> int:
    """The smallest size from which on every slice can fail.

    Among m hypotheses, u units can fail only if 2^−u < alpha / m, and m is the number of the means
    and of the slices that are kept. So slices are left out, the smallest first and those of one
    size together, until the smallest that is left can fail. Sizes decide, never what was measured:
    the correction over those that are left stays valid.

    >>> find_least_slice_units([10] * 30, means=1, alpha=0.025)  # 2^−10 ≥ 0.025 / 31: none is left
    11
    >>> find_least_slice_units([10, 10, 40, 50], means=1, alpha=0.025)
    10
    """
    for size in sorted(set(units)):
        kept = sum(own >= size for own in units)
        if size >= find_least_units(alpha / (means + kept)):
            return size
    return max(units, default=0) + 1


def find_queries_needed(std: float, detect: float, alpha: float, power: float) -> int | None:
    """The smallest n for which P(T > t_{1−α}) ≥ power, with T noncentral t, n − 1 degrees of
    freedom and noncentrality detect · √n / std. For large n that is near
    ((z_{1−α} + z_power) · std / detect)², with z the normal quantiles. None above a billion.

    >>> find_queries_needed(0.25, 0.05, alpha=0.025, power=0.8)
    199
    """

    def enough(n: int) -> bool:
        return compute_power(n - 1, detect * math.sqrt(n) / std, alpha, two_sided=False) >= power

    low, high = 1, 2
    if std == 0:
        return high
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_UNITS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _units(gains: Floats, clusters: Ints | None) -> Floats:
    if clusters is None or not len(gains):
        return gains
    number = np.unique(clusters, return_inverse=True)[1]
    mean = float(gains.mean())
    rest = np.bincount(number, weights=gains - mean)
    return (mean + len(rest) / len(gains) * rest).astype(np.float64)
