"""Shares of results that hang together: how many independent ones they are worth, and what a share
among so many can be.

    interval  x of n: P(B ≤ low) = α/2 of Beta(x, n − x + 1), P(B ≤ high) = 1 − α/2 of
              Beta(x + 1, n − x): Clopper and Pearson (1934)
    p         that a share of at least x / n comes from a true share `base`: P(B ≤ base) of
              Beta(x, n − x + 1); both sides: twice that

Counts need not be whole: n is what the results are worth, and x the share of it (Korn and Graubard,
1998). The lower end lies above `base` exactly where the p-value of both sides lies below α.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.base.arrays import Floats
from engine.stats.distributions import beta_cdf, beta_quantile, t_quantiles


class ShareInterval(NamedTuple):
    """The lower and upper end of every share."""

    low: Floats
    high: Floats


def bound_shares(found: Floats, of: Floats, alpha: Floats) -> ShareInterval:
    """Between which shares the true ones lie, but for a chance of alpha.

    >>> low, high = bound_shares(np.array([0.0, 5.0]), np.array([10.0, 10.0]), np.full(2, 0.05))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.1871], [0.3085, 0.8129])
    """
    some, rest = found > 0, of - found > 0
    low = beta_quantile(np.where(some, found, 1.0), of - found + 1, alpha / 2)
    high = beta_quantile(found + 1, np.where(rest, of - found, 1.0), 1 - alpha / 2)
    return ShareInterval(np.where(some, low, 0.0), np.where(rest, high, 1.0))


def compute_tail(found: Floats, of: Floats, base: Floats) -> Floats:
    """How likely at least so many are, if the true share is the base.

    >>> compute_tail(np.array([2.0, 0.0]), np.array([2.0, 2.0]), np.array([0.5, 0.5])).tolist()
    [0.25, 1.0]
    """
    some = found > 0
    return np.where(some, beta_cdf(np.where(some, found, 1.0), of - found + 1, base), 1.0)


def discount_few(of: Floats, groups: Floats, alpha: Floats) -> Floats:
    """What is left of the worth of results if it was estimated from so few groups of them:
    (t of n − 1 degrees of freedom / t of groups − 1)², both at 1 − α/2; 0 for a single group.

    >>> left = discount_few(np.full(4, 100.0), np.array([1.0, 2.0, 4.0, 40.0]), np.full(4, 0.05))
    >>> left.round(3).tolist()
    [0.0, 0.024, 0.389, 0.962]
    """
    some = groups > 1
    df = np.where(some, groups - 1, 1.0)
    ratio = t_quantiles(np.maximum(of - 1, df), 1 - alpha / 2) / t_quantiles(df, 1 - alpha / 2)
    return np.where(some, ratio**2, 0.0)
