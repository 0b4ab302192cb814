"""Medians of two systems: by hand, by enumeration, and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from engine.base.arrays import Floats
from engine.stats import choose_flips, median_difference, median_difference_interval, median_test
from engine.stats.samples import Alternative
from tests.examples import examples

RANKS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=12)


@given(RANKS, st.sampled_from(["two-sided", "less", "greater"]))
@examples(60)
def test_both_the_sign_test_and_the_bootstrap_have_to_be_convinced(
    pairs: list[tuple[int, int]], alternative: Alternative
) -> None:
    old, new = (np.array([pair[side] for pair in pairs], float) for side in (0, 1))
    wins, losses = np.count_nonzero(new > old), np.count_nonzero(new < old)

    found = median_test(old, new, resamples=5_000, alternative=alternative)

    if wins + losses == 0:
        assert found.p == 1
        return
    sides = {"two-sided": "two-sided", "less": "less", "greater": "greater"}
    sign = scipy_stats.binomtest(wins, wins + losses, alternative=sides[alternative]).pvalue
    assert found.statistic == np.median(new) - np.median(old)
    assert found.p >= sign - 1e-9
    drawn = _differences_of_resamples(old, new, 5_000)
    tails = {"less": np.mean(drawn >= 0), "greater": np.mean(drawn <= 0)}
    tails["two-sided"] = min(1.0, 2 * min(tails["less"], tails["greater"]))
    assert found.p == pytest.approx(max(sign, tails[alternative]), abs=0.08)


def _differences_of_resamples(old: Floats, new: Floats, resamples: int) -> Floats:
    """Drawn one by one, with another generator."""
    rng = np.random.default_rng(77)
    rows = rng.integers(0, len(old), (resamples, len(old)))
    difference: Floats = np.median(new[rows], axis=1) - np.median(old[rows], axis=1)
    return difference


def test_a_loss_on_every_query_is_seen_though_swapping_would_hide_it() -> None:
    assert median_test([1.0] * 40, [5.0] * 40).p < 0.001
    assert median_test([1.0] * 4, [5.0] * 4).p == pytest.approx(2 / 2**4), "four are too few"


def test_equally_good_systems_are_told_apart_by_chance_only() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(300):
        pair = rng.geometric(0.2, (2, 40)).astype(float)
        found.append(median_test(*pair, resamples=500).p)

    assert np.mean(np.array(found) < 0.05) <= 0.05


def test_the_interval_is_that_of_scipy() -> None:
    rng = np.random.default_rng(5)
    old = rng.exponential(20, 200)
    new = old * 0.8 + rng.normal(0, 2, 200)

    ours = median_difference_interval(old, new)
    theirs = scipy_stats.bootstrap(
        (new, old),
        lambda a, b, axis: np.median(a, axis=axis) - np.median(b, axis=axis),
        paired=True,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(1),
        vectorized=True,
    ).confidence_interval

    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.25)


def test_medians_may_differ_where_the_median_of_differences_is_0() -> None:
    """Most queries tie at rank 1 and 9; those in the middle decide the median."""
    old = np.array([1.0] * 30 + [9.0] * 71)
    new = old.copy()
    new[30:75] = 1.0

    assert np.median(new - old) == 0
    assert median_difference(old, new) == -8
    assert median_test(old, new).p < 0.001
    assert median_difference_interval(old, new).high <= 0


def test_clusters_are_flipped_and_drawn_together() -> None:
    rng = np.random.default_rng(6)
    shift = np.repeat(rng.normal(-1, 3, 12), 10)
    old = rng.normal(20, 1, 120)
    new, clusters = old + shift, np.repeat(np.arange(12), 10)

    alone, together = median_test(old, new).p, median_test(old, new, clusters=clusters).p
    narrow = median_difference_interval(old, new)
    wide = median_difference_interval(old, new, clusters=clusters)

    assert together > alone
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_identical_systems_and_single_queries() -> None:
    assert median_test([3, 4], [3, 4]).p == 1
    assert np.isnan(median_test([3], [4]).p)
    assert np.isnan(median_difference_interval([3], [4]).low)


def test_more_tests_need_more_patterns_up_to_a_million() -> None:
    assert choose_flips(1, 0.05, 10_000) == 10_000
    assert choose_flips(1_000, 0.05, 10_000) == 400_000
    assert choose_flips(10**9, 0.05, 10_000) == 1_000_000
