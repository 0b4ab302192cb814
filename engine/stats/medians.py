"""Two systems by their medians: how far these are apart, and whether that is more than chance.

The median of differences is not the difference of medians: where most queries tie, it is 0 however
far the medians are apart. So what is reported as a median is compared as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from engine.stats.bootstrap import Interval
from engine.stats.paired import NO_DIFFERENCE, PairedTest, require_alternative
from engine.stats.permutation import drawn_patterns, every_pattern
from engine.stats.resampling import Units
from engine.stats.samples import (
    ROUNDING,
    Alternative,
    Bools,
    Floats,
    cluster_numbers,
    require_resamples,
    require_share,
    sample,
)

CELLS_AT_ONCE = 2_000_000


def median_difference(old: npt.ArrayLike, new: npt.ArrayLike) -> float:
    """median(new) − median(old); NaN of nothing.

    >>> median_difference([1, 5, 9], [1, 2, 3])
    -3.0
    """
    before, after = sample(old), sample(new)
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
    columns = np.stack([sample(old), sample(new)])
    units = Units.of(columns, cluster_numbers(clusters, columns.shape[1]))
    if len(units) < 2:
        return Interval(math.nan, math.nan, level)
    before, after = units.resampled("median", resamples, seed)
    low, high = np.quantile(after - before, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def swap_test(
    old: npt.ArrayLike,
    new: npt.ArrayLike,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    clusters: npt.ArrayLike | None = None,
) -> PairedTest:
    """Permutation test of `median_difference`: were the systems interchangeable, each query (or
    cluster) could as well have its two values the other way round.

    Exact where 2^k ≤ resamples, k being the units on which the systems differ; else Monte Carlo
    with p = (b + 1) / (B + 1). No difference at all gives p = 1.

    >>> swap_test([9, 9, 9], [1, 1, 1])  # of 8 patterns every one has medians 8 apart
    PairedTest(statistic=-8.0, p=1.0)
    >>> swap_test([5, 6, 7, 8, 9], [1, 2, 3, 4, 5]).p
    0.0625
    """
    require_alternative(alternative)
    require_resamples(resamples)
    before, after = sample(old), sample(new)
    differ = before != after
    if not differ.any():
        return NO_DIFFERENCE
    unit_of = _units_that_differ(cluster_numbers(clusters, len(before)), differ)
    units = int(unit_of.max()) + 1
    exact = 2**units <= resamples
    patterns = every_pattern(units) if exact else drawn_patterns(units, resamples, seed)
    observed = median_difference(before, after)
    noise = ROUNDING * float(max(np.abs(before).max(), np.abs(after).max()))
    extreme = 0
    for swap in _swaps(patterns, units, unit_of):
        found = _swapped(before, after, swap)
        extreme += int(np.count_nonzero(_as_extreme(found, observed, noise, alternative)))
    return PairedTest(observed, extreme / 2**units if exact else (extreme + 1) / (resamples + 1))


def _units_that_differ(unit_of: npt.NDArray[np.int64], differ: Bools) -> npt.NDArray[np.int64]:
    """(n,) the units renumbered, those without any difference −1: swapping them changes nothing."""
    numbers = np.full(int(unit_of.max()) + 1, -1, np.int64)
    swapped = np.unique(unit_of[differ])
    numbers[swapped] = np.arange(len(swapped))
    return numbers[unit_of]


def _swaps(
    patterns: Iterator[npt.NDArray[np.uint8]], units: int, unit_of: npt.NDArray[np.int64]
) -> Iterator[Bools]:
    """(rows, n) which values are swapped, some patterns at a time."""
    step = max(1, CELLS_AT_ONCE // len(unit_of))
    for rows in patterns:
        for start in range(0, len(rows), step):
            bits = np.unpackbits(rows[start : start + step], axis=1, bitorder="little")[:, :units]
            yield (bits.take(unit_of, axis=1) == 1) & (unit_of >= 0)


def _swapped(before: Floats, after: Floats, swap: Bools) -> Floats:
    """(rows,) the difference of medians after each swap."""
    first = np.median(np.where(swap, after, before), axis=1)
    second = np.median(np.where(swap, before, after), axis=1)
    difference: Floats = second - first
    return difference


def _as_extreme(found: Floats, observed: float, noise: float, alternative: Alternative) -> Bools:
    if alternative == "two-sided":
        return np.abs(found) >= abs(observed) - noise
    return found >= observed - noise if alternative == "greater" else found <= observed + noise
