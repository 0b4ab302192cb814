"""Power: which drop the test on a mean could have seen, and how many queries a smaller one needs.

Both follow Student's one-sided t test, which the permutation test equals but for its discreteness.
"""

from __future__ import annotations

import math

import numpy as np

from engine.gate.checks import Power
from engine.stats import Floats, Ints, smallest_effect
from engine.stats.power import power_of

MOST_UNITS = 1_000_000_000


def power_on_mean(
    gains: Floats, clusters: Ints | None, *, detect: float, alpha: float, power: float
) -> Power:
    """What a one-sided test at `alpha` of the mean of these gains could have seen.

    Of clusters, units are not the queries but the u clusters: with r_c the sum over a cluster of
    gain − mean, each counts as mean + u / n · r_c. Their std / √u is the standard error of the mean
    that allows for clusters, and clusters of one query are the queries themselves.
    """
    units = _units(gains, clusters)
    smallest = smallest_effect(units, alpha=alpha, power=power, alternative="less")
    if math.isnan(smallest):
        return Power(smallest, None)
    spread = float(units.std(ddof=1))
    needed = queries_needed(spread, detect, alpha=alpha, power=power)
    share = len(gains) / len(units)
    return Power(smallest, None if needed is None else math.ceil(needed * share))


def queries_needed(std: float, detect: float, *, alpha: float, power: float) -> int | None:
    """The smallest n for which P(T > t_{1−α}) ≥ power, with T noncentral t, n − 1 degrees of
    freedom and noncentrality detect · √n / std. For large n that is near
    ((z_{1−α} + z_power) · std / detect)², with z the normal quantiles. None above a billion.

    >>> queries_needed(0.25, 0.05, alpha=0.025, power=0.8)
    199
    """

    def enough(n: int) -> bool:
        return power_of(n - 1, detect * math.sqrt(n) / std, alpha, two_sided=False) >= power

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
    units: Floats = mean + len(rest) / len(gains) * rest
    return units
