"""Regressions: is the run worse than the baseline, on all queries or on a slice of them?

Hypotheses: for every gated metric and mode, one over all queries that count for both systems, and
one for each slice (a keyword, or a group) with at least `least_queries` of them, and enough that it
can fail at all (`engine.gate.power.find_least_slice_units`). With d the paired differences,
positive where the run is better, each says H0: mean d ≥ −ε. It gets

    p          of the sign-flip permutation test of d + ε, one-sided: were H0 true at its edge,
               each d + ε could as well have the other sign
    corrected  over all m hypotheses of the gate (below)
    CI         the two-sided bootstrap interval of mean d at `level`

and fails if corrected < α = (1 − level) / 2 AND the upper end of the CI is below −ε. So the chance
that a gate fails although every H0 is true is at most α (2.5 % at level 0.95) where queries are
independent and d + ε is symmetric around 0, as it is for ε = 0 and interchangeable systems; the
interval can only lower it. Skewed differences on few queries raise it (docs/ci.md has what was
measured), and dependent queries far more: give their clusters.

Slices overlap: to correct each as if it were on its own pays for the same queries many times. So
α is shared out. Of m hypotheses, s are of means over slices. These are tested together, by a
studentised max-T over flips of the signs of clusters (`engine.stats.flipped_slices`), at s shares
of α/m; the others (means over all queries, and medians) by Holm's procedure at one share each. What
is rejected there leaves its share to all that are left, slices included:

    Holm         corrected(i) = the largest of (m − j + 1) · p(j) over j ≤ i, for its m − s p-values
    max-T        corrected = the smallest, over r from 0 to m − s, of the larger of
                 adjusted · (m − r) / s and corrected(r), the r-th of Holm's; corrected(0) = 0

What is shown is the CI with an upper end that agrees with both: where the test, at the level a that
its p was held against, does not reject a mean above the CI, it goes on to there. So what is shown
lies below −ε if and only if the hypothesis fails. It leaves out α below and a above: its level is
1 − α − a, and that of the CI if the test names no end (of medians, or of so few queries that it
rejects nothing at a; then −ε is in it unless the hypothesis fails). Of Holm's a is α / (m − i + 1);
of a slice, the share of flips in which its T is beyond what max-T asked of the last slices.

A metric whose aggregate is a median (MedR) has the difference of the medians in place of the mean,
its percentile interval, and in place of the sign flips a test of the medians (`stats.median_test`).

Monte Carlo p-values are never below 1 / (flips + 1), and Holm multiplies them by m: with many
slices no mean could fail. So a p below α is computed again with at least 20 m / α flips (a million
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
from engine.gate.corrections import Correction, correct_tests
from engine.gate.gate_settings import GateSettings
from engine.gate.power import compute_power_on_mean
from engine.gate.samples import Sample
from engine.stats import (
    Interval,
    PairedTest,
    SignFlips,
    bootstrap_interval,
    choose_flips,
    flip_signs,
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
    corrections = correct_tests(samples, [*map(_p, tests)], settings)
    return tuple(
        _decide(*found, hypotheses=len(samples), settings=settings)
        for found in zip(samples, tests, corrections, strict=True)
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
    correction: Correction,
    *,
    hypotheses: int,
    settings: GateSettings,
) -> Regression:
    interval = _interval(sample, settings)
    below = interval.high < -settings.epsilon - _ROUNDING
    sure = correction.p < settings.alpha
    failed = sure and below
    found = Regression(
        mode=sample.part.mode,
        measure=sample.measure,
        slice=sample.slice,
        before=compute_centre(sample.before, sample.measure),
        after=compute_centre(sample.after, sample.measure),
        gain=sample.gain,
        interval=_agree(interval, test, correction.level, sure, failed, settings),
        n=sample.n,
        p=_p(test),
        corrected=correction.p,
        correction=correction.method,
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

    `level` is what p was held against, `rejected` whether it was below.
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
