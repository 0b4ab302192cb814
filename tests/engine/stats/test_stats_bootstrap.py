"""Bootstrap intervals: by hand, and the laws that they obey."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.stats import Interval, bootstrap_interval, bootstrap_intervals, resampling
from engine.stats.bootstrap import compute_bca_shares
from engine.stats.resampling import ResamplingUnits
from engine.stats.samples import number_clusters
from tests.examples import examples

whole_numbers = st.lists(st.integers(-20, 20), min_size=2, max_size=12)
methods = st.sampled_from(["bca", "percentile"])
statistics = st.sampled_from(["mean", "median"])
FEW = 200

law = examples(50)


def ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


# --- by hand


def test_percentile_ends_are_quantiles_of_the_resampled_means() -> None:
    # Resamples of {0, 1} have the means 0, ½, 1 with probabilities ¼, ½, ¼.
    wide = bootstrap_interval([0.0, 1.0], method="percentile", level=0.95)
    narrow = bootstrap_interval([0.0, 1.0], method="percentile", level=0.4)

    assert ends(wide) == (0.0, 1.0)
    assert ends(narrow) == (0.5, 0.5)


def test_percentile_ends_of_the_median_are_quantiles_of_the_resampled_medians() -> None:
    # The median of three draws from {0, 1, 5} is 0 or 5 with probability 7/27 each, else 1.
    values = [0.0, 1.0, 5.0]

    wide = bootstrap_interval(values, statistic="median", method="percentile", level=0.5)
    narrow = bootstrap_interval(values, statistic="median", method="percentile", level=0.45)

    assert ends(wide) == (0.0, 5.0)
    assert ends(narrow) == (1.0, 1.0)


def test_bca_shares_follow_from_bias_and_acceleration() -> None:
    # 6 of 10 resamples below: z0 = Φ⁻¹(0.6). Jackknife 1, 2, 6: d = 2, 1, −3, so that
    # a = (8 + 1 − 27) / (6 · 14^1.5) = −18 / 314.3 = −0.05727.
    resampled = np.arange(1.0, 11.0)
    jackknife = np.array([1.0, 2.0, 6.0])
    normal = NormalDist()
    z0, a = normal.inv_cdf(0.6), -18 / (6 * 14**1.5)

    low, high = compute_bca_shares(resampled, 6.5, jackknife, 0.95, noise=0.0)

    for share, z in ((low, -1.959964), (high, 1.959964)):
        expected = normal.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
        assert share == pytest.approx(expected, abs=1e-6)
    assert (low, high) == pytest.approx((0.0507, 0.9867), abs=1e-4)


def test_half_of_the_resamples_that_equal_the_statistic_count_as_below() -> None:
    resampled = np.array([1.0, 2.0, 2.0, 3.0])
    jackknife = np.array([-1.0, 0.0, 1.0])  # symmetric: no acceleration

    shares = compute_bca_shares(resampled, 2.0, jackknife, 0.9, noise=0.0)

    assert shares == pytest.approx((0.05, 0.95), abs=1e-12)


def test_the_jackknife_leaves_out_one_value_at_a_time() -> None:
    units = ResamplingUnits.of(np.array([[1.0, 6.0, 2.0, 3.0]]), number_clusters(None, 4))

    assert units.left_out("mean")[0] == pytest.approx([11 / 3, 2, 10 / 3, 3])
    assert units.left_out("median")[0].tolist() == [3, 2, 3, 2]


def test_the_jackknife_leaves_out_one_cluster_at_a_time() -> None:
    units = ResamplingUnits.of(np.array([[1.0, 2.0, 3.0, 6.0]]), number_clusters([5, 5, 7, 9], 4))

    assert units.left_out("mean")[0].tolist() == [4.5, 3.0, 2.0]
    assert units.left_out("median")[0].tolist() == [4.5, 2.0, 2.0]


def test_the_mean_of_a_clustered_resample_is_over_its_values_not_its_clusters() -> None:
    # Clusters {0, 0, 0} and {1}: resamples have the means 0, ¼, 1, and ½ only over clusters.
    interval = bootstrap_interval(
        [0.0, 0.0, 0.0, 1.0], clusters=[4, 4, 4, 2], method="percentile", level=0.4
    )

    assert ends(interval) == (0.25, 0.25)


# --- edges


@pytest.mark.parametrize("values", [[], [0.7]])
def test_fewer_than_two_values_have_no_interval(values: list[float]) -> None:
    interval = bootstrap_interval(values)

    assert math.isnan(interval.low) and math.isnan(interval.high)
    assert interval.level == 0.95


def test_a_single_cluster_has_no_interval() -> None:
    assert math.isnan(bootstrap_interval([0.1, 0.2, 0.3], clusters=[1, 1, 1]).low)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_equal_values_give_an_interval_without_width(method: str) -> None:
    assert ends(bootstrap_interval([0.1] * 3, method=method)) == (0.1, 0.1)


def test_bca_falls_back_to_percentile_where_the_jackknife_does_not_vary() -> None:
    values = [0.0] * 8 + [1.0]

    bca = bootstrap_interval(values, statistic="median", method="bca")

    assert bca == bootstrap_interval(values, statistic="median", method="percentile")


def test_bca_falls_back_to_percentile_where_no_resample_lies_below() -> None:
    bca = bootstrap_interval([0.0, 1.0, 5.0], resamples=1)

    assert bca == bootstrap_interval([0.0, 1.0, 5.0], resamples=1, method="percentile")


def test_bca_falls_back_to_percentile_where_its_correction_passes_a_pole() -> None:
    # z0 = Φ⁻¹(0.9999) = 3.72 and a, of a single outlier, nearly 1/6: a (z0 + 2.58) > 1.
    resampled = np.r_[np.zeros(9_999), 2.0]
    jackknife = np.r_[np.zeros(999), -1.0]

    shares = compute_bca_shares(resampled, 1.0, jackknife, 0.99, noise=0.0)

    assert shares == pytest.approx((0.005, 0.995))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [0.1, math.nan]}, "finite"),
        ({"values": [[0.1], [0.2]]}, "one value per query"),
        ({"values": [0.1, 0.2], "clusters": [1]}, "2 cluster labels"),
        ({"values": [0.1, 0.2], "level": 95}, "level"),
        ({"values": [0.1, 0.2], "resamples": 0}, "resamples"),
        ({"values": [0.1, 0.2], "statistic": "mode"}, "mode"),
        ({"values": [0.1, 0.2], "method": "basic"}, "basic"),
    ],
)
def test_what_cannot_be_answered_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_interval(**arguments)


def test_no_columns_have_no_intervals() -> None:
    assert bootstrap_intervals(np.empty((5, 0))) == ()


# --- laws


@law
@given(whole_numbers, statistics, methods, st.data())
def test_an_interval_lies_within_the_values(
    values: list[int], statistic: str, method: str, data: st.DataObject
) -> None:
    labels = st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values))
    clusters = data.draw(st.none() | labels.filter(lambda drawn: len(set(drawn)) > 1))

    low, high = ends(
        bootstrap_interval(
            values, statistic=statistic, method=method, resamples=FEW, clusters=clusters
        )
    )

    assert min(values) <= low <= high <= max(values)


@law
@given(whole_numbers, statistics, methods, st.integers(1, 64), st.integers(-50, 50))
def test_scaled_and_shifted_values_scale_and_shift_the_interval(
    values: list[int], statistic: str, method: str, scale: int, shift: int
) -> None:
    options = {"statistic": statistic, "method": method, "resamples": FEW}
    moved = [scale * value + shift for value in values]

    low, high = ends(bootstrap_interval(values, **options))

    expected = (scale * low + shift, scale * high + shift)
    assert ends(bootstrap_interval(moved, **options)) == pytest.approx(expected, abs=1e-8)


@law
@given(whole_numbers, statistics, methods)
def test_negated_values_negate_the_interval(values: list[int], statistic: str, method: str) -> None:
    options = {"statistic": statistic, "method": method, "resamples": FEW}

    low, high = ends(bootstrap_interval(values, **options))

    negated = bootstrap_interval([-value for value in values], **options)
    assert ends(negated) == pytest.approx((-high, -low), abs=1e-8)


@law
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=10), methods)
def test_rounding_does_not_break_ties_between_resamples(values: list[int], method: str) -> None:
    """Fifths are no exact floats; which resamples have the mean of the sample must not vary."""
    exact = bootstrap_interval(values, method=method, resamples=FEW)

    fifths = bootstrap_interval([value / 5 for value in values], method=method, resamples=FEW)

    assert ends(fifths) == pytest.approx((exact.low / 5, exact.high / 5), abs=1e-9)


@law
@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), statistics)
def test_the_percentile_interval_of_symmetric_values_contains_their_centre(
    values: list[int], statistic: str
) -> None:
    symmetric = [*values, *(-value for value in values)]

    low, high = ends(bootstrap_interval(symmetric, statistic=statistic, method="percentile"))

    assert low <= 0 <= high


@law
@given(whole_numbers, statistics, methods)
def test_a_higher_level_gives_an_interval_that_holds_the_lower_one(
    values: list[int], statistic: str, method: str
) -> None:
    options = {"statistic": statistic, "method": method, "resamples": FEW}

    inner = bootstrap_interval(values, level=0.8, **options)
    outer = bootstrap_interval(values, level=0.9, **options)

    assert outer.low <= inner.low <= inner.high <= outer.high


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = np.random.default_rng(1).random(30)

    assert bootstrap_interval(values, seed=4) == bootstrap_interval(values, seed=4)
    assert bootstrap_interval(values, seed=4) != bootstrap_interval(values, seed=5)


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("cells", [1, 97, 1 << 30])
def test_the_size_of_chunks_changes_no_digit(
    monkeypatch: pytest.MonkeyPatch, statistic: str, clustered: bool, cells: int
) -> None:
    columns = np.random.default_rng(2).random((40, 3))
    clusters = np.arange(40) // 3 if clustered else None
    options = {"statistic": statistic, "clusters": clusters, "resamples": 500}
    expected = bootstrap_intervals(columns, **options)

    monkeypatch.setattr(resampling, "CELLS_AT_ONCE", cells)

    assert bootstrap_intervals(columns, **options) == expected


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_column_has_the_same_interval_alone_and_among_others(statistic: str) -> None:
    columns = np.random.default_rng(3).random((60, 4))
    columns[:, 2] = 0.5

    together = bootstrap_intervals(columns, statistic=statistic, resamples=500)

    alone = [bootstrap_interval(column, statistic=statistic, resamples=500) for column in columns.T]
    assert list(together) == alone


def test_memory_stays_far_below_resamples_times_values() -> None:
    columns = np.random.default_rng(4).random((4_000, 3))
    tracemalloc.start()

    bootstrap_intervals(columns, resamples=500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 8_000_000  # one float for each of 4,000 × 500 would be 16 MB, and × 3 48 MB


# --- clusters


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_clusters_of_one_value_change_nothing(method: str) -> None:
    values = np.random.default_rng(5).random(25)

    assert bootstrap_interval(
        values, clusters=np.arange(25), method=method, resamples=FEW
    ) == bootstrap_interval(values, method=method, resamples=FEW)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_clusters_of_equal_size_give_the_interval_of_their_means(method: str) -> None:
    values = np.random.default_rng(6).random((20, 3))

    clustered = bootstrap_interval(
        values.ravel(), clusters=np.repeat(np.arange(20), 3), method=method
    )

    of_means = bootstrap_interval(values.mean(axis=1), method=method)
    assert ends(clustered) == pytest.approx(ends(of_means), abs=1e-12)


def test_values_repeated_within_clusters_make_the_clustered_interval_wider() -> None:
    repeated = np.repeat(np.random.default_rng(7).random(20), 4)

    clustered = bootstrap_interval(repeated, clusters=np.repeat(np.arange(20), 4))
    plain = bootstrap_interval(repeated)

    # Four copies seem to be four times the evidence: half the width.
    ratio = (clustered.high - clustered.low) / (plain.high - plain.low)
    assert ratio == pytest.approx(2, rel=0.05)


# --- coverage


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_intervals_of_95_percent_cover_the_true_mean_as_often(method: str) -> None:
    samples = np.random.default_rng(8).normal(3.0, 2.0, (50, 2_000))

    intervals = bootstrap_intervals(samples, method=method, resamples=1_000)

    covered = np.mean([one.low <= 3.0 <= one.high for one in intervals])
    assert 0.93 <= covered <= 0.97


def test_only_clustered_intervals_cover_the_true_mean_of_clustered_values() -> None:
    rng = np.random.default_rng(9)
    clusters = np.repeat(np.arange(50), 5)
    samples = rng.normal(0, 1, (50, 500))[clusters] + rng.normal(0, 0.3, (250, 500))

    def covered(labels: np.ndarray | None) -> float:
        intervals = bootstrap_intervals(samples, clusters=labels, resamples=500)
        return float(np.mean([one.low <= 0 <= one.high for one in intervals]))

    assert covered(clusters) > 0.91
    assert covered(None) < 0.75


# --- what it loads


def test_scipy_is_loaded_only_when_a_distribution_is_asked_for() -> None:
    code = (
        "import sys, engine.stats as stats\n"
        "assert not any(name.startswith('scipy') for name in sys.modules)\n"
        "stats.bootstrap_interval([0.0, 1.0, 3.0], resamples=50)\n"
        "stats.find_smallest_effect([0.0, 1.0, 3.0])\n"
        "assert 'scipy.special' in sys.modules\n"
        "assert 'scipy.stats' not in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
