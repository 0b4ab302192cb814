"""Probabilities against what was meant, bin by bin."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.mapping.calibration import bin_probabilities, measure_calibration_error

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60)


def test_bins_by_hand() -> None:
    bins = bin_probabilities([(0.62, 1.0), (0.68, 0.0), (0.0, 0.0), (1.0, 1.0)])
    filled = {one.least: one for one in bins if one.count}
    assert sorted(filled) == [0.0, 0.6, 0.9]
    assert filled[0.6].count == 2
    assert filled[0.6].mean_probability == pytest.approx(0.65)
    assert filled[0.6].share_meant == 0.5
    assert all(math.isnan(one.share_meant) for one in bins if not one.count)


@given(PAIRS, st.sampled_from([0.0, 0.1, 0.5]))
def test_the_error_is_that_of_a_plain_loop(pairs: list[tuple[float, float]], least: float) -> None:
    own = [(chance, meant) for chance, meant in pairs if chance >= least]
    total = 0.0
    for number in range(10):
        inside = [(c, m) for c, m in own if min(int(c * 10), 9) == number]
        if inside:
            off = sum(c for c, _ in inside) - sum(m for _, m in inside)
            total += abs(off)
    found = measure_calibration_error(pairs, least)
    if own:
        assert found == pytest.approx(total / len(own))
    else:
        assert math.isnan(found)


@given(PAIRS)
def test_every_probability_is_in_one_bin(pairs: list[tuple[float, float]]) -> None:
    bins = bin_probabilities(pairs)
    assert sum(one.count for one in bins) == len(pairs)
    assert all(one.least <= one.mean_probability <= one.most for one in bins if one.count)
