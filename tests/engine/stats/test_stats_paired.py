"""Paired tests: by hand, and the laws that they obey."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.stats import (
    PairedTest,
    paired_differences,
    paired_t,
    permutation,
    sign_flip,
    wilcoxon,
)
from tests.examples import examples

TESTS = (paired_t, wilcoxon, sign_flip)
ALTERNATIVES = ("two-sided", "less", "greater")
MIRRORED = {"two-sided": "two-sided", "less": "greater", "greater": "less"}

Test = Callable[..., PairedTest]
any_test = pytest.mark.parametrize("test", TESTS)
any_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)
whole_numbers = st.lists(st.integers(-9, 9), min_size=2, max_size=20)
law = examples(50)


# --- by hand


def test_t_of_1_2_3() -> None:
    # Mean 2, std 1: t = 2 √3. With two degrees of freedom P(|T| > t) = 1 − t / √(2 + t²).
    t = 2 * math.sqrt(3)

    test = paired_t([1.0, 2.0, 3.0])

    assert test.statistic == pytest.approx(t)
    assert test.p == pytest.approx(1 - t / math.sqrt(2 + t * t))


def test_one_sided_t_is_half_of_the_two_sided_on_its_side() -> None:
    both = paired_t([1.0, 2.0, 3.0]).p

    assert paired_t([1.0, 2.0, 3.0], alternative="greater").p == pytest.approx(both / 2)
    assert paired_t([1.0, 2.0, 3.0], alternative="less").p == pytest.approx(1 - both / 2)


def test_t_of_one_difference_is_undefined() -> None:
    test = paired_t([0.4])

    assert math.isnan(test.statistic) and math.isnan(test.p)


@pytest.mark.parametrize("value", [0.1, -0.1])
def test_t_of_differences_that_are_all_the_same_is_infinite(value: float) -> None:
    assert paired_t([value] * 3) == PairedTest(math.copysign(math.inf, value), 0.0)


def test_wilcoxon_without_ties_counts_the_signs_of_ranks() -> None:
    # Ranks 2, 1, 3 (negative), 4: W− = 3. Of 16 sets of ranks {}, {1}, {2}, {3}, {1, 2} reach ≤ 3.
    test = wilcoxon([0.2, 0.1, -0.3, 0.4])

    assert test == PairedTest(3.0, 10 / 16)
    assert wilcoxon([0.2, 0.1, -0.3, 0.4], alternative="greater") == PairedTest(7.0, 5 / 16)


def test_wilcoxon_with_ties_counts_the_signs_of_mean_ranks() -> None:
    # Ranks 1½, 1½, 3 (negative), 4: {}, {1½}, {1½}, {1½, 1½}, {3} of 16 reach ≤ 3.
    assert wilcoxon([1.0, 1.0, -2.0, 3.0]) == PairedTest(3.0, 10 / 16)


def test_wilcoxon_drops_zeros() -> None:
    assert wilcoxon([0.0, 1.0, 1.0, 0.0, -2.0, 3.0]) == wilcoxon([1.0, 1.0, -2.0, 3.0])


def test_wilcoxon_of_many_equal_sizes_is_the_sign_test() -> None:
    # All 60 have rank 30½: z = (45 − 15) / √60 = √15, by the normal approximation.
    test = wilcoxon([1.0] * 45 + [-1.0] * 15)

    assert test.statistic == 15 * 30.5
    assert test.p == pytest.approx(math.erfc(math.sqrt(15) / math.sqrt(2)))


def test_sign_flip_counts_the_patterns_at_least_as_extreme() -> None:
    # ±1 ±2 ±3 sums to −6, −4, −2, 0, 0, 2, 4, 6: two of eight are as extreme as 6.
    assert sign_flip([1.0, 2.0, 3.0]) == PairedTest(2.0, 2 / 8)
    assert sign_flip([1.0, 2.0, 3.0], alternative="greater") == PairedTest(2.0, 1 / 8)
    assert sign_flip([1.0, 2.0, 3.0], alternative="less") == PairedTest(2.0, 1.0)


def test_sign_flip_turns_whole_clusters() -> None:
    # Clusters sum to 2 and 2: their four patterns sum to 4, 0, 0, −4.
    test = sign_flip([1.0, 1.0, 2.0], clusters=[7, 7, 3])

    assert test == PairedTest(pytest.approx(4 / 3), 2 / 4)


def test_sign_flip_of_one_cluster_says_nothing() -> None:
    assert sign_flip([1.0, 2.0, 3.0], clusters=[0, 0, 0]).p == 1.0


def test_sign_flip_by_monte_carlo_counts_the_observed_pattern_too() -> None:
    # Only 2 of 2^40 patterns are as extreme; 10,000 draws hit none: p = (0 + 1) / (10,000 + 1).
    assert sign_flip([1.0] * 40).p == 1 / 10_001
    assert sign_flip([1.0] * 40, resamples=99).p == 1 / 100


def test_sign_flip_is_exact_as_soon_as_resamples_allow() -> None:
    def outcomes(resamples: int) -> set[float]:
        return {sign_flip([1.0] * 5, resamples=resamples, seed=seed).p for seed in range(20)}

    assert outcomes(resamples=32) == {2 / 32}
    assert len(outcomes(resamples=31)) > 1


def test_monte_carlo_comes_close_to_the_exact_p() -> None:
    differences = np.random.default_rng(1).normal(0.4, 1, 16)

    exact = sign_flip(differences, resamples=2**16).p

    # Three standard errors of a share p in 20,000 draws.
    drawn = sign_flip(differences, resamples=20_000).p
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=3 * math.sqrt(exact * (1 - exact) / 20_000))


def test_rounding_does_not_break_ties_between_patterns() -> None:
    # 0.1 + 0.2 − 0.3 is 5.6e-17 and not 0; in tenths, five of eight sums are ≥ 0.
    assert sign_flip([0.1, 0.2, -0.3], alternative="greater").p == 5 / 8
    assert sign_flip([-0.1, -0.2, 0.3], alternative="less").p == 5 / 8
    assert sign_flip([0.1, 0.2, -0.3]).p == 1.0


# --- differences


@law
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60))
def test_differences_of_fifths_rank_as_the_whole_numbers_do(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs).T

    differences = paired_differences(first / 5, second / 5)

    assert wilcoxon(differences).p == wilcoxon(first - second).p


def test_differences_need_values_of_the_same_queries() -> None:
    with pytest.raises(ValueError, match="2 and 3"):
        paired_differences([0.1, 0.2], [0.1, 0.2, 0.3])


# --- identical runs


@any_test
@any_alternative
@pytest.mark.parametrize("n", [0, 1, 2, 10, 13, 14, 50, 51, 200])
def test_identical_runs_give_p_1(test: Test, alternative: str, n: int) -> None:
    assert test(np.zeros(n), alternative=alternative) == PairedTest(0.0, 1.0)


def test_identical_runs_give_p_1_with_clusters_too() -> None:
    assert sign_flip(np.zeros(6), clusters=[0, 0, 1, 1, 2, 2]) == PairedTest(0.0, 1.0)


# --- refusals


@any_test
def test_nan_is_refused(test: Test) -> None:
    with pytest.raises(ValueError, match="finite"):
        test([0.1, math.nan])


@any_test
def test_an_unknown_alternative_is_refused(test: Test) -> None:
    with pytest.raises(ValueError, match="smaller"):
        test([0.1, 0.2], alternative="smaller")


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="2 cluster labels"):
        sign_flip([0.1, 0.2], clusters=[1, 2, 3])


# --- laws


@any_test
@any_alternative
@law
@given(whole_numbers)
def test_p_is_a_probability_above_0(test: Test, alternative: str, differences: list[int]) -> None:
    assume(len(set(differences)) > 1)

    assert 0 < test(differences, alternative=alternative).p <= 1


@any_test
@any_alternative
@law
@given(whole_numbers)
def test_swapping_the_systems_mirrors_the_test(
    test: Test, alternative: str, differences: list[int]
) -> None:
    swapped = [-difference for difference in differences]

    p = test(differences, alternative=alternative, **few(test)).p

    mirrored = test(swapped, alternative=MIRRORED[alternative], **few(test)).p
    assert mirrored == pytest.approx(p, abs=1e-12)


def few(test: Test) -> dict[str, int]:
    return {"resamples": 2_000} if test is sign_flip else {}


@any_test
@law
@given(whole_numbers, st.sampled_from([1e-6, 0.1, 3.0, 1e5]))
def test_another_unit_of_measurement_changes_no_p(
    test: Test, differences: list[int], unit: float
) -> None:
    in_units = [difference * unit for difference in differences]
    assume(len(set(differences)) > 1)

    assert test(in_units, **few(test)).p == pytest.approx(test(differences, **few(test)).p)


@pytest.mark.parametrize("test", [paired_t, wilcoxon])
@law
@given(whole_numbers, st.randoms(use_true_random=False))
def test_the_order_of_queries_changes_no_p(
    test: Test, differences: list[int], random: object
) -> None:
    shuffled = list(differences)
    random.shuffle(shuffled)

    assert test(shuffled).p == pytest.approx(test(differences).p)


@law
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=8), st.integers(1, 5))
def test_queries_without_difference_change_no_p_of_the_sign_flip(
    differences: list[int], zeros: int
) -> None:
    assert sign_flip(differences + [0] * zeros).p == sign_flip(differences).p


@law
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 5)), min_size=1, max_size=12),
    st.sampled_from(ALTERNATIVES),
)
def test_clustered_sign_flip_equals_brute_force(
    pairs: list[tuple[int, int]], alternative: str
) -> None:
    differences, clusters = (np.array(column) for column in zip(*pairs, strict=True))
    labels = sorted(set(clusters.tolist()))
    observed = differences.sum()
    sums = [
        sum(sign[labels.index(c)] * d for d, c in zip(differences, clusters, strict=True))
        for sign in product((-1, 1), repeat=len(labels))
    ]
    extreme = {
        "two-sided": [abs(s) >= abs(observed) for s in sums],
        "less": [s <= observed for s in sums],
        "greater": [s >= observed for s in sums],
    }[alternative]

    p = sign_flip(differences, clusters=clusters, alternative=alternative).p

    assert p == pytest.approx(sum(extreme) / len(sums))


@pytest.mark.parametrize("n", [10, 13, 70])
@pytest.mark.parametrize("size", [8, 1 << 30])
def test_the_size_of_chunks_changes_no_p(
    monkeypatch: pytest.MonkeyPatch, n: int, size: int
) -> None:
    differences = np.random.default_rng(2).normal(0.2, 1, n)
    expected = sign_flip(differences)

    monkeypatch.setattr(permutation, "BYTES_AT_ONCE", size)

    assert sign_flip(differences) == expected


def test_the_seed_decides_the_p_of_monte_carlo() -> None:
    differences = np.random.default_rng(3).normal(0.2, 1, 40)

    assert sign_flip(differences, seed=1) == sign_flip(differences, seed=1)
    assert sign_flip(differences, seed=1) != sign_flip(differences, seed=2)


# --- errors of the first kind


@any_test
def test_without_a_true_difference_one_test_in_twenty_is_significant(test: Test) -> None:
    samples = np.random.default_rng(4).normal(0, 1, (1_500, 30))
    options = {"resamples": 499} if test is sign_flip else {}

    rejected = np.mean([test(sample, **options).p <= 0.05 for sample in samples])

    assert 0.033 <= rejected <= 0.067


def test_only_the_clustered_sign_flip_keeps_its_level_where_queries_share_items() -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(20), 5)
    samples = rng.normal(0, 1, (500, 20))[:, clusters] + rng.normal(0, 0.3, (500, 100))

    def rejected(labels: np.ndarray | None) -> float:
        tests = [sign_flip(sample, resamples=199, clusters=labels) for sample in samples]
        return float(np.mean([test.p <= 0.05 for test in tests]))

    assert 0.02 <= rejected(clusters) <= 0.08
    assert rejected(None) > 0.25
