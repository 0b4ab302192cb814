"""Correlations of pairs in resamples of sources: what Mantel's test has no interval for.

Pairs of items of two different sources count. In a resample that draws source a c_a times, each
pair of a and b counts c_a c_b times, so that sums over pairs are quadratic forms of the counts,

    Σ_{a<b} c_a c_b M_ab,     M_ab = the sum over the pairs of a and b

and no pair is looked at twice. Ranks are those of all pairs: a resample ranks nothing anew.
"""

from __future__ import annotations

import numpy as np

from engine.base.arrays import AnyFloats, Floats, Ints

_TABLES_AT_ONCE = 8


def resample_correlations(
    columns: AnyFloats, pairs: tuple[Ints, Ints], source: Ints, counts: AnyFloats
) -> Floats:
    """(b, m, m) Pearson's r of every two columns in every resample; NaN where one does not vary.

    columns  (pairs, m) values, or their ranks
    pairs    the two items of each, which are of different sources
    source   (items,) 0, 1, 2 …
    counts   (b, sources) how often each source was drawn

    >>> pairs = np.triu_indices(4, 1)
    >>> columns = np.array([[1, 5], [2, 4], [3, 3], [4, 2], [5, 1], [6, 0.0]])
    >>> resample_correlations(columns, pairs, np.arange(4), np.ones((1, 4))).round(6).tolist()
    [[[1.0, -1.0], [-1.0, 1.0]]]
    """
    many = columns.shape[1]
    centred = columns - columns.mean(axis=0)
    scale = centred.std(axis=0)
    centred = centred / np.where(scale > 0, scale, 1.0)
    above, beside = np.triu_indices(many)
    weights = np.ones((len(centred), 1))
    tables = np.hstack([weights, centred, centred[:, above] * centred[:, beside]])
    sums = _sum_pairs(tables, pairs, source, counts)
    total, means = sums[:, :1], sums[:, 1 : many + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = means / total
        spread = sums[:, many + 1 :] / total - means[:, above] * means[:, beside]
        found = np.empty((len(sums), many, many))
        found[:, above, beside] = spread
        found[:, beside, above] = spread
        size = np.sqrt(np.diagonal(found, axis1=1, axis2=2))
        size = np.where(size > 1e-6, size, np.nan)
        correlations: Floats = found / (size[:, :, None] * size[:, None, :])
    return correlations


def hold_fast(correlations: Floats, one: int, other: int, held: int) -> Floats:
    """(b,) the partial correlation of two columns, a third one held fast.

        (r_xy − r_xz r_yz) / √((1 − r_xz²)(1 − r_yz²))

    >>> table = np.array([[[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]]])
    >>> hold_fast(table, 0, 1, 2).round(4).tolist()
    [0.3333]
    """
    xy, xz, yz = (correlations[:, a, b] for a, b in ((one, other), (one, held), (other, held)))
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
    return found


def _sum_pairs(
    tables: AnyFloats, pairs: tuple[Ints, Ints], source: Ints, counts: AnyFloats
) -> Floats:
    """(b, columns) weighted sums over pairs, some columns at a time."""
    sources = int(source.max(initial=-1)) + 1
    first, second = source[pairs[0]], source[pairs[1]]
    place = np.minimum(first, second) * sources + np.maximum(first, second)
    drawn = counts.astype(np.float32)
    found = np.empty((len(counts), tables.shape[1]))
    for start in range(0, tables.shape[1], _TABLES_AT_ONCE):
        some = tables[:, start : start + _TABLES_AT_ONCE]
        blocks = _stack_blocks(some, place, sources)
        turned = (drawn @ blocks).reshape(len(drawn), some.shape[1], sources)
        found[:, start : start + some.shape[1]] = np.einsum("bcs,bs->bc", turned, drawn)
    return found


def _stack_blocks(columns: AnyFloats, place: Ints, sources: int) -> AnyFloats:
    """(sources, columns · sources) the sums of each block of pairs, column after column."""
    blocks = [
        np.bincount(place, weights=column, minlength=sources**2).reshape(sources, sources)
        for column in columns.T
    ]
    return np.hstack(blocks).astype(np.float32)
