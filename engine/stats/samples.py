"""Samples: what every statistic checks before it counts."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
"""What the mean difference is suspected to be: other than 0, below 0, above 0."""


def check_sample(values: npt.ArrayLike) -> Floats:
    """The values as a vector of finite floats.

    >>> check_sample([1, 2])
    array([1., 2.])
    """
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"expected one value per query, got an array of shape {vector.shape}")
    return _finite(vector)


def check_samples(columns: npt.ArrayLike) -> Floats:
    """The columns as a matrix of finite floats, one row per query."""
    matrix = np.asarray(columns, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"expected queries × columns, got an array of shape {matrix.shape}")
    return _finite(matrix)


def number_clusters(clusters: npt.ArrayLike | None, n: int) -> Ints:
    """(n,) labels renumbered 0, 1, 2 …; without labels every value is a cluster of its own.

    >>> number_clusters([7, 3, 7], 3)
    array([1, 0, 1])
    """
    if clusters is None:
        return np.arange(n, dtype=np.int64)
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ValueError(f"expected {n} cluster labels, one per value, got shape {labels.shape}")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def is_constant(values: Floats) -> bool:
    """Whether all values are the same number; std(…) == 0 would depend on rounding."""
    return len(values) > 0 and bool(values.min() == values.max())


def require_share(name: str, value: float) -> None:
    """A level, an alpha or a power lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value}")


def require_resamples(resamples: int) -> None:
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")


def _finite(values: Floats) -> Floats:
    if not np.isfinite(values).all():
        raise ValueError("values must be finite: leave out what does not count before")
    return values
