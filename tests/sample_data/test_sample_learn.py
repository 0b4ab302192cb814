"""The learning code learns, and each model sees only what it is said to see."""

import numpy as np
import pytest

from sample_data.features import (
    APPEARANCE,
    MIDDLE,
    MOTION,
    SEEN,
    View,
    appearance,
    glance,
    learn_filters,
    motion,
    responses,
)
from sample_data.learn import VIEWS, fit, fit_ridge, unit
from sample_data.render import Frames


def clips(count: int, seed: int = 0) -> Frames:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (count, len(SEEN), 45, 80, 3), dtype=np.uint8)


def test_a_glance_halves_the_chosen_frames() -> None:
    frames = np.arange(12, dtype=np.uint8)[:, None, None, None] * np.ones((1, 90, 160, 3), np.uint8)
    seen = glance(frames)
    assert seen.shape == (len(SEEN), 45, 80, 3)
    assert [int(frame.mean()) for frame in seen] == list(SEEN)


def test_appearance_is_blind_to_all_frames_but_one() -> None:
    one = clips(2)
    other = clips(2, seed=1)
    other[:, MIDDLE] = one[:, MIDDLE]
    assert np.array_equal(appearance(one), appearance(other))
    assert not np.array_equal(motion(one), motion(other))


def test_motion_of_a_frozen_clip_is_zero() -> None:
    frozen = np.repeat(clips(2)[:, :1], len(SEEN), axis=1)
    assert not motion(frozen).any()


def test_only_the_second_model_sees_motion() -> None:
    assert VIEWS["alfa-0.1"] == (APPEARANCE,)
    assert VIEWS["alfa-0.2"] == (APPEARANCE, MOTION)
    assert (APPEARANCE.look, MOTION.look) == (appearance, motion)


def test_ridge_finds_a_linear_map_and_measures_itself_on_held_out_rows() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(400, 30)).astype(np.float32)
    targets = (features @ rng.normal(size=(30, 5)) + 3).astype(np.float32)
    model = fit_ridge(features, targets)
    assert model.explained > 0.9
    noise = fit_ridge(features, rng.normal(size=(400, 5)).astype(np.float32))
    assert noise.explained < 0.1


def test_ridge_equals_the_textbook_solution() -> None:
    rng = np.random.default_rng(4)
    features = rng.normal(size=(60, 8)).astype(np.float32)
    targets = rng.normal(size=(60, 3)).astype(np.float32)
    model = fit_ridge(features, targets)
    rows = ((features - model.centre) / model.scale).astype(np.float64)
    normal = rows.T @ rows + model.penalty * np.eye(8)
    expected = np.linalg.solve(normal, rows.T @ (targets - targets.mean(axis=0)))
    assert np.allclose(model.weights, expected, atol=1e-4)


@pytest.mark.slow
def test_a_model_gives_unit_vectors_and_the_same_ones_again() -> None:
    training, targets = clips(24), unit(np.random.default_rng(3).normal(size=(24, 6)))
    view = View(appearance, filters=4, faint=10.0)
    first, second = (fit((view,), training, targets).embed(clips(3, 9)) for _ in range(2))
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)
    assert np.array_equal(first, second)


@pytest.mark.slow
def test_responses_are_where_the_edge_is() -> None:
    pictures = np.full((2, 45, 80, 3), 90, dtype=np.float32)
    pictures[1, :, 10:] = 200
    noise = np.random.default_rng(0).normal(0, 40, (4, 45, 80, 3)).astype(np.float32)
    flat, edge = responses(pictures, learn_filters(noise, count=8, faint=10.0)).reshape(2, 5, 8, -1)
    change = np.abs(edge - flat).sum(axis=(0, 2))
    assert change.argmax() in (0, 1)
    assert change[4:].max() < 0.01 * change.max() + 1e-6
