"""Correlations of pairs against pingouin and scikit-bio."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pingouin import partial_corr
from scipy.spatial.distance import pdist, squareform
from skbio import DistanceMatrix
from skbio.stats.distance import mantel

from engine.base.arrays import Floats
from engine.stats.mantel import correlate_pairs


def draw_distances(seed: int, items: int = 24) -> Floats:
    """(items, items), in tenths: many are equal."""
    return np.round(squareform(pdist(np.random.default_rng(seed).normal(size=(items, 3)))), 1)


@pytest.mark.parametrize("seed", range(5))
def test_the_partial_correlation_is_that_of_pingouin(seed: int) -> None:
    z = draw_distances(seed + 20)
    x, y = draw_distances(seed) + z, draw_distances(seed + 10) + 2 * z

    found = correlate_pairs(x, y, given=z, permutations=9)

    pairs = {name: squareform(table) for name, table in (("x", x), ("y", y), ("z", z))}
    expected = partial_corr(pd.DataFrame(pairs), "x", "y", "z", method="spearman")
    assert found.correlation == pytest.approx(expected["r"].iloc[0], abs=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("seed", range(3))
def test_the_test_is_that_of_scikit_bio(seed: int, alternative: str) -> None:
    x, y = draw_distances(seed), draw_distances(seed + 10)
    y = np.round(y + 0.2 * x, 1)

    found = correlate_pairs(x, y, permutations=2_000, alternative=alternative)

    correlation, p, items = mantel(
        DistanceMatrix(x),
        DistanceMatrix(y),
        method="spearman",
        permutations=2_000,
        alternative=alternative,
        seed=seed,
    )
    assert items == 24 and found.pairs == 276
    assert found.correlation == pytest.approx(correlation, abs=1e-9)
    assert found.p == pytest.approx(p, abs=0.04)
