"""The interval that agrees with the sign-flip test: it leaves 0 out if and only if p < alpha."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from engine.stats import (
    Interval,
    flip_signs,
    flipped_means,
    permutation,
    resample_medians,
    sign_flip,
)
from engine.stats.permutation import SignSums, count_bits, draw_patterns
from engine.stats.samples import Alternative
from tests.examples import examples

ALPHAS = (0.1, 0.05, 0.05 / 3, 0.05 / 12, 0.001)
FIFTHS = st.integers(-5, 5).map(lambda n: n / 5)
SEEDS = st.integers(0, 2**32 - 1)


def leaves_out(interval: Interval, value: float = 0.0) -> bool:
    return interval.low > value or interval.high < value


@given(
    st.lists(st.one_of(st.just(0.0), FIFTHS), min_size=1, max_size=40),
    st.integers(1, 40),
    st.sampled_from([100, 1_000]),
    st.sampled_from(["two-sided", "less", "greater"]),
    SEEDS,
)
@examples(300)
def test_the_interval_leaves_zero_out_if_and_only_if_the_test_rejects_it(
    differences: list[float],
    clusters: int,
    resamples: int,
    alternative: Alternative,
    seed: int,
) -> None:
    labels = np.random.default_rng(seed).integers(0, clusters, len(differences))
    for own in (None, labels):
        found = flip_signs(
            differences,
            alpha=0.1,
            resamples=resamples,
            seed=seed,
            alternative=alternative,
            clusters=own,
        )

        plain = sign_flip(
            differences, resamples=resamples, seed=seed, alternative=alternative, clusters=own
        )
        assert found.test.p == pytest.approx(plain.p, abs=1e-12), "it is the same test"
        for alpha in ALPHAS:
            rejected = found.test.p < alpha
            assert leaves_out(found.invert(alpha, rejected=rejected)) == rejected


def test_the_interval_by_hand() -> None:
    """Of six differences of one sign, 2 of the 64 patterns are as extreme as what was observed:
    p = 1/32. At 5 % two more patterns are needed, and the next to come are those that flip the
    smallest alone, or the largest: their means are the ends."""
    found = flip_signs([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], alpha=0.05)

    assert found.test.p == 2 / 64
    assert found.invert(0.05, rejected=True) == Interval(1.0, 6.0, 0.95)


@pytest.mark.parametrize("seed", range(6))
def test_both_ends_are_where_scipy_begins_to_reject(seed: int) -> None:
    """All patterns of 9 queries: scipy's exact test of d − δ at both sides of each end."""
    rng = np.random.default_rng(seed)
    d = rng.normal(0.3, 1, 9)
    found = flip_signs(d, alpha=0.1).invert(0.1, rejected=flip_signs(d, alpha=0.1).test.p < 0.1)

    def rejected(delta: float) -> bool:
        test = scipy_stats.permutation_test(
            (d - delta,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        return bool(test.pvalue < 0.1)

    nudge = 1e-6
    assert not rejected(found.low + nudge) and rejected(found.low - nudge)
    assert not rejected(found.high - nudge) and rejected(found.high + nudge)


@given(st.lists(FIFTHS, min_size=1, max_size=7), st.floats(-1, 1))
@examples(60)
def test_all_patterns_by_brute_force(differences: list[float], delta: float) -> None:
    """Also with queries that do not differ: all 2^n patterns of d − δ, counted one by one."""
    d = np.array(differences)
    if not d.any():
        return
    shifted = d - delta
    sums = [abs(np.dot(signs, shifted)) for signs in product((-1, 1), repeat=len(d))]
    p = float(np.mean(np.array(sums) >= abs(shifted.sum()) - 1e-9))
    found = flip_signs(d, alpha=0.3)
    for alpha in (0.3, 0.15):
        interval = found.invert(alpha, rejected=found.test.p < alpha)
        ends = abs(interval.low - delta), abs(interval.high - delta)
        if min(ends, default=1) > 1e-6 and not math.isnan(interval.low):
            assert leaves_out(interval, delta) == (p < alpha)


def test_of_many_queries_it_is_student_s_interval() -> None:
    d = np.random.default_rng(5).normal(0.1, 1, 400)

    found = flip_signs(d, alpha=0.05, resamples=100_000).invert(0.05, rejected=False)
    student = scipy_stats.ttest_1samp(d, 0).confidence_interval(0.95)

    assert (found.low, found.high) == pytest.approx((student.low, student.high), abs=0.004)


def test_too_few_queries_have_no_interval() -> None:
    few = flip_signs([0.2, 0.4, 0.2, 0.6], alpha=0.05)

    assert few.test.p == 2 / 16
    assert math.isnan(few.invert(0.05, rejected=False).low)


EQUAL_ENDS = {"two-sided": (0.0, 0.0), "less": (-math.inf, 0.0), "greater": (0.0, math.inf)}


@pytest.mark.parametrize("alternative", EQUAL_ENDS)
@pytest.mark.parametrize("n", [1, 2, 4, 5, 6, 9, 12, 30, 2_000])
def test_equal_runs_are_a_point_where_so_many_queries_could_have_shown_a_difference(
    n: int, alternative: Alternative
) -> None:
    """They could if the test rejects a difference that all of them have."""
    found = flip_signs([0.0] * n, alpha=0.1, alternative=alternative)
    sign = -1.0 if alternative == "less" else 1.0

    assert (found.test.statistic, found.test.p) == (0.0, 1.0)
    for alpha in ALPHAS:
        interval = found.invert(alpha, rejected=False)
        shown = sign_flip([sign] * n, resamples=100_000, alternative=alternative).p < alpha
        ends = EQUAL_ENDS[alternative] if shown else (math.nan, math.nan)
        assert (interval.low, interval.high) == pytest.approx(ends, nan_ok=True), (n, alpha)


def test_of_equal_runs_clusters_count_and_not_their_queries() -> None:
    found = flip_signs([0.0] * 50, alpha=0.05, clusters=[n % 5 for n in range(50)])

    assert math.isnan(found.invert(0.05, rejected=False).low)
    assert math.isnan(flip_signs([], alpha=0.05).invert(0.05, rejected=False).high)


@given(st.integers(1, 140), st.integers(1, 50), SEEDS)
@examples(60)
def test_the_bits_of_a_pattern_are_the_units_that_it_keeps(
    units: int, rows: int, seed: int
) -> None:
    for patterns in draw_patterns(units, rows, seed):
        signed = SignSums(np.ones(units))(patterns)

        assert count_bits(patterns, units).tolist() == ((units + signed) / 2).tolist()


@pytest.mark.parametrize("clusters", [None, [n // 3 for n in range(900)]])
def test_tables_are_made_once_however_many_chunks_of_patterns_there_are(
    clusters: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    class Counted(SignSums):
        def __init__(self, units: npt.NDArray[np.float64]) -> None:
            made.append(len(units))
            super().__init__(units)

    monkeypatch.setattr(flipped_means, "SignSums", Counted)
    monkeypatch.setattr(permutation, "BYTES_AT_ONCE", 1 << 12)

    flip_signs(np.random.default_rng(3).normal(0, 1, 900), alpha=0.05, clusters=clusters)

    assert made == ([900] if clusters is None else [300, 300])


def skewed(rng: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    """Most queries tie, some lose a little, few gain much: the mean is 0.05."""
    return rng.choice([0.0, -0.2, 0.2, 0.6], n, p=[0.6, 0.2, 0.125, 0.075]) + 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("n", "least"), [(30, 0.92), (60, 0.93), (200, 0.935)])
def test_it_covers_the_true_mean_as_often_as_it_says(n: int, least: float) -> None:
    """Simulated on differences in fifths with many ties: 95 % intervals cover, but for the skew of
    few queries. 2,000 samples: ± 1 %."""
    rng = np.random.default_rng(n)
    truth = 0.02 + 0.125 * 0.2 + 0.075 * 0.6 - 0.2 * 0.2
    covered = 0
    for seed in range(2_000):
        d = skewed(rng, n)
        found = flip_signs(d, alpha=0.05, resamples=999, seed=seed)
        interval = found.invert(0.05, rejected=found.test.p < 0.05)
        covered += interval.low <= truth <= interval.high
    assert least <= covered / 2_000 <= 0.975


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=40),
    st.booleans(),
    SEEDS,
)
@examples(100)
def test_medians_agree_with_their_test(
    ranks: list[tuple[int, int]], clustered: bool, seed: int
) -> None:
    old, new = np.array(ranks, np.float64).T
    labels = np.random.default_rng(seed).integers(0, 6, len(old)) if clustered else None
    found = resample_medians(old, new, resamples=500, seed=seed, clusters=labels)

    for alpha in ALPHAS:
        rejected = found.test.p < alpha and found.test.statistic != 0
        interval = found.invert(alpha, rejected=rejected)
        assert math.isnan(interval.low) or leaves_out(interval) == rejected
