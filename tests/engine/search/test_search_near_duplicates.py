"""Near-duplicates: found, each pair once, above a limit that unrelated pairs do not reach."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.search import near_duplicates
from engine.search.flat import FaissIndex
from engine.search.near_duplicates import (
    LEAST_LIMIT,
    NEIGHBOURS,
    UNCALIBRATED_LIMIT,
    calibrate_limit,
    find_near_duplicates,
    find_nearest_of_others,
)


def make_clusters(rng: np.random.Generator, items: int) -> NDArray[np.float32]:
    """Scenes that differ, and clips of a scene that resemble each other."""
    scenes = rng.normal(size=(12, 24))
    return np.float32(scenes[rng.integers(12, size=items)] + 0.4 * rng.normal(size=(items, 24)))


def compute_cosines(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    units = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    cosines: NDArray[np.float64] = units @ units.T
    return cosines


def test_every_pair_above_a_limit_is_found_once_as_by_comparing_all() -> None:
    vectors = make_clusters(np.random.default_rng(0), 80)
    cosines = compute_cosines(vectors)
    limit = float(np.sort(cosines[np.triu_indices(80, 1)])[-40])  # the 40 nearest pairs

    near = find_near_duplicates(vectors, limit=limit)

    expected = {(a, b) for a, b in zip(*np.nonzero(cosines >= limit), strict=True) if a < b}
    assert {*zip(near.rows, near.others, strict=True)} == expected and len(near) == 40
    assert near.similarities == pytest.approx(cosines[near.rows, near.others], abs=1e-6)
    assert (np.diff(near.similarities) <= 1e-6).all()
    assert near.asked == near.items == 80 and near.crowded == 0


def test_planted_copies_are_found_and_nothing_else() -> None:
    rng = np.random.default_rng(1)
    vectors = make_clusters(rng, 400)
    vectors[200:210] = vectors[:10] + 0.01 * rng.normal(size=(10, 24)).astype(np.float32)
    sources = np.arange(400) // 4

    near = find_near_duplicates(vectors, sources)

    assert sorted(zip(near.rows.tolist(), near.others.tolist(), strict=True)) == [
        (n, 200 + n) for n in range(10)
    ]
    assert near.find_across(sources).all() and near.limit.sampled == 400


def test_copies_do_not_move_the_limit_that_finds_them() -> None:
    rng = np.random.default_rng(2)
    clean = make_clusters(rng, 400)
    leaked = clean.copy()
    leaked[250:] = clean[:150]  # three of four have a copy

    found = [find_near_duplicates(vectors) for vectors in (clean, leaked)]

    distances = [1 - near.limit.cosine for near in found]
    assert 1 / 3 < distances[1] / distances[0] < 3
    assert [len(near) for near in found] == [0, 150]


def test_where_nothing_is_a_copy_nearly_nothing_is_called_one() -> None:
    alarms = 0
    for seed in range(200):
        vectors = np.random.default_rng(seed).normal(size=(120, 8))
        cosines = compute_cosines(np.float32(vectors))
        np.fill_diagonal(cosines, -1)
        alarms += calibrate_limit(cosines.max(axis=1), 120).cosine <= cosines.max()

    # 5 of 100 are meant; of pairs there are half as many as of neighbours, and 8 dimensions curve.
    assert alarms <= 0.1 * 200


def test_the_limit_by_hand() -> None:
    # ln(1 − cosine) has median −2 and upper quartile −1.8: δ = ln 2 / 0.2.
    distances = np.exp([-3.0] * 49 + [-2.0] * 3 + [-1.8] * 48)
    limit = calibrate_limit(1 - distances, 1_000)
    rho = np.exp(-2.0) / np.log(2) ** (0.2 / np.log(2))

    assert limit.dimensions == pytest.approx(np.log(2) / 0.2)
    assert LEAST_LIMIT < limit.cosine < 1
    assert 1 - np.exp(-(((1 - limit.cosine) / rho) ** limit.dimensions)) == pytest.approx(5e-5)


def test_however_far_apart_all_are_what_is_not_alike_is_no_duplicate() -> None:
    vectors = np.random.default_rng(3).normal(size=(200, 384)).astype(np.float32)
    vectors[1] = vectors[0] + 0.8 * vectors[1]  # a cosine of about 0.8: related, but no copy

    near = find_near_duplicates(vectors)

    assert near.limit.cosine == LEAST_LIMIT and len(near) == 0


def test_the_nearest_of_another_source_equals_a_plain_loop() -> None:
    rng = np.random.default_rng(4)
    vectors, sources = make_clusters(rng, 150), rng.integers(6, size=150)
    cosines = compute_cosines(vectors)
    rows = np.arange(0, 150, 3)

    found = find_nearest_of_others(FaissIndex(vectors), vectors, sources, rows)

    expected = [cosines[row][sources != sources[row]].max() for row in rows]
    assert found == pytest.approx(expected, abs=1e-6)


def test_of_one_source_there_is_no_other_to_calibrate_on() -> None:
    vectors = make_clusters(np.random.default_rng(5), 50)

    near = find_near_duplicates(vectors, np.zeros(50, np.int64))

    assert near.limit.cosine == UNCALIBRATED_LIMIT and near.limit.sampled == 0


def test_a_row_of_zeros_is_like_nothing() -> None:
    vectors = np.float32([[0, 0], [1, 0], [0, 0], [2, 0]])

    near = find_near_duplicates(vectors)

    assert near.rows.tolist() == [1] and near.others.tolist() == [3]
    assert len(find_near_duplicates(np.zeros((4, 2), np.float32))) == 0


def test_many_copies_of_one_are_crowded_and_that_is_known() -> None:
    copies = np.repeat(np.float32([[1, 2, 3]]), NEIGHBOURS + 5, axis=0)
    vectors = np.concatenate([copies, make_clusters(np.random.default_rng(6), 40)[:, :3]])

    near = find_near_duplicates(vectors, limit=0.999999)

    assert near.crowded == NEIGHBOURS + 5


def test_where_all_would_take_too_long_some_are_drawn_and_the_same_ones_again() -> None:
    vectors = make_clusters(np.random.default_rng(7), 3_000)
    vectors[1_500:] = vectors[:1_500]

    drawn = [find_near_duplicates(vectors, limit=0.9999, work=1) for _ in range(2)]

    assert drawn[0].asked == 1_000 and drawn[0].items == drawn[0].searched == 3_000
    assert 700 < len(drawn[0]) <= 1_000 and (drawn[0].others - drawn[0].rows == 1_500).all()
    assert np.array_equal(drawn[0].rows, drawn[1].rows)


def test_among_too_many_some_are_searched_and_are_called_by_their_own_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(near_duplicates, "MOST_ITEMS_SEARCHED", 200)
    vectors = make_clusters(np.random.default_rng(8), 300)
    vectors[150:] = vectors[:150]

    near = find_near_duplicates(vectors, limit=0.9999)

    assert (near.asked, near.searched, near.items) == (200, 200, 300)
    assert 50 <= len(near) < 150 and (near.others - near.rows == 150).all()
