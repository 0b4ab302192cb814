"""Between which ends the difference of a slice from the rest lies: the cluster bootstrap."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.base.arrays import ROUNDING, Floats, Ints
from engine.stats.bootstrap import Interval, compute_bca_shares
from engine.stats.resampling import draw_counts
from engine.stats.samples import check_sample, number_clusters, require_resamples, require_share
from engine.stats.slice_contrasts import Members


def bound_slices(
    values: npt.ArrayLike,
    members: Members,
    chosen: Sequence[int] | Ints,
    *,
    clusters: npt.ArrayLike | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> tuple[Interval, ...]:
    """The bias-corrected and accelerated interval of mean inside − mean outside, for each of the
    chosen slices (columns of `members`).

    Whole clusters are drawn, as many as there are, wherever their queries are; a resample that has
    none inside, or none outside, says nothing and is left out. The jackknife leaves out each
    cluster in turn. A slice with fewer than two clusters inside or outside has no interval: NaN.
    It is about one slice: of the worst of many, the ends are too far from 0.

    >>> values = [0.0, 0.2, 0.1, 0.3, 0.8, 1.0, 0.9, 0.7]
    >>> (found,) = bound_slices(values, np.arange(8)[:, None] < 4, [0])
    >>> round(found.low, 3), round(found.high, 3)
    (-0.867, -0.533)
    """
    require_share("level", level)
    require_resamples(resamples)
    checked = check_sample(values)
    unit = number_clusters(clusters, len(checked))
    some = members[:, np.asarray(chosen, np.int64)]
    inside = np.asarray(some.toarray() if hasattr(some, "toarray") else some) != 0
    sums = [_sum_units(side * checked[:, None], unit) for side in (inside, ~inside)]
    sizes = [_sum_units(side, unit) for side in (inside, ~inside)]
    drawn = [
        _subtract_means(*(counts @ part for part in (*sums, *sizes)))
        for counts in (
            rows.astype(np.float64) for rows in draw_counts(len(sums[0]), resamples, seed)
        )
    ]
    without = _subtract_means(*(part.sum(axis=0) - part for part in (*sums, *sizes)))
    observed = _subtract_means(*(part.sum(axis=0) for part in (*sums, *sizes)))
    noise = ROUNDING * float(np.abs(checked).max(initial=0.0))
    few = np.min([np.count_nonzero(part, axis=0) for part in sizes], axis=0) < 2
    every = np.concatenate(drawn)
    return tuple(
        Interval(math.nan, math.nan, level)
        if few[place]
        else _bound(every[:, place], float(observed[place]), without[:, place], level, noise)
        for place in range(inside.shape[1])
    )


def _bound(drawn: Floats, observed: float, without: Floats, level: float, noise: float) -> Interval:
    known = drawn[~np.isnan(drawn)]
    low, high = np.quantile(known, compute_bca_shares(known, observed, without, level, noise))
    return Interval(float(low), float(high), level)


def _subtract_means(inside: Floats, outside: Floats, of: Floats, others: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = inside / of - outside / others
    return found


def _sum_units(columns: npt.NDArray[np.generic], unit: Ints) -> Floats:
    """(u, c) the sums over the queries of each cluster."""
    found = np.zeros((int(unit.max(initial=-1)) + 1, columns.shape[1]))
    np.add.at(found, unit, columns.astype(np.float64))
    return found
