"""Medians of two systems: by hand, by enumeration, and against scipy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from engine.stats import (
    Alternative,
    flips_for,
    median_difference,
    median_difference_interval,
    swap_test,
)

RANKS = st.integers(1, 9)
PAIRS = st.lists(st.tuples(RANKS, RANKS), min_size=1, max_size=7)


def by_enumeration(old: list[int], new: list[int], alternative: Alternative) -> float:
    """Every way to swap the two values of each query, counted one by one."""
    observed = np.median(new) - np.median(old)
    count = total = 0
    for swaps in product((False, True), repeat=len(old)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(old, new, swaps, strict=True)]
        found = np.median([b for _, b in pairs]) - np.median([a for a, _ in pairs])
        extreme = {
            "two-sided": abs(found) >= abs(observed),
            "less": found <= observed,
            "greater": found >= observed,
        }[alternative]
        count, total = count + bool(extreme), total + 1
    return count / total


@given(PAIRS, st.sampled_from(["two-sided", "less", "greater"]))
@settings(deadline=None, max_examples=150)
def test_the_exact_test_counts_every_swap(
    pairs: list[tuple[int, int]], alternative: Alternative
) -> None:
    old, new = ([pair[side] for pair in pairs] for side in (0, 1))

    found = swap_test(old, new, alternative=alternative)

    assert found.statistic == np.median(new) - np.median(old)
    if old == new:
        assert found.p == 1
    else:
        assert found.p == pytest.approx(by_enumeration(old, new, alternative))


def test_many_queries_are_tested_as_scipy_does() -> None:
    rng = np.random.default_rng(4)
    old = rng.integers(1, 30, 60).astype(float)
    new = np.maximum(1, old + rng.integers(-6, 4, 60))

    ours = swap_test(old, new, resamples=20_000)
    theirs = scipy_stats.permutation_test(
        (new, old),
        lambda a, b, axis: np.median(a, axis=axis) - np.median(b, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(9),
        vectorized=True,
    )

    assert ours.statistic == theirs.statistic
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.015)  # four standard errors


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
    old = np.array([1.0] * 50 + [9.0] * 51)
    new = old.copy()
    new[50:70] = 1.0

    assert np.median(new - old) == 0
    assert median_difference(old, new) == -8
    assert swap_test(old, new).p < 0.001
    assert median_difference_interval(old, new).high <= 0


def test_clusters_are_swapped_and_drawn_together() -> None:
    rng = np.random.default_rng(6)
    shift = np.repeat(rng.normal(-1, 3, 12), 10)
    old = rng.normal(20, 1, 120)
    new, clusters = old + shift, np.repeat(np.arange(12), 10)

    alone, together = swap_test(old, new).p, swap_test(old, new, clusters=clusters).p
    narrow = median_difference_interval(old, new)
    wide = median_difference_interval(old, new, clusters=clusters)

    assert together > alone
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_identical_systems_and_single_queries() -> None:
    assert swap_test([3, 4], [3, 4]).p == 1
    assert np.isnan(median_difference_interval([3], [4]).low)


def test_more_tests_need_more_patterns_up_to_a_million() -> None:
    assert flips_for(1, 0.05, 10_000) == 10_000
    assert flips_for(1_000, 0.05, 10_000) == 400_000
    assert flips_for(10**9, 0.05, 10_000) == 1_000_000
