"""Permuting queries that hang together: whole clusters change places.

With e the values − their mean, ē_g the mean of e over the n_g queries of cluster g and r = e − ē_g
what is left:

    z_g = ē_g / h_g, h_g² = τ² + σ²/n_g   the means, made alike: clusters differ in size
    permuted:  ē*_g = h_g · z_π(g), − their mean over queries;  r*_i = ±r_i, one sign per cluster

σ² is the variance within clusters and τ² that between them (one-way analysis of variance, τ² ≥ 0).
Where all clusters have one size, h cancels: means change places as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.base.arrays import ROUNDING, AnyFloats, Floats, Ints
from engine.stats.samples import is_constant

_CELLS_AT_ONCE = 5_000_000


class ClusterDraws(NamedTuple):
    """Permutations: a row each.

    means    (b, G) the mean of every cluster
    squares  (b, G) their squares
    signs    (b, H) the sign of what is left, for each cluster in which something is
    """

    means: AnyFloats
    squares: AnyFloats
    signs: AnyFloats


@dataclass(frozen=True, slots=True, eq=False)
class ClusterValues:
    """Centred values, taken apart into the means of G clusters and what is left.

    order   (n,) the queries, cluster by cluster
    centred (n,) e, in `order`
    starts  (G,) where each cluster begins in it
    sizes   (G,) queries of each cluster
    scale   (G,) h
    means   (G,) ē
    rest    (n,) r, in `order`
    inner   (H,) the clusters in which r is not 0
    """

    order: Ints
    centred: Floats
    starts: Ints
    sizes: Floats
    scale: Floats
    means: Floats
    rest: Floats
    inner: Ints

    @classmethod
    def of(cls, values: Floats, cluster: Ints) -> ClusterValues:
        """Values by query and the number of the cluster of each, 0 … G − 1."""
        centred = np.zeros(len(values)) if is_constant(values) else values - values.mean()
        order = np.argsort(cluster, kind="stable")
        sizes = np.bincount(cluster).astype(np.float64)
        means = np.bincount(cluster, weights=centred) / sizes
        rest = (centred - means[cluster])[order]
        noise = ROUNDING * float(np.abs(values).max(initial=0.0))
        rest[np.abs(rest) <= noise] = 0.0
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        inner = np.flatnonzero(np.logical_or.reduceat(rest != 0, starts))
        scale = _find_scale(sizes, means, rest)
        return cls(order, centred[order], starts, sizes, scale, means, rest, inner)

    @property
    def variance(self) -> float:
        """Of the values."""
        return float(self.sizes @ self.means**2 + self.rest @ self.rest) / len(self.order)

    @property
    def alike(self) -> Floats:
        """(G,) z."""
        scaled: Floats = np.divide(
            self.means, self.scale, out=np.zeros_like(self.means), where=self.scale > 0
        )
        return scaled

    def observe(self) -> ClusterDraws:
        """The values as they are."""
        means = self.means[None, :].astype(np.float32)
        return ClusterDraws(means, means**2, np.ones((1, len(self.inner)), np.float32))

    def permute(self, permutations: int, seed: int) -> Iterator[ClusterDraws]:
        """So many random permutations, some at a time, in single precision."""
        rng = np.random.default_rng(seed)
        shares = (self.sizes / self.sizes.sum()).astype(np.float32)
        alike, scale = self.alike.astype(np.float32), self.scale.astype(np.float32)
        step = max(1, _CELLS_AT_ONCE // len(self.sizes))
        for start in range(0, permutations, step):
            rows = min(step, permutations - start)
            means = rng.permuted(np.broadcast_to(alike, (rows, len(alike))), axis=1)
            means *= scale
            means -= (means @ shares)[:, None]
            kept = rng.integers(0, 2, (rows, len(self.inner)), dtype=np.int8)
            yield ClusterDraws(means, means**2, (2 * kept - 1).astype(np.float32))


def _find_scale(sizes: Floats, means: Floats, rest: Floats) -> Floats:
    """h of every cluster, from the two variances."""
    n, count = float(sizes.sum()), len(sizes)
    if count < 2 or count == n:
        return np.ones(count)
    within = float(rest @ rest) / (n - count)
    spread = float(sizes @ means**2) - (count - 1) * within
    between = max(0.0, spread / (n - float(sizes @ sizes) / n))
    found: Floats = np.sqrt(between + within / sizes)
    return found
