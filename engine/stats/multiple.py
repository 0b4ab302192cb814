"""Many tests at once: p-values adjusted for the number of metrics or systems compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats


def holm(p_values: npt.ArrayLike, *, others: int = 0) -> Floats:
    """Holm's adjusted p-values: they bound the chance of even one false finding.

    With p(1) ≤ … ≤ p(m): the largest of (m − j + 1) · p(j) over j ≤ i, at most 1.
    NaN stays NaN and is not counted in m. `others` are hypotheses of the same family that are
    tested elsewhere, and count in m as long as any of these does.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, 0.04], others=8).tolist()
    [0.1, 0.36]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    factors = np.arange(len(order), 0, -1) + others
    return _placed(p, order, np.maximum.accumulate(factors * p[order]))


def find_holm_levels(p_values: npt.ArrayLike, alpha: float, *, others: int = 0) -> Floats:
    """The level that each p-value was held against when Holm's procedure decided about it.

    With p(1) ≤ … ≤ p(m), p(i) is held against alpha / (m − i + 1) as long as all before it were
    below theirs; the first that is not ends it, and decides about all that follow. Equal p-values
    have the level of the first of them. So, but for rounding, p is below its level if and only if
    Holm's adjusted p is below alpha. NaN stays NaN. `others` count in m, as in `holm`.

    >>> find_holm_levels([0.5, 0.01, 0.03, 0.2], 0.05).round(4).tolist()
    [0.0167, 0.0125, 0.0167, 0.0167]
    """
    p = _checked(p_values)
    known = p[~np.isnan(p)]
    rejected = np.count_nonzero(holm(known, others=others) < alpha)
    before = np.searchsorted(np.sort(known), known, side="left")
    levels = np.full_like(p, np.nan)
    levels[~np.isnan(p)] = alpha / (len(known) + others - np.minimum(before, rejected))
    return levels


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Benjamini and Hochberg's adjusted p-values: they bound the share of false findings.

    With p(1) ≤ … ≤ p(m): the smallest of m / j · p(j) over j ≥ i, at most 1.
    NaN stays NaN and is not counted in m.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    # m · p / j in this order: (m / j) · p would lift the largest, whose factor is 1, by rounding.
    scaled = len(order) * p[order] / np.arange(1, len(order) + 1)
    return _placed(p, order, np.minimum.accumulate(scaled[::-1])[::-1])


def _checked(p_values: npt.ArrayLike) -> Floats:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"expected a vector of p-values, got an array of shape {p.shape}")
    if ((p < 0) | (p > 1)).any():
        raise ValueError("p-values must lie between 0 and 1")
    return p


def _placed(p: Floats, order: npt.NDArray[np.intp], adjusted: Floats) -> Floats:
    result = np.full_like(p, np.nan)
    result[order] = np.minimum(adjusted, 1.0)
    return result
