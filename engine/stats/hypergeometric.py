"""The hypergeometric distribution: how many of those drawn are of the kind that is looked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats
from engine.stats.distributions import log_binomial

_NEGLIGIBLE = 40.0
"""Natural logarithm: a term below e⁻⁴⁰ of the sum, followed by smaller ones, does not change it."""


def compute_hypergeometric_tail(
    found: npt.ArrayLike, kind: npt.ArrayLike, drawn: npt.ArrayLike, among: npt.ArrayLike
) -> Floats:
    """P(X ≥ found), if `drawn` of `among` things are drawn without putting back, and `kind` of
    them are of the kind that is counted; one for each place of the arrays.

    P(X = x) = C(K, x) · C(N − K, n − x) / C(N, n), summed from `found` up in logarithms: tails of
    10⁻³⁰⁰ keep their digits. Below the mean it is 1 − the other tail.

    >>> compute_hypergeometric_tail([2, 0], [2, 2], [2, 2], [4, 4]).round(12).tolist()
    [0.166666666667, 1.0]
    """
    p: Floats = np.exp(compute_log_hypergeometric_tail(found, kind, drawn, among))
    return p


def compute_log_hypergeometric_tail(
    found: npt.ArrayLike, kind: npt.ArrayLike, drawn: npt.ArrayLike, among: npt.ArrayLike
) -> Floats:
    """Its natural logarithm; −inf where so many cannot be found.

    >>> compute_log_hypergeometric_tail([3, 500], [2, 500], [2, 500], [4, 1000]).round(2).tolist()
    [-inf, -689.47]
    """
    given: Any = np.broadcast_arrays(
        *(np.asarray(one, dtype=np.float64) for one in (found, kind, drawn, among))
    )
    x, k, n, total = (np.array(one).reshape(-1) for one in given)
    if ((k < 0) | (n < 0) | (k > total) | (n > total)).any():
        raise ValueError("expected 0 ≤ kind ≤ among and 0 ≤ drawn ≤ among")
    least, most = np.maximum(0, n + k - total), np.minimum(k, n)
    logs = np.where(x <= least, 0.0, -np.inf)
    inside = (x > least) & (x <= most)
    high = inside & (x * total > n * k)
    low = inside & ~high
    logs[high] = _sum_upwards(x[high], k[high], n[high], total[high])
    # X − 1 of one kind or fewer found is drawn − X + 1 of the other kind or more.
    other = _sum_upwards((n - x + 1)[low], (total - k)[low], n[low], total[low])
    logs[low] = np.log(-np.expm1(other))
    return logs.reshape(given[0].shape)


def _sum_upwards(x: Floats, k: Floats, n: Floats, total: Floats) -> Floats:
    """log P(X ≥ x), for x within what can be found: terms by the ratio of neighbours."""
    term = log_binomial(k, x) + log_binomial(total - k, n - x) - log_binomial(total, n)
    sums, place = term.copy(), x.copy()
    most = np.minimum(k, n)
    open_: Bools = place < most
    while open_.any():
        at, own = np.flatnonzero(open_), place[open_]
        up = (k[at] - own) * (n[at] - own)
        term[at] += np.log(up) - np.log((own + 1) * (total[at] - k[at] - n[at] + own + 1))
        sums[at] = np.logaddexp(sums[at], term[at])
        place[at] += 1
        open_[at] = (place[at] < most[at]) & (term[at] > sums[at] - _NEGLIGIBLE)
    return sums
