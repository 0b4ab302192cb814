"""The covariance of some vectors, shrunk so that it has an inverse, and what it teaches linearly.

With more dimensions than vectors the covariance has no inverse, so it is drawn to a multiple of the
identity, by as much as Ledoit and Wolf (2004) found best from the vectors alone:

    Σ = (1 − ρ) S + ρ μ I,   S = XᵀX / n of centred X,   μ = tr S / d
    ρ = min(β, δ) / δ,   δ = |S − μI|² / d,   β = Σ_i |x_i x_iᵀ − S|² / (d n²)

Whatever is learned here lies in the span of the vectors, so only that is kept: V, and the variances
s² / n along it. Erasing uses Σ, with (1 − ρ) s² / n + ρ μ; a probe may need less shrinkage, as what
it looks for can be short beside all the rest, and chooses its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, Floats

_FLAT = 1e-10
"""Directions of which the vectors have less than this share of the longest one are rounding."""

_UNRELATED = 1e-6
"""The same of directions in which labels and vectors go together."""

_LEAST_PENALTY = 1e-3
"""As a share of the mean variance; and of the vectors themselves in their shrunk covariance."""

_POWERS = np.array([10.0, 1.0, 0.1, 0.01, 0.001])


@dataclass(frozen=True, slots=True, eq=False)
class LinearEraser:
    """x ↦ x − A B (x − μ), with A (d, r) and B (r, d)."""

    mean: Floats
    left: Floats
    right: Floats

    def erase(self, vectors: AnyFloats) -> Floats:
        """The vectors without what was to be erased."""
        found: Floats = vectors - (vectors - self.mean) @ self.right.T @ self.left.T
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ShrunkCovariance:
    """What some vectors are like.

    mean       (d,)
    centred    (n, d) the vectors, less their mean
    basis      (d, r) orthonormal columns that span them
    variances  (r,) along the basis
    shrinkage  ρ
    """

    mean: Floats
    centred: Floats
    basis: Floats
    variances: Floats
    shrinkage: float

    @classmethod
    def of(cls, vectors: AnyFloats, shrinkage: float | None = None) -> ShrunkCovariance:
        """`shrinkage` is ρ; None: Ledoit and Wolf's."""
        x = vectors.astype(np.float64)
        mean: Floats = x.mean(axis=0)
        x -= mean
        n, d = x.shape
        # The smaller of XXᵀ and XᵀX has all that is wanted.
        squares, directions = np.linalg.eigh(x @ x.T if n < d else x.T @ x)
        kept = squares > _FLAT * max(squares.max(initial=0.0), np.finfo(float).tiny)
        squares, directions = squares[kept], directions[:, kept]
        basis = x.T @ directions / np.sqrt(squares) if n < d else directions
        rho = choose_shrinkage(x, squares) if shrinkage is None else shrinkage
        return cls(mean, x, basis, squares / n, rho)

    @property
    def spectrum(self) -> Floats:
        """(r,) the shrunk covariance along the basis."""
        found: Floats = (1 - self.shrinkage) * self.variances + self.shrinkage * self._level
        return found

    @property
    def _level(self) -> float:
        """μ, the mean variance of a dimension."""
        return float(self.variances.sum()) / len(self.mean)

    @property
    def penalties(self) -> Floats:
        """Of which a probe chooses: what Ledoit and Wolf's shrinkage amounts to, and powers of ten
        of it."""
        own = self.shrinkage / max(1 - self.shrinkage, _LEAST_PENALTY) * self._level
        return max(own, _LEAST_PENALTY * self._level) * _POWERS

    def fit_probes(self, labels: AnyFloats) -> Floats:
        """(d, k) the direction along which each label is predicted best: ridge regression, up to
        its length a linear discriminant, (S + κ I)⁻¹ cov(x, z). κ is that of `penalties` with the
        least generalised cross-validation (Golub, Heath and Wahba, 1979),

            |z − ẑ|² / (1 − f / n)²,   f = 1 + Σ v / (v + κ) over the variances v
        """
        n, together = len(labels), self._relate(labels)
        explained = together**2 / self.variances[:, None]
        # As many directions as vectors explain everything; what is left then is rounding.
        free = n - 1 - len(self.variances)
        beyond = np.maximum(0.0, labels.var(axis=0) - explained.sum(axis=0)) if free > 0 else 0.0
        best = np.full(labels.shape[1], np.inf)
        found = np.zeros_like(together)
        for penalty in self.penalties.tolist():
            lost = penalty / (self.variances + penalty)
            error = (beyond + lost**2 @ explained) / (free + lost.sum()) ** 2
            better = error < best
            best = np.where(better, error, best)
            found = np.where(better, together / (self.variances + penalty)[:, None], found)
        probes: Floats = self.basis @ found
        return probes

    def fit_eraser(self, labels: AnyFloats) -> LinearEraser:
        """What takes from vectors, with the least change, all that predicts labels linearly: LEACE
        (Belrose et al., 2023), x ↦ x − W⁺ U Uᵀ W (x − μ) with W = Σ^(−½) and U the left singular
        vectors of W cov(x, z)."""
        roots = np.sqrt(self.spectrum)[:, None]
        left, strengths, _ = np.linalg.svd(self._relate(labels) / roots, full_matrices=False)
        left = left[:, strengths > _UNRELATED * max(strengths.max(initial=0.0), _FLAT)]
        return LinearEraser(self.mean, self.basis @ (roots * left), (self.basis @ (left / roots)).T)

    def _relate(self, labels: AnyFloats) -> Floats:
        """(r, k) the covariance of the vectors with labels."""
        together = self.centred.T @ (labels - labels.mean(axis=0))
        found: Floats = self.basis.T @ together / len(labels)
        return found


def choose_shrinkage(centred: Floats, squares: Floats) -> float:
    """Ledoit and Wolf's ρ; `squares` are the squared singular values of the vectors.

    >>> x = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    >>> round(choose_shrinkage(x, np.array([2.0, 8.0])), 4)
    0.9444
    """
    n, d = centred.shape
    total = float((squares**2).sum()) / n**2
    spread = total / d - (float(squares.sum()) / n / d) ** 2
    noise = (float((np.vecdot(centred, centred) ** 2).mean()) - total) / d / n
    return min(noise, spread) / spread if spread > 0 else 0.0
