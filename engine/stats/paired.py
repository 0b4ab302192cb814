"""Paired tests: the result that all share, and Student's t."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy.typing as npt

from engine.stats.distributions import t_cdf
from engine.stats.samples import Alternative, check_sample, is_constant


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
