"""Power: the smallest difference that a comparison of this size could have found."""

from __future__ import annotations

import math

import numpy.typing as npt

from engine.stats.distributions import noncentral_t_cdf, t_quantile
from engine.stats.paired import require_alternative
from engine.stats.samples import Alternative, check_sample, is_constant, require_share

PRECISION = 1e-9
"""Of the noncentrality; the effect is that times std / √n."""


def find_smallest_effect(
    differences: npt.ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> float:
    """The smallest mean difference, as a size ≥ 0, that a paired t test of these n queries with
    this std (ddof = 1) finds significant at `alpha` with probability `power`.

    δ with P(|T| > t_{1−α/2}) = power for T noncentral t, n − 1 degrees of freedom, noncentrality
    δ √n / std; one-sided: P(T > t_{1−α}) = power, and for "less" the mean lies δ below 0.
    NaN for fewer than two differences, 0 if they are all the same.

    >>> round(find_smallest_effect([-1.0, 0.0, 1.0] * 10), 4)
    0.4395
    """
    require_alternative(alternative)
    require_share("alpha", alpha)
    require_share("power", power)
    d = check_sample(differences)
    if len(d) < 2:
        return math.nan
    if is_constant(d):
        return 0.0
    standard_error = float(d.std(ddof=1)) / math.sqrt(len(d))
    return _noncentrality(len(d) - 1, alpha, power, alternative == "two-sided") * standard_error


def compute_power(df: int, noncentrality: float, alpha: float, two_sided: bool) -> float:
    """Probability that the t test is significant, given how far the truth lies from 0.

    >>> round(compute_power(29, 0.0, 0.05, two_sided=True), 6)
    0.05
    """
    critical = t_quantile(df, 1 - alpha / 2 if two_sided else 1 - alpha)
    upper = 1 - noncentral_t_cdf(df, noncentrality, critical)
    return upper + (noncentral_t_cdf(df, noncentrality, -critical) if two_sided else 0.0)


def _noncentrality(df: int, alpha: float, power: float, two_sided: bool) -> float:
    """Where the power is reached, by bisection: it grows with the noncentrality from alpha on."""
    low, high = 0.0, 1.0
    if power <= alpha:
        return low
    while compute_power(df, high, alpha, two_sided) < power:
        low, high = high, 2 * high
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        if compute_power(df, middle, alpha, two_sided) < power:
            low = middle
        else:
            high = middle
    return high
