"""Intervals and tests against scipy.stats, on random data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from engine.stats import bootstrap_interval, paired_t, sign_flip, wilcoxon
from tests.examples import examples

ALTERNATIVES = ("two-sided", "less", "greater")
any_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)
METHODS = {"bca": "BCa", "percentile": "percentile"}
STATISTICS = {"mean": np.mean, "median": np.median}
law = examples(60)


# --- Student's t


@any_alternative
@pytest.mark.parametrize("n", [2, 3, 20, 5_000])
def test_paired_t_equals_scipy(alternative: str, n: int) -> None:
    rng = np.random.default_rng(n)
    ours, theirs = rng.random(n), rng.random(n)

    test = paired_t(ours - theirs, alternative=alternative)

    expected = stats.ttest_rel(ours, theirs, alternative=alternative)
    assert test.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert test.p == pytest.approx(expected.pvalue, rel=1e-9)


@law
@given(st.lists(st.floats(-100, 100, width=32), min_size=2), st.sampled_from(ALTERNATIVES))
def test_paired_t_equals_the_one_sample_test_of_scipy(
    differences: list[float], alternative: str
) -> None:
    # scipy warns of lost digits where the spread is tiny beside the mean.
    assume(np.std(differences) > 1e-6 * np.max(np.abs(differences)))

    test = paired_t(differences, alternative=alternative)

    expected = stats.ttest_1samp(differences, 0, alternative=alternative)
    assert test.statistic == pytest.approx(expected.statistic, rel=1e-6)
    assert test.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)


# --- Wilcoxon


@any_alternative
@pytest.mark.parametrize("n", [1, 2, 5, 13, 14, 50, 51, 1_000])
def test_wilcoxon_without_ties_equals_scipy(alternative: str, n: int) -> None:
    differences = np.random.default_rng(n).normal(0.2, 1, n)

    test = wilcoxon(differences, alternative=alternative)

    expected = stats.wilcoxon(differences, alternative=alternative)
    assert (test.statistic, test.p) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.slow
@any_alternative
@pytest.mark.parametrize("n", [3, 10, 13, 14, 30, 50, 51, 80, 1_000])
@pytest.mark.parametrize("kind", ["ties", "zeros", "both"])
def test_wilcoxon_with_ties_and_zeros_equals_scipy(alternative: str, n: int, kind: str) -> None:
    rng = np.random.default_rng(n)
    differences = rng.normal(0.2, 1, n)
    if kind != "zeros":
        differences = rng.integers(1, 6, n) * rng.choice([-1.0, 1.0], n)
    if kind != "ties":
        differences[: n // 3] = 0.0

    test = wilcoxon(differences, alternative=alternative)

    expected = stats.wilcoxon(differences, alternative=alternative)
    assert (test.statistic, test.p) == pytest.approx((expected.statistic, expected.pvalue))


@law
@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=60)
    | st.lists(st.integers(-500, 500), min_size=1, max_size=60, unique_by=abs),
    st.sampled_from(ALTERNATIVES),
)
def test_wilcoxon_equals_scipy_whichever_way_it_counts(
    differences: list[int], alternative: str
) -> None:
    assume(any(differences))

    test = wilcoxon(differences, alternative=alternative)

    expected = stats.wilcoxon(differences, alternative=alternative)
    assert (test.statistic, test.p) == pytest.approx((expected.statistic, expected.pvalue))


# --- sign flips


@law
@given(
    st.lists(st.integers(-6, 6).map(lambda whole: whole / 5), min_size=2, max_size=9),
    st.sampled_from(ALTERNATIVES),
)
def test_sign_flip_of_few_differences_equals_scipy(
    differences: list[float], alternative: str
) -> None:
    test = sign_flip(differences, alternative=alternative)

    # In fifths, since scipy's tolerance does not hold the rounding of a sum that should be 0.
    fifths = np.rint(5 * np.array(differences))
    expected = stats.permutation_test(
        (fifths,),
        np.mean,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
        vectorized=True,
    )
    assert test.statistic == pytest.approx(expected.statistic / 5)
    assert test.p == pytest.approx(expected.pvalue)


@any_alternative
def test_sign_flip_of_many_differences_comes_close_to_scipy(alternative: str) -> None:
    differences = np.random.default_rng(3).normal(0.1, 1, 100)

    test = sign_flip(differences, alternative=alternative, seed=1)

    expected = stats.permutation_test(
        (differences,),
        np.mean,
        permutation_type="samples",
        n_resamples=9_999,
        alternative=alternative,
        vectorized=True,
        rng=2,
    )
    assert test.p == pytest.approx(expected.pvalue, abs=0.03)


# --- bootstrap


def skewed(n: int) -> np.ndarray:
    return np.random.default_rng(n).exponential(1.0, n)


def scipy_interval(values: np.ndarray, statistic: str, method: str, **options: object) -> object:
    return stats.bootstrap(
        (values,),
        STATISTICS[statistic],
        method=METHODS[method],
        vectorized=True,
        **options,
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("n", [10, 41, 200])
def test_the_same_draws_give_the_interval_of_scipy(method: str, statistic: str, n: int) -> None:
    """scipy draws indices of one generator in the same order, so that only rounding differs."""
    values = skewed(n)

    interval = bootstrap_interval(
        values, statistic=statistic, method=method, level=0.9, resamples=2_000, seed=11
    )

    theirs = scipy_interval(
        values, statistic, method, confidence_level=0.9, n_resamples=2_000, rng=11
    ).confidence_interval
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("statistic", STATISTICS)
def test_other_draws_come_close_to_the_interval_of_scipy(method: str, statistic: str) -> None:
    values = skewed(101)

    interval = bootstrap_interval(values, statistic=statistic, method=method, seed=1)

    theirs = scipy_interval(values, statistic, method, rng=2)
    # An end of 10,000 resamples varies by about 0.03 standard errors, the difference by 0.04.
    close = 0.15 * theirs.standard_error
    assert interval.low == pytest.approx(theirs.confidence_interval.low, abs=close)
    assert interval.high == pytest.approx(theirs.confidence_interval.high, abs=close)
