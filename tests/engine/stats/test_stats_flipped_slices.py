"""Slices of paired differences, tested together: against all patterns of signs, one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from engine.base.arrays import Floats
from engine.stats.flipped_slices import flip_slices


def adjust_by_hand(sums: Floats) -> list[float]:
    """Step-down max-T over every pattern of signs of the rows."""
    length = np.sqrt((sums**2).sum(axis=0))
    every = np.array(
        [-(np.array(signs) @ sums) / length for signs in product((1, -1), repeat=len(sums))]
    )
    t = every[0]
    order, largest, adjusted = sorted(range(len(t)), key=lambda j: -t[j]), 0.0, [0.0] * len(t)
    for rank, j in enumerate(order):
        as_large = (every[:, order[rank:]].max(axis=1) >= t[j] - 1e-9).mean()
        largest = adjusted[j] = max(largest, float(as_large))
    return adjusted


def draw_sums(seed: int, units: int = 10, slices: int = 6) -> Floats:
    rng = np.random.default_rng(seed)
    inside = rng.random((units, slices)) < 0.6
    inside[0] = True
    return np.round(rng.normal(-0.3, 0.5, units)[:, None] * inside, 1)


@pytest.mark.parametrize("seed", range(4))
def test_the_adjusted_p_counts_the_patterns_of_signs(seed: int) -> None:
    sums = draw_sums(seed)

    found = flip_slices([sums], alpha=0.05, flips=20_000, seed=seed)

    assert found.adjusted.tolist() == pytest.approx(adjust_by_hand(sums), abs=0.015)


def test_a_slice_that_comes_twice_is_paid_for_once() -> None:
    sums = draw_sums(5)

    once = flip_slices([sums], alpha=0.05, flips=2_000)
    often = flip_slices([np.repeat(sums, 8, axis=1)], alpha=0.05, flips=2_000)

    assert often.adjusted[::8].tolist() == once.adjusted.tolist()


def test_slices_of_other_queries_are_paid_for_each() -> None:
    """Thirty slices of twelve queries each: about thirty times the p of one that all fell in."""
    sums = np.zeros((360, 30))
    for j in range(30):
        sums[12 * j : 12 * j + 12, j] = [-0.2, 0.2] * 6 if j else [-0.2] * 12

    found = flip_slices([sums], alpha=0.05, flips=20_000)

    assert found.adjusted[0] == pytest.approx(30 * 2**-12, abs=0.003)
    assert found.adjusted[1:].min() > 0.5


def test_blocks_are_flipped_on_their_own() -> None:
    """The same two slices in one block rise and fall together; in two they are two chances."""
    sums = np.array([[-0.2]] * 6 + [[0.2]])
    together = flip_slices([np.hstack([sums, sums])], alpha=0.05, flips=20_000)
    apart = flip_slices([sums, sums], alpha=0.05, flips=20_000)

    p = 8 / 2**7
    assert together.adjusted.tolist() == pytest.approx([p, p], abs=0.005)
    assert apart.adjusted.tolist() == pytest.approx([1 - (1 - p) ** 2] * 2, abs=0.008)


def test_slices_without_a_difference_and_no_slices_show_nothing() -> None:
    found = flip_slices([np.zeros((5, 3))], alpha=0.05, flips=100)

    assert found.t.tolist() == [0.0] * 3 and found.adjusted.tolist() == [1.0] * 3
    assert len(flip_slices([np.zeros((5, 0))], alpha=0.05, flips=100).adjusted) == 0


def test_what_is_too_much_to_keep_is_drawn_again_and_is_the_same() -> None:
    from engine.stats import flipped_slices

    sums = draw_sums(7, units=30, slices=40)
    kept = flip_slices([sums], alpha=0.05, flips=1_200)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flipped_slices, "_CELLS_KEPT", 0)
        again = flip_slices([sums], alpha=0.05, flips=1_200)

    assert again.adjusted.tolist() == kept.adjusted.tolist()
    assert again.levels.tolist() == kept.levels.tolist()


def test_a_level_is_what_bonferroni_would_ask_at_least_and_alpha_at_most() -> None:
    for seed in range(5):
        found = flip_slices([draw_sums(seed, units=60, slices=8)], alpha=0.05, flips=2_000)

        assert (found.levels >= 0.05 / 8 - 1e-12).all()
        assert (found.levels <= 0.05 + 1e-12).all()
