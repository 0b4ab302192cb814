"""Slices against the rest: Δ and its standard error, of observed or permuted cluster means.

With k_g of the n_g queries of cluster g in the slice, n_S queries inside and n_O outside,
w_g = k_g / n_S − (n_g − k_g) / n_O, ē and r as in `engine.stats.cluster_permutations`, and
R_g = (1/n_S + 1/n_O) · Σ of the r_i of cluster g in the slice:

    Δ    = Σ w ē + Σ ± R
    own  = [Σ w² ē² − U² / (c_S n_S²) − U² / (c_O n_O²)] · c / (c − 1) + Σ R²,  U = Σ k ē
    null = S²_z · [Σ (w h)² − (Σ w h)² / G] + Σ R²
    SE²  = ((c − 1) · own + 20 · null) / (c − 1 + 20)

c_S, c_O: clusters with a query inside, outside; c the smaller one; G: all; S²_z: the variance of z.
`own` allows for clusters and for values that are more scattered inside than outside; `null` is the
variance over all permutations. A slice of few clusters knows little of its own variance (that of
twenty zeros is 0), so the null's counts as that of 20 clusters more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from engine.base.arrays import AnyFloats, Bools, Floats, Ints
from engine.stats.cluster_permutations import ClusterDraws, ClusterValues

Members: TypeAlias = Bools | Any
"""(n, s) whether a query is in a slice: an array, or a sparse matrix of scipy."""

PRIOR_CLUSTERS = 20
"""What the null's variance counts for beside that of the slice's own clusters."""

_SMALL = 1e-6
"""Of the variance that single queries would give: less is rounding in single precision."""

_CELLS_AT_ONCE = 2_500_000


@dataclass(frozen=True, slots=True, eq=False)
class SliceContrasts:
    """Some slices, as weights of cluster means.

    support, touched  (c,) queries in each slice, and clusters that they belong to
    differences       (c,) Δ as it was observed
    weights, squares  (G, c) w, w²
    rest              (H, c) R
    shrink            (c,) what is multiplied by (Σ w ē)², which is (1/n_S + 1/n_O)² U²
    least             (c,) the smaller number of clusters, inside or outside
    null, still       (c,) `null`, and Σ R²
    """

    support: Ints
    touched: Ints
    differences: Floats
    weights: AnyFloats
    squares: AnyFloats
    rest: AnyFloats
    shrink: Floats
    least: Floats
    null: Floats
    still: Floats

    @classmethod
    def of(cls, inside: AnyFloats, values: ClusterValues) -> SliceContrasts:
        """Slices as columns of 0 and 1, one row per query in the order of the clusters."""
        n, sizes = len(inside), values.sizes.astype(np.float32)[:, None]
        count = _sum_clusters(inside, values.starts)
        support = count.sum(axis=0, dtype=np.float64)
        others, cut = n - support, count < sizes
        into, out = (np.count_nonzero(side, axis=0) for side in (count, cut))
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = 1 / support + 1 / others
            shrink = (1 / (into * support**2) + 1 / (out * others**2)) / factor**2
            weights = count * _single(factor) - sizes / _single(others)
        squares = weights**2
        rest = np.zeros((len(values.inner), inside.shape[1]), np.float32)
        if len(values.inner):
            sums = _sum_clusters(inside * _single(values.rest)[:, None], values.starts)
            rest = np.where(cut, sums * _single(factor), 0)[values.inner]
        still = (rest**2).sum(axis=0, dtype=np.float64)
        spread = _single(values.scale**2) @ squares
        spread -= (_single(values.scale) @ weights) ** 2 / len(sizes)
        variance = float(values.alike.var(ddof=1)) if len(sizes) > 1 else 0.0
        null = variance * spread + still
        null[null <= _SMALL * values.variance * factor] = 0.0
        return cls(
            support=support.astype(np.int64),
            touched=into.astype(np.int64),
            differences=factor * (values.centred @ inside),
            weights=weights,
            squares=squares,
            rest=rest,
            shrink=shrink,
            least=np.minimum(into, out).astype(np.float64),
            null=null,
            still=still,
        )

    @property
    def usable(self) -> Bools:
        """(c,) whether there are queries inside and outside."""
        return np.asarray(np.isfinite(self.null), np.bool_)

    def compare(self, draws: ClusterDraws) -> tuple[AnyFloats, AnyFloats]:
        """(b, c) Δ of every draw, and its standard error: 0 where no permutation changes Δ."""
        found = draws.means @ self.weights
        variance = draws.squares @ self.squares - found**2 * _single(self.shrink)
        many = np.maximum(self.least, 2)
        freedom = np.maximum(self.least - 1, 0)
        prior = freedom + PRIOR_CLUSTERS
        np.maximum(variance, 0, out=variance)
        variance *= _single(many / (many - 1) * freedom / prior)
        variance += _single((freedom * self.still + PRIOR_CLUSTERS * self.null) / prior)
        if len(self.rest):
            found += draws.signs @ self.rest
        variance *= _single(self.null > 0)
        return found, np.sqrt(variance)

    def studentise(self, draws: ClusterDraws) -> AnyFloats:
        """(b, c) T = Δ / its standard error; 0 where no permutation changes Δ, NaN where there is
        no query inside or outside."""
        found, error = self.compare(draws)
        with np.errstate(divide="ignore", invalid="ignore"):
            found /= error
        found[:, self.null == 0] = 0.0
        return found


def cut_slices(members: Members, values: ClusterValues, rows: int) -> Iterator[SliceContrasts]:
    """All slices, so many at a time that `rows` draws of them fit into little memory."""
    n, slices = members.shape
    tall = members.tocsc() if hasattr(members, "tocsc") else members
    step = max(1, _CELLS_AT_ONCE // max(n, rows, 1))
    for start in range(0, slices, step):
        some = tall[:, start : start + step]
        dense = some.toarray() if hasattr(some, "toarray") else np.asarray(some)
        yield SliceContrasts.of(_arrange(dense != 0, values), values)


def _sum_clusters(columns: AnyFloats, starts: Ints) -> AnyFloats:
    """(G, c) sums of the rows of each cluster."""
    if len(starts) == len(columns):
        return columns
    sums: AnyFloats = np.add.reduceat(columns, starts, axis=0)
    return sums


def _arrange(inside: Bools, values: ClusterValues) -> AnyFloats:
    """0 and 1, in the order of the clusters."""
    alone = len(values.starts) == len(values.order)
    return (inside if alone else inside.take(values.order, axis=0)).astype(np.float32)


def _single(numbers: AnyFloats) -> AnyFloats:
    return numbers.astype(np.float32)
