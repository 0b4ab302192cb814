"""Wilcoxon's signed-rank test, and the effect size that belongs to it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.stats.distributions import normal_cdf
from engine.stats.paired import NO_DIFFERENCE, PairedTest, require_alternative
from engine.stats.samples import Alternative, check_sample

EXACT_WITHOUT_TIES = 50
EXACT_WITH_TIES = 13
"""Up to so many differences the p-value is exact; as in scipy.stats.wilcoxon(method="auto")."""


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """Ranks of the differences that are not 0, by size from 1, equal ones at their mean rank.

    ranks     (k,) mean ranks
    positive  (k,) whether the difference is above 0
    tied      sizes of the groups of equal ranks
    """

    ranks: Floats
    positive: npt.NDArray[np.bool_]
    tied: Ints

    @classmethod
    def of(cls, differences: Floats) -> SignedRanks:
        d = differences[differences != 0]
        _, group, tied = np.unique(np.abs(d), return_inverse=True, return_counts=True)
        last = np.cumsum(tied)
        ranks = (last - (tied - 1) / 2)[group]
        return cls(ranks, d > 0, tied.astype(np.int64))

    @property
    def plus(self) -> float:
        return float(self.ranks[self.positive].sum())

    @property
    def minus(self) -> float:
        return float(self.ranks[~self.positive].sum())

    @property
    def has_ties(self) -> bool:
        return bool((self.tied > 1).any())


def wilcoxon(differences: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Wilcoxon's signed-rank test: W+ and W−, the sums of the ranks of |d| above and below 0.

    Zeros are dropped; equal sizes share their mean rank. The statistic is min(W+, W−), or W+ if
    the alternative is one-sided. The p-value is that of scipy.stats.wilcoxon(method="auto"), with
    n counted before zeros are dropped:
    exact                 n ≤ 50 without ties or zeros; n ≤ 13 with them
    normal approximation  otherwise: variance corrected for ties, no continuity correction

    No difference at all gives p = 1. Differences are taken as they are, so take them
    from `paired_differences`: noise such as that of 0.8 − 0.6 and 0.4 − 0.2 would break ties.

    >>> wilcoxon([1.0, 2.0, 3.0])
    PairedTest(statistic=0.0, p=0.25)
    >>> wilcoxon([0.0, 0.0])
    PairedTest(statistic=0.0, p=1.0)
    """
    require_alternative(alternative)
    d = check_sample(differences)
    if not d.any():
        return NO_DIFFERENCE
    signed = SignedRanks.of(d)
    no_ties = not signed.has_ties and len(signed.ranks) == len(d)
    exact = len(d) <= (EXACT_WITHOUT_TIES if no_ties else EXACT_WITH_TIES)
    less, greater = _exact_tails(signed) if exact else _normal_tails(signed)
    if alternative == "two-sided":
        return PairedTest(min(signed.plus, signed.minus), min(1.0, 2 * min(less, greater)))
    return PairedTest(signed.plus, less if alternative == "less" else greater)


def rank_biserial(differences: npt.ArrayLike) -> float:
    """Effect size of the signed-rank test: (W+ − W−) / (W+ + W−), from −1 to 1; 0 if all are 0.

    >>> rank_biserial([1.0, 2.0, -3.0])
    0.0
    >>> rank_biserial([0.2, 0.1])
    1.0
    """
    d = check_sample(differences)
    if not d.any():
        return 0.0
    signed = SignedRanks.of(d)
    return (signed.plus - signed.minus) / (signed.plus + signed.minus)


def _exact_tails(signed: SignedRanks) -> tuple[float, float]:
    """P(W ≤ W+) and P(W ≥ W+) over all signs, counted by sums of doubled (so whole) ranks."""
    doubled = np.rint(2 * signed.ranks).astype(np.int64)
    patterns = np.zeros(int(doubled.sum()) + 1)
    patterns[0] = 1.0
    for rank in doubled:
        patterns[rank:] += patterns[:-rank].copy()
    observed = round(2 * signed.plus)
    everything = 2.0 ** len(doubled)
    less = patterns[: observed + 1].sum() / everything
    greater = patterns[observed:].sum() / everything
    return float(less), float(greater)


def _normal_tails(signed: SignedRanks) -> tuple[float, float]:
    n = len(signed.ranks)
    ties = float((signed.tied.astype(np.float64) ** 3 - signed.tied).sum())
    variance = (n * (n + 1) * (2 * n + 1) - ties / 2) / 24
    z = (signed.plus - n * (n + 1) / 4) / math.sqrt(variance)
    return normal_cdf(z), normal_cdf(-z)
