"""Means of per-query values with intervals that share their resamples.

Queries that share a source or a keyword set are drawn together. Whatever is drawn depends on the
clusters and the seed alone, so the draws of two models over the same queries belong together, and
the interval of a difference of two effects is that of the difference of their draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.stats import Interval
from engine.stats.distributions import normal_quantile, t_quantile
from engine.stats.resampling import draw_counts


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A number, its interval, the draws that the interval comes from, and of how many clusters it
    is; 0: nobody knows."""

    value: float
    interval: Interval
    draws: Floats
    clusters: int = 0

    @classmethod
    def of_draws(cls, value: float, draws: Floats, level: float, clusters: int = 0) -> Effect:
        """The percentile interval; undefined where fewer than two draws are.

        >>> Effect.of_draws(0.5, np.arange(5.0), 0.5).interval
        Interval(low=1.0, high=3.0, level=0.5)
        """
        known = draws[np.isfinite(draws)]
        if len(known) < 2 or math.isnan(value):
            return cls(value, Interval(math.nan, math.nan, level), draws, clusters)
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
        return cls(value, Interval(float(low), float(high), level), draws, clusters)

    def minus(self, other: Effect) -> Effect:
        """The difference of two estimates that share their resamples."""
        return Effect.of_draws(
            self.value - other.value,
            self.draws - other.draws,
            self.interval.level,
            min(self.clusters, other.clusters),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """Resamples of clusters of queries.

    counts   (b, c) how often each cluster was drawn
    cluster  (q,) the cluster of each query
    level    of the intervals
    """

    counts: Floats
    cluster: Ints
    level: float

    @classmethod
    def draw(cls, clusters: Ints, resamples: int, seed: int, level: float) -> Resamples:
        """The same for the same clusters and seed."""
        cluster = np.unique(clusters, return_inverse=True)[1].reshape(-1).astype(np.int64)
        drawn = draw_counts(int(cluster.max(initial=-1)) + 1, resamples, seed)
        counts = np.concatenate([part.astype(np.float32) for part in drawn])
        return cls(counts, cluster, level)

    def mean(self, values: Floats, rows: Bools | None = None) -> Effect:
        """The mean of the values of some queries (None: all); NaN does not count.

        >>> drawn = Resamples.draw(np.arange(4), 200, seed=0, level=0.95)
        >>> drawn.mean(np.array([0.0, 1.0, 1.0, np.nan]), np.array([True, True, True, True])).value
        0.6666666666666666
        """
        kept = values if rows is None else np.where(rows, values, math.nan)
        return self.means(kept[:, None])[0]

    def means(self, columns: Floats) -> tuple[Effect, ...]:
        """The mean of each of the columns (q, m); NaN does not count. There is no interval where
        all that counts is of one cluster; draws of few clusters are spread by as much as Student's
        t is wider than the normal distribution, as resampling few clusters shows too little.

        >>> drawn = Resamples.draw(np.array([0, 0, 1]), 200, seed=0, level=0.95)
        >>> (one,) = drawn.means(np.array([[0.25], [0.75], [np.nan]]))
        >>> one.value, one.interval
        (0.5, Interval(low=nan, high=nan, level=0.95))
        """
        counted = np.isfinite(columns)
        known = np.where(counted, columns, 0.0)
        shape = (self.counts.shape[1], columns.shape[1])
        sums, sizes = np.zeros(shape), np.zeros(shape)
        np.add.at(sums, self.cluster, known)
        np.add.at(sizes, self.cluster, counted)
        totals = self.counts @ np.hstack([sums, sizes])
        found = []
        for place in range(columns.shape[1]):
            above, below = totals[:, place], totals[:, shape[1] + place]
            draws = np.full(len(totals), math.nan)
            clusters = int(np.count_nonzero(sizes[:, place]))
            if clusters > 1:  # one cluster is drawn alike every time
                np.divide(above, below, out=draws, where=below > 0)
            size = counted[:, place].sum()
            value = float(known[:, place].sum() / size) if size else math.nan
            wider = widen_few(clusters, self.level)
            spread = value + wider * (draws - value)
            found.append(Effect.of_draws(value, spread, self.level, clusters))
        return tuple(found)

    def contrast(self, values: Floats, inside: Bools) -> Effect:
        """The mean inside minus the mean outside."""
        return self.mean(values, inside).minus(self.mean(values, ~inside))


@cache
def widen_few(clusters: int, level: float) -> float:
    """By how much the interval of a mean of so many clusters is wider than resampling shows: the
    ratio of Student's quantile to the normal one, and √(c / (c − 1)) for the bootstrap's own
    standard deviation, which divides by all clusters.

    >>> [round(widen_few(clusters, 0.95), 2) for clusters in (3, 10, 100)]
    [2.69, 1.22, 1.02]
    """
    if clusters < 2:
        return 1.0
    upper = (1 + level) / 2
    few = t_quantile(clusters - 1, upper) / normal_quantile(upper)
    return float(few * math.sqrt(clusters / (clusters - 1)))
