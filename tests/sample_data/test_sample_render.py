"""The renderer draws the same scene the same way, and behaviors as different motion."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sample_data.encode import read_mp4, write_mp4, write_webp
from sample_data.render import FRAMES, Frames, render
from sample_data.scenes import Scene, draw_scene


def calm_scene(behavior: str = "traveling in same direction", **changes: object) -> Scene:
    drawn = draw_scene(np.random.default_rng(11), "small vehicle", behavior)
    plain = {"place": "urban", "night": False, "weather": "overcast", "ego": "straight"}
    flat = {"junction": False, "structure": "", "bend": 0.0, "grade": 0.0}
    main = replace(drawn.actors[0], colour=(200, 20, 20), distance=10.0, lane=0, model="car")
    return replace(drawn, actors=(main,), seed=5, **{**plain, **flat, **changes})


def red(frame: Frames) -> np.ndarray:
    wide = frame.astype(int)
    return (wide[..., 0] > wide[..., 1] + 60) & (wide[..., 0] > wide[..., 2] + 60)


def test_frames_have_the_promised_shape() -> None:
    frames = render(calm_scene())
    assert frames.shape == (FRAMES, 90, 160, 3)
    assert frames.dtype == np.uint8


def test_the_same_scene_gives_the_same_pixels() -> None:
    assert np.array_equal(render(calm_scene(), (0, 7)), render(calm_scene(), (0, 7)))


def test_a_frame_does_not_depend_on_which_others_are_drawn() -> None:
    assert np.array_equal(render(calm_scene(), (4,))[0], render(calm_scene(), (0, 4, 6))[1])


def test_another_seed_gives_another_picture() -> None:
    here, there = calm_scene(), replace(calm_scene(), seed=6)
    assert not np.array_equal(render(here, (0,)), render(there, (0,)))


def test_a_stationary_car_grows_and_a_leading_one_does_not() -> None:
    grown = {}
    for behavior in ("stationary", "traveling in same direction"):
        first, last = render(calm_scene(behavior), (0, FRAMES - 1))
        grown[behavior] = red(last).sum() / red(first).sum()
    assert grown["stationary"] > 1.8
    assert 0.6 < grown["traveling in same direction"] < 1.6


def test_a_crossing_car_moves_across_the_picture() -> None:
    early, late = render(calm_scene("straight crossing path"), (4, 7))
    side = calm_scene("straight crossing path").actors[0].side
    shift = red(late).nonzero()[1].mean() - red(early).nonzero()[1].mean()
    assert shift * side < -10


def test_a_turning_ego_pans_the_view() -> None:
    still = calm_scene()
    moved = {
        ego: np.abs(np.diff(render(replace(still, ego=ego), (5, 7)).astype(float), axis=0)).mean()
        for ego in ("straight", "turning")
    }
    assert moved["turning"] > 1.5 * moved["straight"]


def test_night_is_darker_than_day() -> None:
    day, night = (render(calm_scene(night=n), (3,)).mean() for n in (False, True))
    assert night < 0.6 * day


@pytest.mark.parametrize("place", ["urban", "highway", "rural", "parking lot", "test track"])
def test_every_place_can_be_drawn(place: str) -> None:
    frame = render(calm_scene(place=place), (0,))
    assert frame.std() > 20


@pytest.mark.parametrize("structure", ["tunnel", "bridge"])
def test_structures_change_the_picture(structure: str) -> None:
    plain, built = (render(calm_scene(structure=s), (0,)).astype(int) for s in ("", structure))
    assert np.abs(plain - built).mean() > 10


def test_mp4_comes_back_close_to_what_was_drawn(tmp_path: Path) -> None:
    frames = render(calm_scene())
    write_mp4(tmp_path / "a.mp4", frames)
    write_mp4(tmp_path / "b.mp4", frames)
    decoded = read_mp4(tmp_path / "a.mp4")
    assert decoded.shape == frames.shape
    assert np.abs(decoded.astype(int) - frames).mean() < 6
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_webp_is_animated(tmp_path: Path) -> None:
    write_webp(tmp_path / "a.webp", render(calm_scene()))
    with Image.open(tmp_path / "a.webp") as clip:
        assert (clip.n_frames, clip.size) == (FRAMES, (160, 90))
