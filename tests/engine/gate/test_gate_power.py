"""What a gate could have seen: against the noncentral t of scipy, by hand, and with clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from engine.compare import CompareSettings
from engine.gate import GateSettings, decide
from engine.gate.checks import Power
from engine.gate.power import compute_power_on_mean, find_least_units, find_queries_needed
from tests.engine.gate.gate_by_hand import interchangeable, system


def power_of_t(n: int, effect: float, std: float, alpha: float) -> float:
    """Of the one-sided t test, from scipy."""
    critical = stats.t.ppf(1 - alpha, n - 1)
    return float(stats.nct.sf(critical, n - 1, effect * math.sqrt(n) / std))


@pytest.mark.parametrize(
    ("std", "detect", "alpha"), [(0.25, 0.05, 0.025), (0.3, 0.05, 0.025 / 14), (0.1, 0.2, 0.025)]
)
def test_so_many_queries_are_needed_and_one_fewer_is_not_enough(
    std: float, detect: float, alpha: float
) -> None:
    needed = find_queries_needed(std, detect, alpha, 0.8)

    assert needed is not None
    assert power_of_t(needed, detect, std, alpha) >= 0.8
    assert needed == 2 or power_of_t(needed - 1, detect, std, alpha) < 0.8


def test_the_number_of_queries_is_near_the_normal_approximation() -> None:
    """((1.95996 + 0.84162) · 0.25 / 0.05)² = 196.2, and the t distribution asks for a few more."""
    assert find_queries_needed(0.25, 0.05, 0.025, 0.8) == 199


def test_more_than_a_billion_queries_is_no_number() -> None:
    assert find_queries_needed(1.0, 1e-9, 0.025, 0.8) is None


def test_a_gate_asks_for_the_power_that_holm_leaves_to_the_mean() -> None:
    """m = 3 hypotheses: the mean and two slices; so the mean is tested at 0.025 / 3 at worst."""
    rng = np.random.default_rng(2)
    old, new = interchangeable(rng, 60)
    words = [("g:a",)] * 30 + [("g:b",)] * 30

    gate = decide(system(new, words), system(old, words))

    assert len(gate.regressions) == 3
    mean = gate.regressions[0]
    assert mean.power is not None
    std = float(np.std(new - old, ddof=1))
    assert power_of_t(60, mean.power.smallest, std, 0.025 / 3) == pytest.approx(0.8, abs=1e-6)
    assert mean.power.needed == find_queries_needed(std, 0.05, 0.025 / 3, 0.8)
    assert mean.verdict == "underpowered"
    assert [check.power for check in gate.regressions[1:]] == [None, None]


def test_the_same_runs_pass_if_a_larger_drop_is_all_that_matters() -> None:
    old, new = interchangeable(np.random.default_rng(2), 60)
    smallest = decide(system(new), system(old)).regressions[0].power
    assert smallest is not None

    def verdict(detect: float) -> str:
        return decide(system(new), system(old), settings=GateSettings(detect=detect)).verdict

    assert verdict(smallest.smallest * 0.99) == "underpowered"
    assert verdict(smallest.smallest * 1.01) == "pass"


def test_a_run_that_is_clearly_better_passes_though_a_drop_might_have_been_missed() -> None:
    old, new = interchangeable(np.random.default_rng(2), 60)

    better = decide(system(new + 0.5), system(old))

    (mean,) = better.regressions
    assert mean.power is not None and mean.power.smallest > 0.05
    assert mean.interval.low > -0.05, "a drop of 0.05 is ruled out"
    assert better.verdict == "pass"


def test_five_queries_can_show_nothing_even_if_all_fall() -> None:
    """2^−5 = 0.03125 is not below 0.025; 2^−6 is."""
    assert find_least_units(0.025) == 6

    five = decide(system([0.2] * 5), system([0.8] * 5))
    six = decide(system([0.2] * 6), system([0.8] * 6))

    assert five.verdict == "underpowered"
    power = five.regressions[0].power
    assert power is not None and math.isnan(power.smallest) and power.needed == 6
    assert six.verdict == "fail"


@pytest.mark.parametrize(
    ("queries", "verdict"), [(2, "underpowered"), (5, "underpowered"), (6, "pass")]
)
def test_a_gain_on_too_few_queries_rules_no_drop_out(queries: int, verdict: str) -> None:
    """All gained 0.1, so the interval is [0.1, 0.1]: it is no evidence where a loss of all would
    have been none either."""
    gate = decide(system([0.9] * queries), system([0.8] * queries))

    assert gate.regressions[0].interval.low == pytest.approx(0.1)
    assert gate.verdict == verdict


def test_a_single_query_is_underpowered() -> None:
    assert decide(system([0.2]), system([0.4])).verdict == "underpowered"


def test_queries_asked_twice_as_one_cluster_show_no_more_than_asked_once() -> None:
    gains = np.array([0.2, -0.4, 0.0, 0.2, -0.2, 0.4, 0.0, -0.2, 0.2, 0.2])

    def power(gains: np.ndarray, clusters: np.ndarray | None) -> Power:
        return compute_power_on_mean(gains, clusters, detect=0.05, alpha=0.025, power=0.8)

    once = power(gains, None)
    twice = power(np.repeat(gains, 2), np.repeat(np.arange(10), 2))
    unclustered = power(np.repeat(gains, 2), None)

    assert twice.smallest == pytest.approx(once.smallest)
    assert once.needed is not None and twice.needed == 2 * once.needed
    assert unclustered.smallest < once.smallest


def test_clusters_of_different_size_have_the_standard_error_of_a_ratio() -> None:
    """Clusters (0.3, 0.1), (−0.2), (0.0, 0.0, 0.4): mean 0.1; sums of gain − mean: 0.2, −0.3, 0.1.
    Squares 0.04 + 0.09 + 0.01 = 0.14, times 3 / 2, root, over 6 values: 0.0763763."""
    from engine.gate.power import _units

    gains = np.array([0.3, 0.1, -0.2, 0.0, 0.0, 0.4])
    units = _units(gains, np.array([0, 0, 1, 2, 2, 2]))

    assert units.mean() == pytest.approx(0.1)
    assert units.std(ddof=1) / math.sqrt(3) == pytest.approx(math.sqrt(0.14 * 1.5) / 6)


def test_clusters_flip_together_so_a_drop_on_one_set_of_keywords_is_one_observation() -> None:
    words = [("g:a",)] * 20
    old, new = system([0.8] * 20, words), system([0.2] * 20, words)
    clustered = GateSettings(CompareSettings(clusters="keywords"))

    assert decide(new, old).verdict == "fail"
    assert decide(new, old, settings=clustered).regressions[0].p == 0.5
