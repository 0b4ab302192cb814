"""Slices against the rest: Δ and its standard error, of observed or permuted cluster means.

With k_g of the n_g queries of cluster g in the slice, n_S queries inside and n_O outside,
w_g = k_g / n_S − (n_g − k_g) / n_O, f = 1/n_S + 1/n_O, and ē, a, h, z of clusters and atoms as in
`engine.stats.cluster_permutations` (i_k = 1 if atom k is in the slice, else 0):

    Δ    = Σ_g w ē + Σ_k v a,  v_k = f m_k (i_k − k_g/n_g)
    own  = [Σ w² ē² − U² / (c_S n_S²) − U² / (c_O n_O²)] · c / (c − 1) + V,  U = Σ k ē
    null = S²(z) · [Σ (w h)² − (Σ w h)² / G] + V     the variance of Δ over all permutations
    V    = Σ_g S²_g(z) · [Σ (v h)² − (Σ v h)² / A_g] over the atoms of g
    SE²  = ((c − 1) · own + 20 · null) / (c − 1 + 20)

c_S, c_O: clusters with a query inside, outside; c the smaller one; G clusters, A_g atoms of g; S²:
variances.
`own` allows for clusters, and for values that are more scattered inside than outside. A slice of
few clusters knows little of its own variance (that of twenty zeros is 0), so the null's counts as
that of 20 clusters more.
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
    atoms             (H, c) v h of the inner atoms
    shrink            (c,) what is multiplied by (Σ w ē)², which is f² U²
    least             (c,) the smaller number of clusters, inside or outside
    null, still       (c,) `null`, and V
    """

    support: Ints
    touched: Ints
    differences: Floats
    weights: AnyFloats
    squares: AnyFloats
    atoms: AnyFloats
    shrink: Floats
    least: Floats
    null: Floats
    still: Floats

    @classmethod
    def of(cls, inside: AnyFloats, values: ClusterValues) -> SliceContrasts:
        """Slices as columns of 0 and 1, a row for each atom."""
        sizes = _single(values.sizes)[:, None]
        count = _sum_clusters(inside * _single(values.atom_size)[:, None], values.starts)
        support = count.sum(axis=0, dtype=np.float64)
        others = values.sizes.sum() - support
        into, out = (np.count_nonzero(side, axis=0) for side in (count, count < sizes))
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = 1 / support + 1 / others
            shrink = (1 / (into * support**2) + 1 / (out * others**2)) / factor**2
            weights = count * _single(factor) - sizes / _single(others)
            atoms = _weigh_atoms(inside, count / sizes, values) * _single(factor)
            differences = factor * (values.totals @ inside)
        squares = weights**2
        spread = _single(values.scale**2) @ squares
        spread -= (_single(values.scale) @ weights) ** 2 / len(sizes)
        still = _sum_variances(atoms, values)
        null = _find_variance(values.alike) * spread + still
        null[null <= _SMALL * values.variance * factor] = 0.0
        return cls(
            support=support.astype(np.int64),
            touched=into.astype(np.int64),
            differences=differences,
            weights=weights,
            squares=squares,
            atoms=atoms,
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
        if len(self.atoms):
            found += draws.atoms @ self.atoms
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
    for dense in _read_columns(members, max(rows, members.shape[0])):
        inside = dense if len(values.first) == len(dense) else dense.take(values.first, axis=0)
        yield SliceContrasts.of(inside.astype(np.float32), values)


def number_kinds(members: Members) -> Floats:
    """(n,) a number that is the same for queries in the same slices, and, but for a chance of
    2⁻⁵³ or so, for no others: the sum of a random number for each of their slices."""
    rng = np.random.default_rng(0)
    found = np.zeros(members.shape[0])
    for dense in _read_columns(members, members.shape[0]):
        found += np.einsum("ns,s->n", dense, rng.random(dense.shape[1]))
    return found


def _read_columns(members: Members, rows: int) -> Iterator[Bools]:
    tall = members.tocsc() if hasattr(members, "tocsc") else members
    step = max(1, _CELLS_AT_ONCE // max(rows, 1))
    for start in range(0, members.shape[1], step):
        some = tall[:, start : start + step]
        yield np.asarray(some.toarray() if hasattr(some, "toarray") else some) != 0


def _weigh_atoms(inside: AnyFloats, share: AnyFloats, values: ClusterValues) -> AnyFloats:
    """(H, c) m h (i − k/n) of the inner atoms."""
    if not len(values.inner):
        return np.zeros((0, inside.shape[1]), np.float32)
    weight = _single(values.atom_size[values.inner] * values.inner_scale)[:, None]
    found: AnyFloats = (inside[values.inner] - share[values.home]) * weight
    return found


def _sum_variances(atoms: AnyFloats, values: ClusterValues) -> Floats:
    """(c,) Σ over clusters of the variance that permuting their atoms gives."""
    if not len(atoms):
        return np.zeros(atoms.shape[1])
    starts = np.flatnonzero(np.diff(values.home, prepend=-1))
    many = np.diff(starts, append=len(atoms))
    z = values.inner_alike
    mean = np.add.reduceat(z, starts) / many
    spread = np.add.reduceat((z - np.repeat(mean, many)) ** 2, starts) / (many - 1)
    found: Floats = _single(np.repeat(spread, many)) @ atoms**2
    found -= _single(spread / many) @ _sum_clusters(atoms, starts) ** 2
    return np.maximum(found, 0)


def _find_variance(numbers: Floats) -> float:
    return float(numbers.var(ddof=1)) if len(numbers) > 1 else 0.0


def _sum_clusters(columns: AnyFloats, starts: Ints) -> AnyFloats:
    """(G, c) sums of the rows of each cluster."""
    if len(starts) == len(columns):
        return columns
    sums: AnyFloats = np.add.reduceat(columns, starts, axis=0)
    return sums


def _single(numbers: AnyFloats | Bools) -> AnyFloats:
    return numbers.astype(np.float32)
