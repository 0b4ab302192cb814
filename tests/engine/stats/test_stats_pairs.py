"""Correlations of pairs, and ranks, against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import pdist, squareform

from engine.base.arrays import Floats
from engine.stats.mantel import correlate_pairs
from engine.stats.ranks import rank_columns
from tests.examples import examples

FIFTHS = st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def draw_distances(seed: int, items: int = 20) -> Floats:
    """(items, items), in tenths: many are equal."""
    spots = np.random.default_rng(seed).normal(size=(items, 3))
    return np.round(squareform(pdist(spots)), 1)


def rank_upper(table: Floats) -> Floats:
    return stats.rankdata(table[np.triu_indices(len(table), 1)])


# Spearman and Mantel


def test_the_correlation_is_that_of_scipy_ties_included() -> None:
    x, y = draw_distances(1), draw_distances(2)

    found = correlate_pairs(x, y, permutations=9)

    upper = np.triu_indices(20, 1)
    assert found.correlation == pytest.approx(stats.spearmanr(x[upper], y[upper]).statistic)
    assert found.pairs == 190


def test_condensed_pairs_are_the_same_pairs() -> None:
    x, y = draw_distances(1), draw_distances(2)

    square = correlate_pairs(x, y, permutations=99)
    flat = correlate_pairs(squareform(x), squareform(y), permutations=99)

    assert flat == square


def test_given_a_third_matrix_it_is_the_correlation_of_the_residuals() -> None:
    x, y, z = (draw_distances(seed) for seed in (1, 2, 3))
    x, y = x + z, y + z

    found = correlate_pairs(x, y, given=z, permutations=9)

    a, b, c = map(rank_upper, (x, y, z))
    residuals = [v - np.polyval(np.polyfit(c, v, 1), c) for v in (a, b)]
    assert found.correlation == pytest.approx(stats.pearsonr(*residuals).statistic)
    assert abs(found.correlation) < stats.spearmanr(a, b).statistic / 2


def test_p_counts_the_permutations_of_items() -> None:
    """Five items have 120 permutations: a naive loop over all of them, beside the drawn ones."""
    from itertools import permutations

    x, y = draw_distances(4, 5), draw_distances(5, 5)

    found = correlate_pairs(x, y, permutations=4_000, alternative="greater")

    every = [
        stats.spearmanr(
            x[np.ix_(order, order)][np.triu_indices(5, 1)], y[np.triu_indices(5, 1)]
        ).statistic
        for order in map(list, permutations(range(5)))
    ]
    expected = np.mean(np.array(every) >= found.correlation - 1e-9)
    assert found.p == pytest.approx(expected, abs=0.03)


def test_pairs_inside_a_source_are_left_out_whatever_they_are() -> None:
    x, y = draw_distances(6), draw_distances(7)
    sources = np.arange(20) // 4
    same = sources[:, None] == sources
    loud = np.where(same, 100.0, x)

    quiet, found = (correlate_pairs(one, y, sources=sources, permutations=99) for one in (x, loud))

    assert found == quiet
    assert found.pairs == 190 - 5 * 6


@pytest.mark.parametrize(
    "sources", [np.arange(20) // 4, np.repeat(np.arange(6), [1, 1, 2, 3, 5, 8])]
)
def test_a_matrix_agrees_with_itself_beyond_chance(sources: np.ndarray) -> None:
    x = np.random.default_rng(3).normal(size=(40, 3))
    table = squareform(pdist(x))
    wide = np.concatenate([sources, sources + 100])

    found = correlate_pairs(table, table + 0.01, sources=wide, permutations=199)

    assert found.correlation == pytest.approx(1.0)
    assert found.p == 1 / 200


def test_what_does_not_vary_has_no_correlation() -> None:
    found = correlate_pairs(np.ones((6, 6)), draw_distances(1, 6), permutations=9)
    explained = correlate_pairs(
        draw_distances(1, 6), draw_distances(2, 6), given=draw_distances(1, 6), permutations=9
    )

    assert math.isnan(found.correlation) and math.isnan(found.p)
    assert math.isnan(explained.correlation)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((2, 3)), "square matrix"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
        (np.zeros(4), "4 pairs are not all pairs"),
        (np.array([[0.0, np.nan], [np.nan, 0.0]]), "symmetric|finite"),
    ],
)
def test_what_is_no_matrix_of_pairs_is_refused(table: Floats, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correlate_pairs(table, table)


@pytest.mark.slow
@pytest.mark.parametrize("equal", [True, False])
def test_false_alarms_of_the_mantel_test_are_as_rare_as_said(equal: bool) -> None:
    """Items of a source lie together in all three matrices, each for reasons of its own. Over 600
    sets it was 5.3 % with sources of one size, 3.2 % with others."""
    rng = np.random.default_rng(30)
    count = 0
    for seed in range(300):
        sizes = np.full(12, 3) if equal else rng.integers(1, 7, 12)
        source = np.repeat(np.arange(12), sizes)
        x, y, z = (
            squareform(
                pdist(rng.normal(size=(12, 2))[source] + rng.normal(size=(len(source), 2)) / 2)
            )
            for _ in range(3)
        )
        found = correlate_pairs(x, y, given=z, sources=source, permutations=99, seed=seed)
        count += found.p <= 0.05
    assert count / 300 <= 0.085


# Ranks


@examples(60)
@given(st.lists(FIFTHS, min_size=1, max_size=30))
def test_ranks_are_those_of_scipy(values: list[float]) -> None:
    assert rank_columns(values).tolist() == stats.rankdata(values).tolist()
