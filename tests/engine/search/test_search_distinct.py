"""Rows that are the same are found, whatever their hashes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search import duplicate_rows
from engine.search.duplicate_rows import DuplicateRows


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.sampled_from(["f4", "f8"]))
def test_rows_share_a_group_exactly_if_they_are_the_same(picks: list[int], kind: str) -> None:
    kinds = np.random.default_rng(3).normal(size=(6, 4)).astype(kind)
    matrix = kinds[picks]

    copies = DuplicateRows.of(matrix)

    same = (matrix[:, None] == matrix[None]).all(axis=2)
    assert ((copies.group[:, None] == copies.group[None]) == same).all()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_groups_are_numbered_by_their_first_row_and_hold_their_rows_in_order(
    picks: list[int],
) -> None:
    copies = DuplicateRows.of(np.float32(np.eye(6))[picks])

    assert copies.first.tolist() == [picks.index(pick) for pick in dict.fromkeys(picks)]
    for group, start in enumerate(copies.starts[:-1].tolist()):
        rows = copies.rows[start : copies.starts[group + 1]].tolist()
        assert rows == [row for row, pick in enumerate(picks) if pick == picks[copies.first[group]]]
    assert copies.sizes.sum() == len(picks)


def test_two_different_rows_with_one_hash_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicate_rows, "_hashes", lambda matrix: np.zeros(len(matrix), np.uint64))

    copies = DuplicateRows.of(np.float32([[1, 2], [3, 4], [1, 2]]))

    assert copies.group.tolist() == [0, 1, 0]


def test_both_zeros_are_told_apart_by_their_bits() -> None:
    assert DuplicateRows.of(np.float32([[0.0], [-0.0]])).group.tolist() == [0, 1]


def test_rows_of_different_numbers_are_no_copies() -> None:
    assert DuplicateRows.of(np.random.default_rng(0).normal(size=(9000, 3))).are_none
