"""Corrections for several comparisons: by hand, against other definitions, and by law."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from engine.stats import benjamini_hochberg, find_holm_levels, holm
from tests.examples import examples

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=7)
either = pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
Adjust = Callable[[list[float]], np.ndarray]
law = examples(100)


def test_holm_by_hand() -> None:
    # Sorted: 4 · 0.005 = 0.02, 3 · 0.01 = 0.03, 2 · 0.03 = 0.06, 1 · 0.04 lifted to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_the_levels_of_holm_by_hand() -> None:
    # 0.005 < 0.05 / 4 and 0.01 < 0.05 / 3, but 0.03 ≥ 0.05 / 2: that decides about 0.04, too.
    assert find_holm_levels([0.01, 0.04, 0.03, 0.005], 0.05) == pytest.approx(
        [0.05 / 3, 0.05 / 2, 0.05 / 2, 0.05 / 4]
    )


@given(
    st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.001, 0.01, math.nan])), min_size=1),
    st.sampled_from([0.01, 0.05, 0.2]),
)
@law
def test_p_is_below_its_level_if_and_only_if_holm_rejects(p: list[float], alpha: float) -> None:
    levels, rejected = find_holm_levels(p, alpha), holm(p) < alpha

    for own, level, is_rejected in zip(p, levels, rejected, strict=True):
        assert math.isnan(own) == math.isnan(level)
        if not math.isnan(own) and not math.isclose(own, level, rel_tol=1e-9):
            assert (own < level) == is_rejected
            assert alpha / len(p) <= level <= alpha


def test_equal_p_values_have_equal_levels() -> None:
    assert len(set(find_holm_levels([0.001, 0.001, 0.001], 0.05).tolist())) == 1


def test_benjamini_hochberg_by_hand() -> None:
    # Sorted: 4/1 · 0.005 = 0.02, 4/2 · 0.01 = 0.02, 4/3 · 0.03 = 0.04, 4/4 · 0.04 = 0.04.
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])


def test_benjamini_hochberg_lowers_a_value_to_that_of_a_larger_p() -> None:
    # 3/1 · 0.02 = 0.06, 3/2 · 0.03 = 0.045, 3/3 · 0.04 = 0.04: all three are 0.04.
    assert benjamini_hochberg([0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.04, 0.04])


@either
def test_nothing_exceeds_1(adjust: Adjust) -> None:
    assert adjust([0.6, 0.9, 1.0]).max() <= 1
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]


@either
def test_one_p_value_stays_as_it_is(adjust: Adjust) -> None:
    assert adjust([0.03]).tolist() == [0.03]


@either
def test_no_p_values_give_none(adjust: Adjust) -> None:
    assert adjust([]).shape == (0,)


@either
def test_nan_stays_nan_and_is_not_counted(adjust: Adjust) -> None:
    adjusted = adjust([0.01, math.nan, 0.04])

    assert math.isnan(adjusted[1])
    assert adjusted[[0, 2]].tolist() == adjust([0.01, 0.04]).tolist()


@either
@pytest.mark.parametrize("wrong", [[-0.1], [1.5], [[0.1]]])
def test_what_is_no_list_of_p_values_is_refused(adjust: Adjust, wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="p-values"):
        adjust(wrong)


@law
@given(p_values)
def test_benjamini_hochberg_equals_scipy(values: list[float]) -> None:
    assert benjamini_hochberg(values) == pytest.approx(false_discovery_control(values, method="bh"))


@law
@given(p_values)
def test_holm_is_the_closed_test_of_bonferroni(values: list[float]) -> None:
    """A hypothesis falls only if every set that holds it falls: max over sets of |set| · min p."""

    def closed(i: int) -> float:
        others = [p for j, p in enumerate(values) if j != i]
        sets = (
            (values[i], *chosen)
            for size in range(len(values))
            for chosen in combinations(others, size)
        )
        return max(min(1.0, len(one) * min(one)) for one in sets)

    assert holm(values) == pytest.approx([closed(i) for i in range(len(values))])


@law
@given(p_values)
def test_raw_is_below_benjamini_hochberg_is_below_holm(values: list[float]) -> None:
    strict, loose = holm(values), benjamini_hochberg(values)

    assert (strict >= np.array(values)).all()
    assert (loose >= np.array(values) * (1 - 1e-12)).all()
    assert (loose <= strict * (1 + 1e-12)).all()


@either
@law
@given(p_values)
def test_adjusting_keeps_the_order(adjust: Adjust, values: list[float]) -> None:
    adjusted = adjust(values)[np.argsort(values)]

    assert (np.diff(adjusted) >= 0).all()
