"""Effect sizes, wins and losses, and the smallest effect: by hand, by oracle, by simulation."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from engine.stats import WinTieLoss, cohens_dz, find_smallest_effect, rank_biserial, win_tie_loss
from tests.examples import examples

whole_numbers = st.lists(st.integers(-9, 9), min_size=2, max_size=20)
law = examples(100)


def with_std_1(n: int) -> np.ndarray:
    """n numbers with mean 0 and std 1 (ddof = 1)."""
    numbers = np.arange(n) - (n - 1) / 2
    return numbers / numbers.std(ddof=1)


# --- Cohen's d


def test_cohens_dz_by_hand() -> None:
    # Mean 2; std √((1 + 1 + 4) / 2) = √3.
    assert cohens_dz([1.0, 1.0, 4.0]) == pytest.approx(2 / math.sqrt(3))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_cohens_dz_of_identical_runs_is_0(n: int) -> None:
    assert cohens_dz([0.0] * n) == 0.0


def test_cohens_dz_without_spread_is_infinite() -> None:
    assert cohens_dz([0.1] * 3) == math.inf
    assert cohens_dz([-0.1] * 3) == -math.inf


def test_cohens_dz_of_one_difference_is_undefined() -> None:
    assert math.isnan(cohens_dz([0.3]))


@law
@given(whole_numbers)
def test_cohens_dz_is_t_over_root_n(differences: list[int]) -> None:
    assume(len(set(differences)) > 1)

    t = stats.ttest_1samp(differences, 0).statistic

    assert cohens_dz(differences) == pytest.approx(t / math.sqrt(len(differences)))


# --- rank-biserial correlation


def test_rank_biserial_by_hand() -> None:
    # Ranks 3, 1 (negative), 2: W+ = 5, W− = 1.
    assert rank_biserial([0.3, -0.1, 0.2]) == pytest.approx(4 / 6)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_rank_biserial_of_identical_runs_is_0(n: int) -> None:
    assert rank_biserial([0.0] * n) == 0.0


@law
@given(whole_numbers)
def test_rank_biserial_follows_from_the_statistic_of_scipy(differences: list[int]) -> None:
    assume(any(differences))
    k = np.count_nonzero(differences)
    total = k * (k + 1) / 2

    plus = stats.wilcoxon(differences, alternative="greater", method="asymptotic").statistic

    assert rank_biserial(differences) == pytest.approx((2 * plus - total) / total)


@law
@given(whole_numbers)
def test_swapping_the_systems_negates_the_effect(differences: list[int]) -> None:
    assume(len(set(differences)) > 1)
    swapped = [-difference for difference in differences]

    assert rank_biserial(swapped) == pytest.approx(-rank_biserial(differences))
    assert cohens_dz(swapped) == pytest.approx(-cohens_dz(differences))
    assert -1 <= rank_biserial(differences) <= 1


# --- win, tie, loss


def test_wins_ties_and_losses_are_counted() -> None:
    assert win_tie_loss([0.5, 0.0, -0.2, 0.1]) == WinTieLoss(wins=2, ties=1, losses=1)


def test_a_lower_rank_is_a_win_where_lower_is_better() -> None:
    assert win_tie_loss([3.0, -1.0, -2.0], lower_is_better=True) == WinTieLoss(2, 0, 1)


def test_rounding_is_no_win() -> None:
    assert win_tie_loss([(0.1 + 0.2) - 0.3, 0.3 - (0.1 + 0.2)]) == WinTieLoss(0, 2, 0)


def test_a_difference_as_large_as_the_tolerance_is_a_tie() -> None:
    assert win_tie_loss([0.5, -0.5, 0.75], tolerance=0.5) == WinTieLoss(1, 2, 0)


@law
@given(whole_numbers)
def test_every_query_is_a_win_a_tie_or_a_loss(differences: list[int]) -> None:
    higher = win_tie_loss(differences)
    lower = win_tie_loss(differences, lower_is_better=True)

    assert higher.wins + higher.ties + higher.losses == len(differences)
    assert (lower.wins, lower.ties, lower.losses) == (higher.losses, higher.ties, higher.wins)


# --- the smallest effect


def test_34_pairs_are_the_fewest_that_find_half_a_std() -> None:
    """The textbook's size for dz = 0.5, two-sided, alpha 0.05, power 0.8."""
    assert find_smallest_effect(with_std_1(33)) > 0.5 > find_smallest_effect(with_std_1(34))


def test_27_pairs_are_the_fewest_that_find_half_a_std_one_sided() -> None:
    sizes = [find_smallest_effect(with_std_1(n), alternative="greater") for n in (26, 27)]

    assert sizes[0] > 0.5 > sizes[1]


@pytest.mark.parametrize("n", [2, 5, 30, 500, 20_000])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
@pytest.mark.parametrize("power", [0.3, 0.8, 0.99])
def test_the_power_at_the_smallest_effect_is_as_asked(n: int, alpha: float, power: float) -> None:
    effect = find_smallest_effect(with_std_1(n), alpha=alpha, power=power)
    less = find_smallest_effect(with_std_1(n), alpha=alpha, power=power, alternative="less")

    two, one = stats.t.isf([alpha / 2, alpha], n - 1)
    upper = stats.nct.sf(two, n - 1, effect * math.sqrt(n))
    lower = np.nan_to_num(stats.nct.cdf(-two, n - 1, effect * math.sqrt(n)))
    assert upper + lower == pytest.approx(power, abs=1e-6)
    assert stats.nct.sf(one, n - 1, less * math.sqrt(n)) == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_a_simulation_finds_the_smallest_effect_with_its_power(alternative: str) -> None:
    n, effect = 15, find_smallest_effect(with_std_1(15), alternative=alternative)
    samples = np.random.default_rng(1).normal(effect, 1, (20_000, n))

    found = stats.ttest_1samp(samples, 0, axis=1, alternative=alternative).pvalue <= 0.05

    assert found.mean() == pytest.approx(0.8, abs=0.009)  # three standard errors


def test_many_queries_come_close_to_the_normal_approximation() -> None:
    n, normal = 10_000, NormalDist()

    effect = find_smallest_effect(2.5 * with_std_1(n), alpha=0.01, power=0.9)

    approximate = (normal.inv_cdf(0.995) + normal.inv_cdf(0.9)) * 2.5 / math.sqrt(n)
    assert effect == pytest.approx(approximate, rel=1e-3)


def test_the_mean_itself_does_not_change_the_smallest_effect() -> None:
    assert find_smallest_effect(with_std_1(20) + 7) == pytest.approx(
        find_smallest_effect(with_std_1(20))
    )


@pytest.mark.parametrize("scale", [1e-4, 100.0])
def test_the_smallest_effect_scales_with_the_differences(scale: float) -> None:
    expected = scale * find_smallest_effect(with_std_1(20))

    assert find_smallest_effect(scale * with_std_1(20)) == pytest.approx(expected)


def test_power_no_higher_than_alpha_needs_no_effect() -> None:
    assert find_smallest_effect(with_std_1(20), alpha=0.1, power=0.1) == 0.0


@pytest.mark.parametrize("values", [[], [0.3]])
def test_fewer_than_two_differences_have_no_smallest_effect(values: list[float]) -> None:
    assert math.isnan(find_smallest_effect(values))


def test_differences_without_spread_show_any_effect() -> None:
    assert find_smallest_effect([0.1] * 3) == 0.0


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"power": 1.0}, {"alternative": "both"}])
def test_what_cannot_be_solved_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1|alternative"):
        find_smallest_effect([0.1, 0.2], **wrong)
