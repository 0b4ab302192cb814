"""Two systems on the same queries: their differences, effect sizes, and Student's t test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats
from engine.stats.distributions import t_cdf
from engine.stats.samples import Alternative, check_sample, is_constant

DECIMALS = 12


def paired_differences(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """first − second for every query, rounded to 12 decimals.

    0.8 − 0.6 and 0.4 − 0.2 are the same difference, and the ranks of Wilcoxon's test must follow
    that: on values that are fifths, unrounded differences move its p-value by as much as 0.3.

    >>> paired_differences([0.8, 0.4], [0.6, 0.2]).tolist()
    [0.2, 0.2]
    """
    a, b = check_sample(first), check_sample(second)
    if len(a) != len(b):
        raise ValueError(f"expected values of the same queries, got {len(a)} and {len(b)}")
    rounded: Floats = np.round(a - b, DECIMALS)
    return rounded


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A test's statistic and its p-value.

    p is the probability, were the two systems interchangeable, of a statistic at least as extreme.
    """

    statistic: float
    p: float


NO_DIFFERENCE = PairedTest(0.0, 1.0)
"""Identical runs: nothing speaks against the two being the same, whatever the test."""


def require_alternative(alternative: Alternative) -> None:
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError(f"unknown alternative: {alternative}")


def paired_t(differences: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Student's paired t: t = mean / (std / √n), std with ddof = 1, n − 1 degrees of freedom.

    No difference at all gives p = 1. A single difference that is not 0 has no std: both are NaN.
    Differences that are all the same number, and not 0, give t = ±inf, and p = 0 on that side.

    >>> test = paired_t([1.0, 2.0, 3.0])
    >>> round(test.statistic, 3), round(test.p, 3)
    (3.464, 0.074)
    >>> paired_t([0.0, 0.0])
    PairedTest(statistic=0.0, p=1.0)
    """
    require_alternative(alternative)
    d = check_sample(differences)
    if not d.any():
        return NO_DIFFERENCE
    if len(d) < 2:
        return PairedTest(math.nan, math.nan)
    if is_constant(d):
        t = math.copysign(math.inf, d[0])
    else:
        t = float(d.mean() / (d.std(ddof=1) / math.sqrt(len(d))))
    df = len(d) - 1
    if alternative == "two-sided":
        return PairedTest(t, 2 * t_cdf(df, -abs(t)))
    return PairedTest(t, t_cdf(df, t if alternative == "less" else -t))


@dataclass(frozen=True, slots=True)
class WinTieLoss:
    """Queries on which the first system is better, equal, worse."""

    wins: int
    ties: int
    losses: int


def win_tie_loss(
    differences: npt.ArrayLike, lower_is_better: bool = False, tolerance: float = 1e-12
) -> WinTieLoss:
    """Count differences above, within and below ± tolerance; below is a win if lower is better.

    >>> win_tie_loss([0.2, 0.0, -0.1, 0.5])
    WinTieLoss(wins=2, ties=1, losses=1)
    >>> win_tie_loss([-7.0, 0.0], lower_is_better=True)
    WinTieLoss(wins=1, ties=1, losses=0)
    """
    d = check_sample(differences)
    above = int(np.count_nonzero(d > tolerance))
    below = int(np.count_nonzero(d < -tolerance))
    wins, losses = (below, above) if lower_is_better else (above, below)
    return WinTieLoss(wins, len(d) - wins - losses, losses)


def cohens_dz(differences: npt.ArrayLike) -> float:
    """Cohen's d of paired differences: mean / std, with ddof = 1.

    0 if all are 0; ±inf if all are the same other number; NaN for a single one that is not 0.

    >>> cohens_dz([1.0, 2.0, 3.0])
    2.0
    >>> cohens_dz([0.5, 0.5])
    inf
    """
    d = check_sample(differences)
    if not d.any():
        return 0.0
    if len(d) < 2:
        return math.nan
    if is_constant(d):
        return math.copysign(math.inf, d[0])
    return float(d.mean() / d.std(ddof=1))
