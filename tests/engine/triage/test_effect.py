"""Means with intervals from shared resamples: as if each query were drawn by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.triage.effect import Effect, Resamples, widen_few


@given(seed=st.integers(0, 1000), queries=st.integers(3, 30), clusters=st.integers(2, 8))
def test_means_are_those_of_queries_drawn_one_by_one(
    seed: int, queries: int, clusters: int
) -> None:
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, clusters, queries)
    values = np.where(rng.random(queries) < 0.2, np.nan, rng.random(queries))
    drawn = Resamples.draw(cluster, 100, seed, 0.9)
    found = drawn.mean(values)
    several = len(np.unique(cluster[np.isfinite(values)])) > 1  # one is drawn alike every time
    if np.isfinite(values).any():
        assert found.value == pytest.approx(np.nanmean(values))
    for counts, mean in zip(drawn.counts[:5], found.draws[:5], strict=True):
        each = np.concatenate(
            [np.repeat(values[drawn.cluster == c], int(n)) for c, n in enumerate(counts)]
        )
        known = each[np.isfinite(each)]
        expected = known.mean() if len(known) and several else np.nan
        wider = widen_few(len(np.unique(cluster[np.isfinite(values)])), 0.9)
        expected = found.value + wider * (expected - found.value)
        assert mean == pytest.approx(expected, nan_ok=True)


def test_a_contrast_is_the_difference_of_two_means_in_the_same_resamples() -> None:
    values, inside = np.arange(12.0), np.arange(12) % 3 == 0
    drawn = Resamples.draw(np.arange(12), 200, 0, 0.95)
    found = drawn.contrast(values, inside)
    assert found.value == values[inside].mean() - values[~inside].mean()
    apart = drawn.mean(values, inside).draws - drawn.mean(values, ~inside).draws
    assert found.draws == pytest.approx(apart, nan_ok=True)
    low, high = np.nanquantile(apart, [0.025, 0.975])
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_intervals_of_means_of_clusters_keep_what_they_promise() -> None:
    """30 clusters of four queries that hang together; in 95 of 100 the true mean is within."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(30), 4)
    covered = 0
    for seed in range(200):
        values = 0.5 + 0.2 * rng.normal(size=30)[cluster] + 0.1 * rng.normal(size=120)
        found = Resamples.draw(cluster, 200, seed, 0.95).mean(values).interval
        covered += found.low <= 0.5 <= found.high
    assert 0.88 <= covered / 200 <= 0.985
    # Without clusters they are far too narrow.
    narrow = Resamples.draw(np.arange(120), 200, 0, 0.95).mean(values).interval
    assert narrow.high - narrow.low < 0.7 * (found.high - found.low)


def test_effects_without_draws_have_no_interval() -> None:
    found = Effect.of_draws(0.5, np.array([np.nan, 0.4]), 0.95)
    assert np.isnan(found.interval.low)
