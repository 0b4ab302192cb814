"""The sign-flip permutation test: exact for few differences, Monte Carlo for many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import ROUNDING, Floats
from engine.stats.paired import NO_DIFFERENCE, PairedTest, require_alternative
from engine.stats.samples import Alternative, check_sample, number_clusters, require_resamples

Patterns: TypeAlias = npt.NDArray[np.uint8]
"""(patterns, bytes) a bit for every unit, set where its sign is kept; those beyond say nothing."""

BYTES_AT_ONCE = 1 << 20
_BELOW_ALPHA = 20
_MOST_FLIPS = 1_000_000

SIGNS_OF_BYTE = 2.0 * ((np.arange(256)[:, None] >> np.arange(8)) & 1) - 1
"""(256, 8) the signs −1 and 1 that the bits of a byte stand for."""


def sign_flip(
    differences: npt.ArrayLike,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
    clusters: npt.ArrayLike | None = None,
) -> PairedTest:
    """Sign-flip permutation test of the mean difference: were the systems interchangeable, each
    difference could as well have the other sign.

    `clusters` has one label per difference; the differences of a cluster are then flipped
    together. Of k differences (or sums of clusters) that are not 0 there are 2^k patterns of signs.
    exact        2^k ≤ resamples: p = patterns at least as extreme / 2^k, the observed one included
    Monte Carlo  otherwise: p = (b + 1) / (B + 1), b of B = resamples random patterns as extreme

    Means that differ by rounding only are equally extreme. No difference at all gives p = 1.

    >>> sign_flip([1.0, 2.0, 3.0])
    PairedTest(statistic=2.0, p=0.25)
    >>> sign_flip([0.0, 0.0])
    PairedTest(statistic=0.0, p=1.0)
    """
    require_alternative(alternative)
    require_resamples(resamples)
    d = check_sample(differences)
    unit_of = number_clusters(clusters, len(d))
    if not d.any():
        return NO_DIFFERENCE
    sums = np.bincount(unit_of, weights=d)
    units = sums[sums != 0]
    exact = 2 ** len(units) <= resamples
    patterns = (
        enumerate_patterns(len(units)) if exact else draw_patterns(len(units), resamples, seed)
    )
    extreme = _count_extreme(units, patterns, alternative)
    p = extreme / 2 ** len(units) if exact else (extreme + 1) / (resamples + 1)
    return PairedTest(float(d.mean()), p)


def choose_flips(tests: int, alpha: float, least: int) -> int:
    """How many random patterns a p-value below `alpha` needs where `tests` of them are corrected.

    Monte Carlo p-values are never below 1 / (B + 1), and Holm multiplies them by the number of
    tests: with too few patterns nothing could be found. At this B, 20 patterns are as extreme as
    the observed one where p is just alpha / tests. A million at most.

    >>> choose_flips(26, 0.05, 10_000), choose_flips(528, 0.05, 10_000)
    (10400, 211200)
    """
    return max(least, min(_MOST_FLIPS, math.ceil(round(_BELOW_ALPHA * tests / alpha, 6))))


def enumerate_patterns(units: int) -> Iterator[Patterns]:
    """All 2^units patterns of bits, some at a time: one row of bytes each.

    >>> [rows[:, 0].tolist() for rows in enumerate_patterns(2)]
    [[0, 1, 2, 3]]
    """
    step = BYTES_AT_ONCE // 8
    for start in range(0, 2**units, step):
        numbers = np.arange(start, min(start + step, 2**units), dtype="<u8")
        yield _rows_of_bytes(numbers[:, None], units)


def draw_patterns(units: int, rows: int, seed: int) -> Iterator[Patterns]:
    """Random patterns, `rows` in all; the same whatever the chunks."""
    rng = np.random.default_rng(seed)
    words = -(-units // 64)
    step = max(1, BYTES_AT_ONCE // (8 * words))
    for start in range(0, rows, step):
        shape = (min(step, rows - start), words)
        drawn = rng.integers(0, 2**64, shape, dtype=np.uint64)
        yield _rows_of_bytes(drawn.astype("<u8", copy=False), units)


def _rows_of_bytes(words: npt.NDArray[np.uint64], units: int) -> Patterns:
    return words.view(np.uint8)[:, : -(-units // 8)]


class SignSums:
    """Sums of signed units, pattern by pattern.

    Eight units share a byte of the pattern, and a table has the sums of its 256 values: a look-up
    in place of eight additions.

    >>> SignSums(np.array([1.0, 2.0]))(np.array([[3], [1]], np.uint8)).tolist()
    [3.0, -1.0]
    """

    def __init__(self, units: Floats) -> None:
        groups = -(-len(units) // 8)
        padded = np.zeros((groups, 8))
        padded.ravel()[: len(units)] = units
        self._table = (padded @ SIGNS_OF_BYTE.T).ravel()
        self._row_of_group = 256 * np.arange(groups)

    def __call__(self, patterns: Patterns) -> Floats:
        sums: Floats = self._table.take(patterns + self._row_of_group).sum(axis=1)
        return sums


def count_bits(patterns: Patterns, units: int) -> Floats:
    """How many units every pattern keeps.

    >>> count_bits(np.array([[3], [255]], np.uint8), units=3).tolist()
    [2.0, 3.0]
    """
    found: Floats = np.bitwise_count(patterns).sum(axis=1, dtype=np.float64)
    if units % 8:
        found -= np.bitwise_count(patterns[:, -1] >> units % 8)
    return found


def _count_extreme(units: Floats, patterns: Iterator[Patterns], alternative: Alternative) -> int:
    """Patterns whose sum of signed units is at least as extreme as the sum as it was observed."""
    add = SignSums(units)
    observed = float(units.sum())
    noise = ROUNDING * float(np.abs(units).sum())
    count = 0
    for rows in patterns:
        sums = add(rows)
        if alternative == "two-sided":
            extreme = np.abs(sums) >= abs(observed) - noise
        elif alternative == "greater":
            extreme = sums >= observed - noise
        else:
            extreme = sums <= observed + noise
        count += int(np.count_nonzero(extreme))
    return count
