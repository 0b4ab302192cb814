"""The distributions behind intervals and tests: a typed door to scipy.special.

scipy.special is imported when a distribution is first asked for. It loads in a fraction of the
time of scipy.stats, and has all that is needed.
"""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np

from engine.base.arrays import Floats


def _special() -> ModuleType:
    import scipy.special  # type: ignore[import-untyped,unused-ignore]

    module: ModuleType = scipy.special
    return module


def load_distributions() -> None:
    """Import them now: a fifth of a second that nobody should have to wait for later."""
    _special()


def normal_cdf(z: float) -> float:
    """P(Z ≤ z).

    >>> normal_cdf(0.0)
    0.5
    """
    return float(_special().ndtr(z))


def normal_quantile(p: float) -> float:
    """z with P(Z ≤ z) = p; −inf for 0, inf for 1.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    return float(_special().ndtri(p))


def t_cdf(df: float, t: float) -> float:
    """P(T ≤ t) of Student's t.

    >>> t_cdf(1, 1.0)
    0.75
    """
    return float(_special().stdtr(df, t))


def t_quantile(df: float, p: float) -> float:
    """t with P(T ≤ t) = p.

    >>> round(t_quantile(9, 0.975), 3)
    2.262
    """
    return float(_special().stdtrit(df, p))


def t_quantiles(df: Floats, p: Floats) -> Floats:
    """The same, one for each place of the arrays.

    >>> t_quantiles(np.array([1.0, 9.0]), np.array([0.975, 0.975])).round(3).tolist()
    [12.706, 2.262]
    """
    return np.asarray(_special().stdtrit(df, p), np.float64)


def noncentral_t_cdf(df: float, noncentrality: float, t: float) -> float:
    """P(T ≤ t) of the noncentral t.

    >>> round(noncentral_t_cdf(9, 2.0, 2.262), 3)
    0.569
    """
    p = float(_special().nctdtr(df, noncentrality, t))
    # scipy answers NaN where the probability is too small for its sum, below 1e-15 or so.
    return 0.0 if math.isnan(p) else p


def beta_cdf(a: Floats, b: Floats, x: Floats) -> Floats:
    """P(B ≤ x) of Beta(a, b), one for each place of the arrays.

    >>> beta_cdf(np.array([1.0]), np.array([1.0]), np.array([0.25])).tolist()
    [0.25]
    """
    return np.asarray(_special().betainc(a, b, x), np.float64)


def beta_quantile(a: Floats, b: Floats, p: float | Floats) -> Floats:
    """x with P(B ≤ x) = p of Beta(a, b), one for each place of the arrays.

    >>> beta_quantile(np.array([1.0]), np.array([1.0]), 0.25).tolist()
    [0.25]
    """
    return np.asarray(_special().betaincinv(a, b, p), np.float64)


def log_binomial(n: Floats, k: Floats) -> Floats:
    """log C(n, k), one for each place of the arrays.

    >>> np.exp(log_binomial(np.array([4.0]), np.array([2.0]))).round(9).tolist()
    [6.0]
    """
    log_gamma = _special().gammaln
    return np.asarray(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1), np.float64)
