"""What a gate shows beside a verdict agrees with it: the interval lies below −ε if and only if the
check fails."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compare import CompareSettings
from engine.gate import GateSettings, decide
from engine.metrics import Measure, find_profile
from engine.results.results import Results, number_queries
from engine.stats import bootstrap_interval, sign_flip
from tests.examples import examples


def pair(seed: int, n: int, drop: float, measure: str) -> tuple[Results, Results]:
    """A baseline and a run that is worse by `drop` on average; many queries tie."""
    rng = np.random.default_rng(seed)
    measures = (Measure.parse(measure),)
    old = rng.integers(1, 7, n).astype(np.float64)
    change = np.where(rng.random(n) < 0.5, np.round(rng.normal(-5 * drop, 1.5, n)), 0)
    sign = -1 if measures[0].lower_is_better else 1
    keys = number_queries(["text"] * n, [f"query {i}" for i in range(n)])
    words = tuple((f"g:{i % 2}",) for i in range(n))

    def of(name: str, values: np.ndarray) -> Results:  # type: ignore[type-arg]
        table = values[:, None]
        return Results(name, find_profile("alfa"), measures, keys, table, words, np.full(n, 3))

    return of("old", old), of("new", old + sign * change)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 60),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.sampled_from(["P@5", "MedR"]),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(["none", "keywords"]),
)
@examples(150)
def test_the_interval_lies_below_epsilon_if_and_only_if_the_check_fails(
    seed: int, n: int, drop: float, measure: str, epsilon: float, clusters: str
) -> None:
    own = CompareSettings(
        resamples=300,
        least_queries=10,
        clusters=clusters,  # type: ignore[arg-type]
    )
    old, new = pair(seed, n, drop, measure)
    gate = decide(new, old, settings=GateSettings(compare=own, epsilon=epsilon))

    for check in gate.regressions:
        assert (check.interval.high < -epsilon - 1e-12) == (check.verdict == "fail")
        assert np.isnan(check.interval.low) or check.interval.low <= check.interval.high


@pytest.mark.parametrize("seed", range(20))
def test_what_is_decided_is_what_the_test_and_the_bootstrap_say(seed: int) -> None:
    """One hypothesis alone: its p is that of the sign flips, and both have to be convinced."""
    settings = GateSettings(compare=CompareSettings(resamples=1_000, least_queries=1_000))
    old, new = pair(seed, 40, 0.15, "P@5")

    (check,) = decide(new, old, settings=settings).regressions

    gaps = (new.values - old.values)[:, 0]
    test = sign_flip(gaps, resamples=1_000, alternative="less")
    interval = bootstrap_interval(gaps, resamples=1_000)
    assert check.p == pytest.approx(test.p, abs=1e-12)
    assert (check.verdict == "fail") == (test.p < settings.alpha and interval.high < 0)
    assert check.interval.low == pytest.approx(interval.low)
    assert check.interval.high >= interval.high - 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_the_level_is_what_the_interval_leaves_out_below_and_above(seed: int) -> None:
    """Below α, by the bootstrap. Above the level that p was held against: at it the test rejects
    every mean beyond the upper end. That of the mean is a third of α, as slices never leave Holm's
    procedure; that of two slices a third of α at least."""
    own = CompareSettings(resamples=2_000, least_queries=10)
    settings = GateSettings(compare=own)
    old, new = pair(seed, 20, 0.25, "P@5")

    checks = decide(new, old, settings=settings).regressions

    gaps = (new.values - old.values)[:, 0]
    assert len(checks) == 3
    for check in checks:
        step = 1 - settings.alpha - check.interval.level
        if check.slice is None:
            assert step == pytest.approx(settings.alpha / 3)
            continue
        assert settings.alpha / 3 <= step + 1e-12 < settings.alpha
        own_gaps = gaps[[f"g:{i % 2}" == check.slice.name for i in range(20)]]
        beyond = own_gaps - check.interval.high - 1e-6
        assert sign_flip(beyond, alternative="less").p <= step + 1e-9


def test_one_hypothesis_has_the_level_that_was_asked_for() -> None:
    own = CompareSettings(least_queries=1_000, level=0.9)
    old, new = pair(1, 40, 0.15, "P@5")

    (check,) = decide(new, old, settings=GateSettings(compare=own)).regressions

    assert check.interval.level == 0.9
