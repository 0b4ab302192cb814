"""Permuting queries that hang together: whole clusters change places.

Queries of one cluster that are in the same slices are an *atom*: no slice takes them apart. With e
the values − their mean, ē_g the mean of e over the n_g queries of cluster g, a_k the mean of e over
the m_k queries of atom k − that of its cluster, n queries, G clusters and A atoms in all:

    σ² within atoms, ω² between the atoms of a cluster, τ² between clusters: analysis of variance,
       nested, none below 0
    z_g = ē_g / h_g,  h_g² = τ² + ω² Σ m_k²/n_g² + σ²/n_g     clusters, made alike
    z_k = a_k / h_k,  h_k² = ω² + σ²/m_k                      atoms, made alike
    permuted:  ē*_g = h_g · z_π(g), − their mean over queries, π among all clusters
               a*_k = h_k · z_ρ(k), ρ among the atoms of one cluster

Where all clusters have one size, h cancels, and means change places as they are; so do values,
where every query stands alone. A slice that contains its clusters whole depends on their means.
Of clusters that slices cut, permuting their queries one by one would take those with the same
keywords for independent (8 to 14 % false alarms in place of 5), and signs for what is left of
each cluster suppose that values are symmetric (9 %): atoms do neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.base.arrays import ROUNDING, AnyFloats, Floats, Ints
from engine.stats.samples import is_constant

_CELLS_AT_ONCE = 8_000_000


class ClusterDraws(NamedTuple):
    """Permutations: a row each.

    means    (b, G) ē of every cluster
    squares  (b, G) their squares
    atoms    (b, H) z of every inner atom
    """

    means: AnyFloats
    squares: AnyFloats
    atoms: AnyFloats


@dataclass(frozen=True, slots=True, eq=False)
class ClusterValues:
    """Centred values as the means of G clusters and of the A atoms that these consist of, which
    stand cluster by cluster.

    first     (A,) a query of each atom
    atom_size (A,) m
    totals    (A,) the sum of e over each atom
    starts    (G,) where each cluster begins
    sizes     (G,) queries of each cluster
    scale     (G,) h
    alike     (G,) z
    variance  of the values
    inner     (H,) the atoms that share their cluster with another one
    home      (H,) the cluster of each of these
    inner_scale, inner_alike  (H,) h and z of these
    """

    first: Ints
    atom_size: Floats
    totals: Floats
    starts: Ints
    sizes: Floats
    scale: Floats
    alike: Floats
    variance: float
    inner: Ints
    home: Ints
    inner_scale: Floats
    inner_alike: Floats

    @classmethod
    def of(cls, values: Floats, cluster: Ints, kind: AnyFloats) -> ClusterValues:
        """Values by query, the number of the cluster of each, 0 … G − 1, and a number that is the
        same for queries in the same slices."""
        centred = np.zeros(len(values)) if is_constant(values) else values - values.mean()
        key = np.stack([cluster.astype(np.float64), kind], axis=1)
        _, first, atom = np.unique(key, axis=0, return_index=True, return_inverse=True)
        atom, of_atom = atom.reshape(-1), cluster[first]
        atom_size = np.bincount(atom).astype(np.float64)
        totals = np.bincount(atom, weights=centred).astype(np.float64)
        sizes = np.bincount(cluster).astype(np.float64)
        means = np.bincount(cluster, weights=centred) / sizes
        apart = totals / atom_size - means[of_atom]
        apart[np.abs(apart) <= ROUNDING * np.abs(values).max(initial=0.0)] = 0.0
        left = centred - (totals / atom_size)[atom]
        scale, atom_scale = _find_scales(atom_size, sizes, of_atom, (left, apart, means))
        inner = np.flatnonzero(np.bincount(of_atom)[of_atom] > 1)
        return cls(
            first=first.astype(np.int64),
            atom_size=atom_size,
            totals=totals,
            starts=np.searchsorted(of_atom, np.arange(len(sizes))).astype(np.int64),
            sizes=sizes,
            scale=scale,
            alike=_divide(means, scale),
            variance=float(centred @ centred) / len(values),
            inner=inner,
            home=of_atom[inner],
            inner_scale=atom_scale[inner],
            inner_alike=_divide(apart, atom_scale)[inner],
        )

    def observe(self) -> ClusterDraws:
        """The values as they are."""
        means, atoms = (
            row.astype(np.float32)[None, :] for row in (self.alike * self.scale, self.inner_alike)
        )
        return ClusterDraws(means, means**2, atoms)

    def permute(self, permutations: int, seed: int) -> Iterator[ClusterDraws]:
        """So many random permutations, some at a time, in single precision."""
        rng = np.random.default_rng(seed)
        shares = (self.sizes / self.sizes.sum()).astype(np.float32)
        alike, scale = self.alike.astype(np.float32), self.scale.astype(np.float32)
        atoms = self.inner_alike.astype(np.float32)
        step = max(1, _CELLS_AT_ONCE // (len(self.sizes) + len(atoms)))
        for start in range(0, permutations, step):
            rows = min(step, permutations - start)
            means = rng.permuted(np.broadcast_to(alike, (rows, len(alike))), axis=1)
            means *= scale
            means -= (means @ shares)[:, None]
            # Sorted by cluster, and by chance within it.
            place = np.argsort(self.home + rng.random((rows, len(atoms))), axis=1)
            yield ClusterDraws(means, means**2, atoms[place])


def _find_scales(
    atom_size: Floats, sizes: Floats, of_atom: Ints, levels: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats]:
    """h of every cluster and of every atom, from what is left in atoms, between the atoms of a
    cluster and between clusters."""
    left, apart, means = levels
    n, atoms, count = float(sizes.sum()), len(atom_size), len(sizes)
    pairs = np.bincount(of_atom, weights=atom_size**2)  # Σ m² of each cluster
    within = float(left @ left) / (n - atoms) if n > atoms else 0.0
    spread = float(atom_size @ apart**2) - (atoms - count) * within
    between = max(0.0, _ratio(spread, n - float((pairs / sizes).sum())))
    spread = float(sizes @ means**2) - (count - 1) * within
    spread -= between * float((pairs / sizes).sum() - pairs.sum() / n)
    among = max(0.0, _ratio(spread, n - float(sizes @ sizes) / n))
    scale: Floats = np.sqrt(among + between * pairs / sizes**2 + within / sizes)
    atom_scale: Floats = np.sqrt(between + within / atom_size)
    return scale, atom_scale


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > ROUNDING else 0.0


def _divide(values: Floats, scale: Floats) -> Floats:
    found: Floats = np.divide(values, scale, out=np.zeros_like(values), where=scale > 0)
    return found
