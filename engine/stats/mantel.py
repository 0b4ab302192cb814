"""Do two matrices of pairs agree, a third one held fast? Mantel's permutation test of ranks.

Pairs of m items are not independent, as each item is in m − 1 of them: so p comes from permuting
items, rows and columns together. Items of one source (clips of one video) are alike for reasons of
their own: pairs within a source are left out, and sources change places as a whole.

    ρ        Spearman's: Pearson's r of the ranks over the pairs, equal values at their mean rank
    ρ given  (r_xy − r_xz r_yz) / √((1 − r_xz²)(1 − r_yz²)) of the ranks: what they share beyond z
    p        (b + 1) / (B + 1), b of B permutations with a ρ as extreme

Given z, what is permuted are the residuals of x's ranks on z's: permuting x itself would tear it
from z, which the null hypothesis does not say.

What z explains is what is linear in its ranks: where x and y both bend along z, some of that is
left in both, and counts as theirs (over 600 null sets in which x and y were sums with z, p ≤ 0.05
came in 5 to 8 %; in which z was another matter, or not given, in 3 to 5 %).

A permutation gives each source the place of another. Items keep their order where both have the
same number; of a larger one as many are drawn as there are places, of a smaller one some items
stand at several. These are places of one source, so no pair of them counts. Where all sources have
one size (one item each, say), it is a permutation in the strict sense, and the test is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import ROUNDING, AnyFloats, Bools, Floats, Ints
from engine.stats.paired import require_alternative
from engine.stats.ranks import rank_columns
from engine.stats.samples import Alternative, number_clusters, require_resamples

_NOISE = 1e-9
"""Correlations nearer than this are equal but for rounding."""


@dataclass(frozen=True, slots=True)
class PairCorrelation:
    """ρ over so many pairs; both NaN where x or y does not vary (beyond z).

    >>> PairCorrelation(0.5, 0.01, 45).pairs
    45
    """

    correlation: float
    p: float
    pairs: int


def correlate_pairs(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    given: npt.ArrayLike | None = None,
    sources: npt.ArrayLike | None = None,
    permutations: int = 999,
    seed: int = 0,
    alternative: Alternative = "two-sided",
) -> PairCorrelation:
    """Spearman's ρ of two matrices, (m, m) or condensed (the m (m − 1) / 2 pairs above the
    diagonal, row by row), with its Mantel test. `sources` has one label per item.

    >>> spots = np.array([0.0, 1.0, 2.5, 4.5, 7.0, 11.0])
    >>> apart = abs(spots[:, None] - spots)
    >>> correlate_pairs(apart, apart**2, permutations=99).correlation
    1.0
    >>> correlate_pairs(apart, apart**2, sources=[0, 0, 1, 1, 2, 2], permutations=99).pairs
    12
    """
    require_alternative(alternative)
    require_resamples(permutations)
    tables = [_read_pairs(one) for one in (first, second, *(() if given is None else (given,)))]
    count = len(tables[0])
    if any(len(table) != count for table in tables):
        raise ValueError("expected matrices of the same items")
    source = number_clusters(sources, count)
    counted = source[:, None] < source
    pairs = int(np.count_nonzero(counted))
    x, y, *z = (_rank_pairs(table, counted) for table in tables)
    if z:
        z[0] /= math.sqrt(_sum_products(z[0], z[0])) or 1.0
        x, y = (one - _sum_products(one, z[0]) * z[0] for one in (x, y))
    length = [math.sqrt(_sum_products(one, one)) for one in (x, y)]
    if min(length) <= ROUNDING * max(1, pairs) ** 1.5:
        return PairCorrelation(math.nan, math.nan, pairs)
    observed = max(-1.0, min(1.0, _sum_products(x, y) / (length[0] * length[1])))
    drawn = _permute(x, y / length[1], z[0] if z else None, source, permutations, seed)
    if alternative == "two-sided":
        extreme = np.abs(drawn) >= abs(observed) - _NOISE
    else:
        sign = 1.0 if alternative == "greater" else -1.0
        extreme = sign * drawn >= sign * observed - _NOISE
    p = (int(np.count_nonzero(extreme)) + 1) / (permutations + 1)
    return PairCorrelation(round(observed, 12), p, pairs)


def _permute(
    x: Floats, y: Floats, z: Floats | None, source: Ints, permutations: int, seed: int
) -> Floats:
    """ρ of x, permuted, with y. y and z have the length 1, and are at right angles."""
    draw = _ItemDraws(source)
    rng = np.random.default_rng(seed)
    pairs = float(np.count_nonzero(source[:, None] != source))
    flat, held = y.reshape(-1), None if z is None else z.reshape(-1)
    found = np.empty(permutations)
    for place in range(permutations):
        items = draw(rng)
        own = x.take(items, axis=0).take(items, axis=1).reshape(-1)
        spread = float(own @ own) - float(own.sum()) ** 2 / pairs
        if held is not None:
            spread -= float(own @ held) ** 2
        found[place] = float(own @ flat) / math.sqrt(spread) if spread > ROUNDING else 0.0
    return found


class _ItemDraws:
    """Which item stands where after the sources have changed places.

    >>> draw = _ItemDraws(np.array([0, 0, 1, 1]))
    >>> {tuple(draw(np.random.default_rng(seed)).tolist()) for seed in range(9)} == {
    ...     (0, 1, 2, 3), (2, 3, 0, 1)}
    True
    """

    def __init__(self, source: Ints) -> None:
        self._source = source
        order = np.argsort(source, kind="stable")
        self._items = np.split(order, np.cumsum(np.bincount(source))[:-1])
        self._alone = len(self._items) == len(source)

    def __call__(self, rng: np.random.Generator) -> Ints:
        moved = rng.permutation(len(self._items))
        if self._alone:
            return moved[self._source]
        items = np.empty(len(self._source), np.int64)
        for places, donor in zip(self._items, moved.tolist(), strict=True):
            items[places] = _fit(self._items[donor], len(places), rng)
        return items


def _fit(items: Ints, places: int, rng: np.random.Generator) -> Ints:
    """So many of the items, in their order: all of them as often as that goes, then some."""
    whole, some = divmod(places, len(items))
    if not some:
        return np.repeat(items, whole)
    times = np.full(len(items), whole)
    times[rng.choice(len(items), some, replace=False)] += 1
    return np.repeat(items, times)


def _read_pairs(given: npt.ArrayLike) -> Floats:
    """(m, m) the values above the diagonal, and below it."""
    table = np.asarray(given, dtype=np.float64)
    if table.ndim == 1:
        count = (1 + math.isqrt(1 + 8 * len(table))) // 2
        if count * (count - 1) // 2 != len(table):
            raise ValueError(f"{len(table)} pairs are not all pairs of some items")
        square = np.zeros((count, count))
        square[np.triu_indices(count, 1)] = table
        return square + square.T
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"expected a square matrix, or its pairs, got shape {table.shape}")
    upper = np.triu(table, 1)
    if not np.allclose(upper, np.tril(table, -1).T, rtol=1e-4, atol=1e-6):
        raise ValueError("expected a symmetric matrix")
    return upper + upper.T


def _rank_pairs(table: Floats, counted: Bools) -> Floats:
    """(m, m) the ranks of the counted pairs − their mean, on both sides; all others 0."""
    values = table[counted]
    if not np.isfinite(values).all():
        raise ValueError("values must be finite: leave out items without a value before")
    ranks = np.zeros_like(table)
    if len(values):
        own = rank_columns(values)
        ranks[counted] = own - own.mean()
    found: Floats = ranks + ranks.T
    return found


def _sum_products(one: AnyFloats, other: AnyFloats) -> float:
    return float(one.reshape(-1) @ other.reshape(-1))
