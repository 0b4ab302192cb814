"""How often a gate cries wolf, and what it finds: measured on systems whose truth is known."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from engine.base.arrays import Floats
from engine.compare import CompareSettings, Slice
from engine.gate import Gate, GateSettings, decide
from engine.gate.gate_settings import LEAST_QUERIES
from tests.engine.gate.gate_by_hand import drawn_keywords, interchangeable, system

pytestmark = pytest.mark.slow

PAIRS = 500
QUICK = GateSettings(CompareSettings(resamples=500, least_queries=LEAST_QUERIES))


def gate_of(rng: np.random.Generator, old: Floats, new: Floats) -> Gate:
    words = drawn_keywords(rng, len(old))
    return decide(system(new, words), system(old, words), settings=QUICK)


def test_with_no_real_difference_the_gate_fails_at_most_5_percent_of_the_time() -> None:
    """By construction at most 2.5 %; over 2,000 pairs it was 2.3 %. Some 12 hypotheses each."""
    rng = np.random.default_rng(20)

    failed = [gate_of(rng, *interchangeable(rng, 120)).verdict == "fail" for _ in range(PAIRS)]

    assert 0 < sum(failed) <= 0.05 * PAIRS, "not a test that never fails, nor one that cries wolf"


def test_many_small_losses_against_few_large_gains_alarm_more_often_but_rarely() -> None:
    """A known limit, not a promise of 5 %: the mean difference is 0, but not symmetric, which the
    sign-flip test supposes. Over 1,000 pairs it was 5.4 % with 50 queries, 5.0 % with 200, 6.2 %
    with 300. The bound leaves room for the chance in 500 pairs."""
    rng = np.random.default_rng(21)

    def pair(n: int = 200) -> tuple[Floats, Floats]:
        old = rng.integers(1, 4, n) / 5
        small = np.where(rng.random(n) < 0.5, -0.2, 0.0)
        return old, old + np.where(rng.random(n) < 0.2, 0.4, small)

    failed = [gate_of(rng, *pair()).verdict == "fail" for _ in range(PAIRS)]

    assert sum(failed) <= 0.08 * PAIRS


def alarms_of_skewed_differences(n: int, least: int, pairs: int = 300) -> float:
    """Four in five lose 0.2 and one in five gains 0.8, mean 0; each has one of three keywords."""
    rng = np.random.default_rng(1)
    settings = GateSettings(CompareSettings(resamples=1000, least_queries=least))
    count = 0
    for _ in range(pairs):
        words = [(f"g:w{word}",) for word in rng.integers(0, 3, n)]
        new = np.where(rng.random(n) < 0.2, 1.0, 0.0)
        gate = decide(system(new, words), system([0.2] * n, words), settings=settings)
        count += gate.verdict == "fail"
    return count / pairs


def test_slices_of_few_skewed_differences_are_not_looked_at_unless_asked_for() -> None:
    """Of ten such differences one in ten samples has no gain at all, and 2^−10 looks like proof.
    Over 1,000 pairs it was 2.2 % with 50 queries, of which few slices have 20."""
    assert alarms_of_skewed_differences(50, LEAST_QUERIES) <= 0.05
    assert alarms_of_skewed_differences(50, 10) > 0.05, "why the gate asks for more than ten"


def test_larger_slices_of_skewed_differences_alarm_more_often_than_promised_but_rarely() -> None:
    """A known limit: over 1,000 pairs it was 5.8 %. The bound leaves room for the chance in 300."""
    assert 0.025 < alarms_of_skewed_differences(200, LEAST_QUERIES) <= 0.1


def alarms_of_dependent_queries(clusters: Literal["none", "keywords"], pairs: int) -> float:
    """Equally good systems, where queries with the same keywords gain or lose together."""
    rng = np.random.default_rng(23)
    sets = [tuple(f"g{j % 3}:w{j}" for j in rng.choice(12, 3, replace=False)) for _ in range(50)]
    settings = GateSettings(
        CompareSettings(resamples=500, clusters=clusters, least_queries=LEAST_QUERIES)
    )
    count = 0
    for _ in range(pairs):
        own = rng.integers(0, 50, 200)
        old, new = interchangeable(rng, 200)
        new = new + rng.choice([-0.2, 0.0, 0.2], 50)[own]
        words = [sets[number] for number in own]
        gate = decide(system(new, words), system(old, words), settings=settings)
        count += gate.verdict == "fail"
    return count / pairs


def test_queries_that_gain_and_lose_together_need_clusters() -> None:
    assert alarms_of_dependent_queries("keywords", PAIRS) <= 0.05
    assert alarms_of_dependent_queries("none", 100) > 0.1, "why --clusters keywords is there"


def found(drop: float, pairs: int = 100, n: int = 200) -> float:
    """How often a drop in one slice (about 30 % of the queries) is found and named."""
    rng = np.random.default_rng(22)
    count = 0
    for _ in range(pairs):
        old, new = interchangeable(rng, n)
        words = drawn_keywords(rng, n)
        hit = np.array(["g2:w5" in own for own in words])
        # A drop of 0.2 is one of five results lost: a share of the queries loses one or two.
        lost = 0.2 * rng.binomial(2, drop / 0.4, n) * hit
        gate = decide(system(new - lost, words), system(old, words), settings=QUICK)
        named = {check.slice for check in gate.regressions if check.verdict == "fail"}
        count += Slice("keyword", "g2:w5") in named
    return count / pairs


def test_a_planted_regression_in_one_slice_is_found_and_named() -> None:
    """Of 200 queries about 64 are in the slice, whose differences have a std of about 0.2. With 14
    hypotheses a drop of 0.10 within the slice was found in 80 %, of 0.08 in 59 % of the pairs."""
    assert found(0.15) >= 0.95
    assert found(0.05) <= 0.5, "so small a drop needs more queries than the slice has"
