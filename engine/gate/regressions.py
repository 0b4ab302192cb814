"""Regressions: is the run worse than the baseline, on all queries or on a slice of them?

Hypotheses: for every gated metric and mode, one over all queries that count for both systems, and
one for each slice (a keyword, or a group) with at least `least_queries` of them, and enough that it
can fail at all (`engine.gate.power.find_least_slice_units`). With d the paired differences,
positive where the run is better, each says H0: mean d ≥ −ε. It gets

    p     of the sign-flip permutation test of d + ε, one-sided: were H0 true at its edge, each
          d + ε could as well have the other sign
    holm  p by Holm's correction over all m hypotheses of the gate
    CI    the two-sided bootstrap interval of mean d at `level`

and fails if holm < α = (1 − level) / 2 AND the upper end of the CI is below −ε. So the chance that
a gate fails although every H0 is true is at most α (2.5 % at level 0.95) where queries are
independent and d + ε is symmetric around 0, as it is for ε = 0 and interchangeable systems; the
interval can only lower it. Skewed differences on few queries raise it (docs/ci.md has what was
measured), and dependent queries far more: give their clusters.

What is shown is the CI with an upper end that agrees with both: where the test, at the level a that
Holm's procedure held its p against, does not reject a mean above the CI, it goes on to there. So
what is shown lies below −ε if and only if the hypothesis fails. It leaves out α below and a above:
its level is 1 − α − a, and that of the CI if the test names no end (of medians, or of so few
queries that it rejects nothing at a; then −ε is in it unless the hypothesis fails).

A metric whose aggregate is a median (MedR) has the difference of the medians in place of the mean,
its percentile interval, and in place of the sign flips a test of the medians (`stats.median_test`).

Monte Carlo p-values are never below 1 / (flips + 1), and Holm multiplies them by m: with many
slices nothing could fail. So a p below α is computed again with at least 20 m / α flips (a million
at most). That p is valid too: P(p ≤ x) is bounded by P(first p ≤ x) for x ≥ α, by
P(second p ≤ x) for x < α.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.compare.differences import compute_centre
from engine.gate.checks import GateVerdict, Regression
from engine.gate.gate_settings import GateSettings
from engine.gate.power import compute_power_on_mean
from engine.gate.samples import Sample
from engine.stats import (
    Interval,
    PairedTest,
    SignFlips,
    bootstrap_interval,
    choose_flips,
    find_holm_levels,
    flip_signs,
    holm,
    median_difference_interval,
    median_test,
    paired_differences,
)

SHOWN_QUERIES = 5

_ROUNDING = 1e-12


def find_regressions(samples: Sequence[Sample], settings: GateSettings) -> tuple[Regression, ...]:
    """Each sample's hypothesis, tested; they are corrected over all of them."""
    alpha, resamples = settings.alpha, settings.compare.resamples
    tests = [_test(sample, settings, resamples) for sample in samples]
    flips = choose_flips(len(samples), alpha, resamples)
    if flips > resamples:
        tests = [
            _test(sample, settings, flips) if _p(first) < alpha else first
            for sample, first in zip(samples, tests, strict=True)
        ]
    p = list(map(_p, tests))
    found = zip(samples, tests, holm(p).tolist(), find_holm_levels(p, alpha).tolist(), strict=True)
    return tuple(
        _decide(sample, test, corrected, level, len(samples), settings)
        for sample, test, corrected, level in found
    )


def _p(test: SignFlips | PairedTest) -> float:
    return test.test.p if isinstance(test, SignFlips) else test.p


def _test(sample: Sample, settings: GateSettings, flips: int) -> SignFlips | PairedTest:
    own = settings.compare
    clusters = sample.clusters(own.clusters)
    if sample.statistic == "median":
        before, after = sample.oriented
        return median_test(
            before,
            after + settings.epsilon,
            resamples=own.resamples,
            seed=own.seed,
            alternative="less",
            clusters=clusters,
        )
    return flip_signs(
        paired_differences(sample.gains, np.full(sample.n, -settings.epsilon)),
        alpha=settings.alpha,
        resamples=flips,
        seed=own.seed,
        alternative="less",
        clusters=clusters,
    )


def _decide(
    sample: Sample,
    test: SignFlips | PairedTest,
    corrected: float,
    level: float,
    hypotheses: int,
    settings: GateSettings,
) -> Regression:
    interval = _interval(sample, settings)
    below = interval.high < -settings.epsilon - _ROUNDING
    sure = corrected < settings.alpha
    failed = sure and below
    found = Regression(
        mode=sample.part.mode,
        measure=sample.measure,
        slice=sample.slice,
        before=compute_centre(sample.before, sample.measure),
        after=compute_centre(sample.after, sample.measure),
        gain=sample.gain,
        interval=_agree(interval, test, level, sure, failed, settings),
        n=sample.n,
        p=_p(test),
        holm=corrected,
        verdict="fail" if failed else "pass",
        worst=sample.worst(SHOWN_QUERIES) if failed else (),
    )
    if sample.slice is not None or sample.statistic == "median":
        return found
    power = compute_power_on_mean(
        sample.gains,
        sample.clusters(settings.compare.clusters),
        detect=settings.detect,
        alpha=settings.alpha / hypotheses,  # Holm asks no more than that of any of the p-values
        power=settings.power,
    )
    found = replace(found, power=power)
    return replace(found, verdict=_unless_weak(found, settings))


def _agree(
    interval: Interval,
    test: SignFlips | PairedTest,
    level: float,
    rejected: bool,
    failed: bool,
    settings: GateSettings,
) -> Interval:
    """The interval with an upper end that agrees with what was decided, at the level that it has.

    `level` is what Holm's procedure held p against, `rejected` whether p was below it.
    """
    if math.isnan(interval.high):
        return interval
    found = interval
    if isinstance(test, SignFlips) and not math.isnan(level):
        end = test.invert(level, rejected=rejected).high - settings.epsilon
        if not math.isnan(end):
            high = max(interval.high, end)
            found = Interval(interval.low, high, interval.level + (settings.alpha - level))
    return found if failed else replace(found, high=max(found.high, -settings.epsilon))


def _interval(sample: Sample, settings: GateSettings) -> Interval:
    own = settings.compare
    clusters = sample.clusters(own.clusters)
    if sample.statistic == "median":
        return median_difference_interval(
            *sample.oriented,
            level=own.level,
            resamples=own.resamples,
            seed=own.seed,
            clusters=clusters,
        )
    return bootstrap_interval(sample.gains, **own.bootstrap(clusters))


def _unless_weak(found: Regression, settings: GateSettings) -> GateVerdict:
    """Underpowered if a drop of `detect` would not have been seen, and is not ruled out either.

    Queries that are too few to show any drop rule none out: two that gained the same have an
    interval of no width.
    """
    assert found.power is not None
    seen = found.power.smallest <= settings.detect + _ROUNDING  # not so for NaN: nothing is seen
    above = found.interval.low >= -settings.epsilon - settings.detect - _ROUNDING
    ruled_out = above and not math.isnan(found.power.smallest)
    return found.verdict if seen or ruled_out or found.verdict == "fail" else "underpowered"
