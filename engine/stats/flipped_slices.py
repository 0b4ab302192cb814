"""Overlapping slices of paired differences at once: clustered, studentised max-T over sign flips.

With d_c the sum of a slice's differences over cluster c (a query without clusters), the T of a drop

    T = −Σ d_c / √(Σ d_c²)

is the sum over its standard error were the mean 0, and signs change its numerator alone. One
pattern of signs flips every cluster in all slices that it is in, so that what slices share is not
paid for twice. Step-down, after Westfall and Young (1993): with T_1 ≥ T_2 ≥ …,

    adjusted_i = the largest, over j ≤ i, of (b_j + 1) / (B + 1)
    b_j        = of B patterns those in which a slice from j on has a T as large as T_j

Slices that have been found no longer count among those that could have been found by chance. The
chance of even one slice with an adjusted p < α, where no slice fell, is at most α, if differences
are symmetric. Dividing by the error brings slices of all sizes to one scale: of u clusters T is at
most √u, so few of them, however they fell, cannot fill the tail of the maximum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats
from engine.stats.samples import require_resamples, require_share

_NOISE = 1e-9
"""T nearer than this are equal but for rounding."""

_ROWS_AT_ONCE = 500

_CELLS_KEPT = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class SliceFlips:
    """(s,) slices, tested together.

    t         larger where the drop is surer
    adjusted  over all of them
    levels    what the sign-flip p of a slice of its own was held against: the share of patterns in
              which its T is beyond what was asked of the maximum. Of a slice that was found, of
              the maximum over all slices; of another, over those that were not found. α / s at
              least, which is what Bonferroni would ask
    """

    t: Floats
    adjusted: Floats
    levels: Floats


def flip_slices(
    blocks: Sequence[Floats], *, alpha: float, flips: int = 10_000, seed: int = 0
) -> SliceFlips:
    """Test that the mean of each slice is not below 0. `alpha` is what is shared by all of them.

    A block has a row for each cluster and a column for each slice: sums of differences. Clusters
    of one block are flipped together in all its slices, those of different blocks on their own.

    >>> sums = np.array([[-0.2, 0.0]] * 12 + [[0.0, 0.1], [0.0, -0.1]] * 6)
    >>> found = flip_slices([sums], alpha=0.025, flips=2_000)
    >>> found.t.round(2).tolist(), bool(found.adjusted[0] < 0.025 < found.adjusted[1])
    ([3.46, 0.0], True)
    """
    require_resamples(flips)
    require_share("alpha", alpha)
    scaled = [_studentise(block) for block in blocks]
    t = np.concatenate([np.zeros(0), *(0.0 - block.sum(axis=0) for block in scaled)])
    if not len(t):
        return SliceFlips(t, t, t)
    order = np.argsort(-t, kind="stable")
    counts = np.zeros(len(t), np.int64)
    draws = _Draws(scaled, flips, seed)
    for drawn in draws:
        counts += np.count_nonzero(_from_each_on(drawn[:, order]) >= t[order] - _NOISE, axis=0)
    ordered = np.maximum.accumulate((counts + 1) / (flips + 1))
    adjusted = np.empty(len(t))
    adjusted[order] = ordered
    return SliceFlips(t, adjusted, _find_levels(draws, adjusted < alpha, alpha))


class _Draws:
    """(rows, s) the T of every slice under random signs, some patterns at a time: kept where that
    is little, else drawn again whenever they are asked for, from the same seed."""

    def __init__(self, scaled: Sequence[Floats], flips: int, seed: int) -> None:
        self._scaled, self.flips, self._seed = scaled, flips, seed
        self.slices = sum(block.shape[1] for block in scaled)
        self._kept = [*self._draw()] if flips * self.slices <= _CELLS_KEPT else None

    def __iter__(self) -> Iterator[Floats]:
        return iter(self._kept) if self._kept is not None else self._draw()

    def _draw(self) -> Iterator[Floats]:
        streams = [np.random.default_rng((self._seed, n)) for n in range(len(self._scaled))]
        for start in range(0, self.flips, _ROWS_AT_ONCE):
            rows = min(_ROWS_AT_ONCE, self.flips - start)
            parts = [
                _flip(block, rng, rows) for rng, block in zip(streams, self._scaled, strict=True)
            ]
            yield np.concatenate(parts, axis=1)


def _flip(block: Floats, rng: np.random.Generator, rows: int) -> Floats:
    """(rows, s) sums of the rows of a block under random signs: twice what is kept − all of it."""
    drawn = rng.integers(0, 256, (rows, -(-len(block) // 8)), dtype=np.uint8)
    kept = np.unpackbits(drawn, axis=1, count=len(block)).astype(np.float64)
    sums: Floats = 2.0 * (kept @ block) - block.sum(axis=0)
    return sums


def _find_levels(draws: _Draws, found: Bools, alpha: float) -> Floats:
    """Of slices that were found, beside all slices; of the others, beside those that were not.

    A slice is found if fewer than `beyond` + 1 maxima are as large: if its T is larger than the
    maximum of that rank.
    """
    flips = draws.flips
    beyond = math.ceil(round(alpha * (flips + 1), 6)) - 2
    counts = np.zeros(draws.slices, np.int64)
    for own, among in ((found, np.ones_like(found)), (~found, ~found)):
        if beyond >= 0 and own.any():
            largest = np.concatenate([rows[:, among].max(axis=1) for rows in draws])
            critical = np.partition(largest, flips - 1 - beyond)[flips - 1 - beyond]
            for rows in draws:
                counts[own] += np.count_nonzero(rows[:, own] > critical + _NOISE, axis=0)
    levels: Floats = np.maximum((counts + 1) / (flips + 1), alpha / draws.slices)
    return levels


def _studentise(block: Floats) -> Floats:
    """Sums over the root of their squares; of a slice without any difference 0. Clusters without
    any are left out: their signs change nothing."""
    block = block[block.any(axis=1)]
    length = np.sqrt((block**2).sum(axis=0))
    found: Floats = np.divide(block, length, out=np.zeros_like(block), where=length > 0)
    return found


def _from_each_on(columns: Floats) -> Floats:
    """The largest of each column and all after it."""
    found: Floats = np.maximum.accumulate(columns[:, ::-1], axis=1)[:, ::-1]
    return found
