"""Correlations of pairs in resamples of sources, against counting every pair again."""

from __future__ import annotations

import numpy as np
import pytest

from engine.stats.pair_resamples import hold_fast, resample_correlations
from engine.stats.ranks import rank_columns


def test_a_resample_counts_each_pair_as_often_as_both_sources_were_drawn() -> None:
    rng = np.random.default_rng(0)
    source = np.array([0, 0, 1, 2, 2, 3, 4])
    first, second = np.triu_indices(7, 1)
    apart = source[first] != source[second]
    pairs = first[apart], second[apart]
    columns = rank_columns(rng.normal(size=(len(pairs[0]), 3)))
    counts = rng.integers(0, 3, (6, 5))

    found = resample_correlations(columns, pairs, source, counts)

    for row, drawn in zip(found, counts, strict=True):
        times = drawn[source[pairs[0]]] * drawn[source[pairs[1]]]
        expected = np.corrcoef(np.repeat(columns, times, axis=0).T)
        assert row == pytest.approx(expected, abs=1e-5)


def test_what_does_not_vary_has_no_correlation() -> None:
    pairs = np.triu_indices(4, 1)
    columns = np.column_stack([np.arange(6.0), np.ones(6)])

    found = resample_correlations(columns, pairs, np.arange(4), np.ones((1, 4)))

    assert np.isnan(found[0, 0, 1])


def test_a_third_column_is_held_fast_as_by_an_independent_library() -> None:
    import pandas as pd
    import pingouin

    rng = np.random.default_rng(1)
    look = rng.random(45)
    overlap = np.round(rng.random(45) * 4) / 4 + 0.2 * look
    similar = 0.7 * look + 0.2 * overlap + 0.1 * rng.normal(size=45)
    table = pd.DataFrame({"s": similar, "overlap": overlap, "look": look})
    ranks = rank_columns(np.column_stack([similar, look, overlap]))

    found = resample_correlations(ranks, np.triu_indices(10, 1), np.arange(10), np.ones((1, 10)))

    for one, other, held, x, y, z in (
        (0, 1, 2, "s", "look", "overlap"),
        (0, 2, 1, "s", "overlap", "look"),
    ):
        told = pingouin.partial_corr(table, x=x, y=y, covar=z, method="spearman")["r"].iloc[0]
        assert hold_fast(found, one, other, held)[0] == pytest.approx(told, abs=1e-5)
