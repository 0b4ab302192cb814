"""Confidence intervals by the bootstrap: percentile, or bias-corrected and accelerated (BCa)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from engine.base.arrays import ROUNDING, Floats
from engine.stats.distributions import normal_cdf, normal_quantile
from engine.stats.resampling import ResamplingUnits, Statistic
from engine.stats.samples import (
    check_sample,
    check_samples,
    is_constant,
    number_clusters,
    require_resamples,
    require_share,
)

IntervalMethod: TypeAlias = Literal["bca", "percentile"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; low and high are NaN where it is undefined."""

    low: float
    high: float
    level: float


class BootstrapOptions(TypedDict, total=False):
    """How resamples are drawn, and what becomes of them; the defaults of `bootstrap_intervals`."""

    level: float
    method: IntervalMethod
    resamples: int
    seed: int
    clusters: npt.ArrayLike | None


def bootstrap_interval(
    values: npt.ArrayLike, *, statistic: Statistic = "mean", **options: Unpack[BootstrapOptions]
) -> Interval:
    """The interval in which the mean (or median) of more such queries would lie.

    `clusters` has one integer label per value. Whole clusters are then drawn, as many as there
    are; the mean of a resample is the sum of its values / the number of its values.

    percentile: the (1 − level) / 2 and (1 + level) / 2 quantiles of the resampled statistics.
    bca: their Φ(z0 + (z0 + z) / (1 − a (z0 + z))) quantiles, with z the normal quantile of the
    same two shares, z0 that of the share of resamples below the statistic (half of the equal
    ones counted), and a = Σ d³ / (6 (Σ d²)^1.5), where d is the jackknife's mean − its values
    (one value, or one cluster, left out). Where BCa is undefined (z0 infinite, all d 0,
    a (z0 + z) ≥ 1), the percentile interval is given.

    Fewer than two values, or than two clusters, have no interval: NaN. Equal values v give (v, v).

    >>> bootstrap_interval([0.0, 1.0, 1.0, 1.0], method="percentile")
    Interval(low=0.25, high=1.0, level=0.95)
    >>> bootstrap_interval([0.5, 0.5])
    Interval(low=0.5, high=0.5, level=0.95)
    """
    column = check_sample(values)[:, None]
    (interval,) = bootstrap_intervals(column, statistic=statistic, **options)
    return interval


def bootstrap_intervals(
    columns: npt.ArrayLike,
    *,
    statistic: Statistic = "mean",
    level: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: npt.ArrayLike | None = None,
) -> tuple[Interval, ...]:
    """The interval of every column of (n, m) values, from the same resamples.

    Each is what `bootstrap_interval` says of its column alone, to the last digit.

    >>> [one.high for one in bootstrap_intervals([[1.0, 0.0], [1.0, 2.0]], method="percentile")]
    [1.0, 2.0]
    """
    require_share("level", level)
    require_resamples(resamples)
    if statistic not in ("mean", "median") or method not in ("bca", "percentile"):
        raise ValueError(f"unknown statistic or method: {statistic}, {method}")
    values = np.ascontiguousarray(check_samples(columns).T)
    units = ResamplingUnits.of(values, number_clusters(clusters, values.shape[1]))
    if len(units) < 2:
        return tuple(Interval(math.nan, math.nan, level) for _ in values)
    if not len(values):
        return ()
    resampled = units.resampled(statistic, resamples, seed)
    jackknife = units.left_out(statistic) if method == "bca" else np.zeros((len(values), 1))
    rows = zip(values, resampled, jackknife, strict=True)
    return tuple(_interval(*row, statistic=statistic, level=level) for row in rows)


def _interval(
    values: Floats, resampled: Floats, jackknife: Floats, *, statistic: Statistic, level: float
) -> Interval:
    if is_constant(values):
        return Interval(float(values[0]), float(values[0]), level)
    observed = values.mean() if statistic == "mean" else np.median(values)
    noise = ROUNDING * float(np.abs(values).max())
    shares = compute_bca_shares(resampled, float(observed), jackknife, level, noise)
    low, high = np.quantile(resampled, shares)
    return Interval(float(low), float(high), level)


def compute_bca_shares(
    resampled: Floats, observed: float, jackknife: Floats, level: float, noise: float
) -> tuple[float, float]:
    """The two shares of the resampled statistics at which the interval ends.

    Statistics within `noise` of the observed one are equal to it. A jackknife of equal values
    has no acceleration, and gives the shares of the percentile interval.
    """
    percentile = (1 - level) / 2, (1 + level) / 2
    below = np.count_nonzero(resampled < observed - noise)
    above = np.count_nonzero(resampled > observed + noise)
    bias = normal_quantile((1 + (below - above) / len(resampled)) / 2)
    deviations = jackknife.mean() - jackknife
    if math.isinf(bias) or np.abs(deviations).max() <= noise / len(jackknife):
        return percentile
    # Divided by the largest, so that no power of a tiny deviation vanishes.
    deviations = deviations / np.abs(deviations).max()
    acceleration = float((deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5))
    shifted = [bias + normal_quantile(share) for share in percentile]
    stretch = [1 - acceleration * z for z in shifted]
    if min(stretch) <= 0:
        return percentile
    low, high = (normal_cdf(bias + z / s) for z, s in zip(shifted, stretch, strict=True))
    return low, high
