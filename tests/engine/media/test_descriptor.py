"""The descriptor says what is seen and where, whatever the size and number of frames."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PIL import Image

from engine.media.descriptor import (
    COLOUR_BLOCK,
    COLUMNS,
    DESCRIPTOR_SIZE,
    DIRECTIONS,
    EDGE_BLOCK,
    LINES,
    MOTION_BLOCK,
    convert_to_oklab,
    describe_frames,
    standardise_descriptors,
)

WIDTH, HEIGHT = 48, 32  # what is looked at: of this size nothing is averaged beforehand
CELLS = COLUMNS * LINES


def colours(frames: np.ndarray) -> np.ndarray:
    block = describe_frames(frames)[COLOUR_BLOCK].reshape(LINES, COLUMNS, 3)
    return block * math.sqrt(CELLS) + (0.5, 0.0, 0.0)


def edges(frames: np.ndarray) -> np.ndarray:
    block = describe_frames(frames)[EDGE_BLOCK].reshape(LINES, COLUMNS, DIRECTIONS)
    return block * math.sqrt(CELLS)


def motion(frames: np.ndarray) -> np.ndarray:
    block = describe_frames(frames)[MOTION_BLOCK].reshape(LINES, COLUMNS)
    return block * math.sqrt(CELLS)


def noise(count: int = 3, height: int = HEIGHT, width: int = WIDTH, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, height, width, 3), dtype=np.uint8)


def grey(values: np.ndarray) -> np.ndarray:
    """One frame of these lightnesses."""
    return np.repeat(values.astype(np.uint8)[None, :, :, None], 3, axis=-1)


def stripes(turns: int) -> np.ndarray:
    """Soft stripes whose lightness changes across (0), diagonally (1), down (2), … in 45° steps."""
    down, across = np.mgrid[:HEIGHT, :WIDTH]
    angle = turns * math.pi / 4
    return grey(127 + 80 * np.sin((across * math.cos(angle) + down * math.sin(angle)) * 0.6))


def square(left: int, top: int, size: int = 6) -> np.ndarray:
    picture = np.full((HEIGHT, WIDTH), 40)
    picture[top : top + size, left : left + size] = 220
    return grey(picture)


# Colours.


def test_a_solid_colour_is_its_oklab_value_in_every_cell() -> None:
    red = np.zeros((2, 20, 30, 3), np.uint8)
    red[..., 0] = 255

    published = np.tile([0.6280, 0.2249, 0.1258], (LINES, COLUMNS, 1))
    assert colours(red) == pytest.approx(published, abs=1e-3)
    assert not describe_frames(red)[EDGE_BLOCK.start :].any()


@pytest.mark.parametrize(
    ("stored", "lab"),
    [
        ((0, 0, 0), (0.0, 0.0, 0.0)),
        ((255, 255, 255), (1.0, 0.0, 0.0)),
        ((0, 255, 0), (0.8664, -0.2339, 0.1795)),
        ((0, 0, 255), (0.4520, -0.0325, -0.3115)),
    ],
)
def test_oklab_is_as_it_is_published(stored: tuple[int, ...], lab: tuple[float, ...]) -> None:
    assert convert_to_oklab(np.array(stored, np.float64)) == pytest.approx(lab, abs=2e-4)


@pytest.mark.parametrize("times", [1, 2, 5])
def test_the_colour_layout_is_that_of_pillows_box_filter(times: int) -> None:
    frame = noise(1, HEIGHT * times, WIDTH * times)[0]

    boxes = Image.fromarray(frame).resize((COLUMNS, LINES), Image.Resampling.BOX)

    rounding = 0.004  # Pillow rounds to whole numbers
    assert colours(frame[None]) == pytest.approx(convert_to_oklab(np.asarray(boxes)), abs=rounding)


def test_a_colour_counts_in_its_own_cell() -> None:
    picture = np.full((1, HEIGHT, WIDTH, 3), 128, np.uint8)
    picture[:, 8:16, 16:24] = (255, 0, 0)

    differs = np.abs(colours(picture) - colours(picture[:, :8, :8])).max(axis=-1) > 1e-3

    assert np.argwhere(differs).tolist() == [[1, 2]]


# Edges.


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_edges_tell_which_way_stripes_run(turns: int) -> None:
    inner = edges(stripes(turns))[1:-1, 1:-1]  # at the border differences have one side

    assert (inner.argmax(axis=-1) == 2 * turns).all()
    assert (inner.max(axis=-1) > 0.1).all()
    across = edges(stripes((turns + 2) % 4))[1:-1, 1:-1]
    assert (across[..., 2 * turns] < inner[..., 2 * turns] / 3).all()


def test_edges_are_those_of_a_plain_loop() -> None:
    frames = noise(2)
    lightness = convert_to_oklab(frames.astype(np.float64))[..., 0]

    sums = np.zeros((LINES, COLUMNS, DIRECTIONS))
    for picture in lightness:
        for y in range(HEIGHT):
            for x in range(WIDTH):
                above, below = max(y - 1, 0), min(y + 1, HEIGHT - 1)
                left, right = max(x - 1, 0), min(x + 1, WIDTH - 1)
                gy = (picture[below, x] - picture[above, x]) / (below - above)
                gx = (picture[y, right] - picture[y, left]) / (right - left)
                angle = math.degrees(math.atan2(gy, gx)) % 180.0
                for direction in range(DIRECTIONS):
                    away = abs(angle - 22.5 * direction)
                    away = min(away, 180.0 - away)
                    share = max(0.0, 1.0 - away / 22.5)
                    sums[y // 8, x // 8, direction] += share * math.hypot(gx, gy)
    expected = np.sqrt(sums / (len(frames) * 64))

    assert edges(frames) == pytest.approx(expected, abs=1e-6)


def test_a_pattern_that_is_shifted_within_a_cell_has_nearly_the_same_edges() -> None:
    one, shifted = edges(square(17, 9)).ravel(), edges(square(18, 9)).ravel()
    elsewhere = edges(square(41, 25)).ravel()

    def cosine(left: np.ndarray, right: np.ndarray) -> float:
        return float(left @ right / np.linalg.norm(left) / np.linalg.norm(right))

    assert cosine(one, shifted) > 0.75
    assert cosine(one, elsewhere) < 0.1


# Motion.


def test_motion_is_where_a_square_moves_and_nowhere_else() -> None:
    frames = np.concatenate([square(17 + step, 9, 4) for step in range(3)])

    found = motion(frames)

    assert np.argwhere(found > 0).tolist() == [[1, 2]]
    lightness = convert_to_oklab(np.array([[40.0] * 3, [220.0] * 3]))[:, 0]
    changed = 2 * 4 / 64  # of a cell's pixels: one line of four before the square, one behind it
    assert found[1, 2] == pytest.approx(math.sqrt(changed * (lightness[1] - lightness[0])))


def test_one_frame_and_many_alike_have_no_motion() -> None:
    assert not motion(noise(1)).any()
    assert not motion(np.repeat(noise(1), 7, axis=0)).any()


# What does not matter.


@pytest.mark.parametrize(("down", "across"), [(2, 2), (3, 3), (1, 4), (5, 2)])
def test_the_size_and_the_aspect_ratio_of_frames_do_not_matter(down: int, across: int) -> None:
    frames = noise()
    larger = frames.repeat(down, axis=1).repeat(across, axis=2)

    assert describe_frames(larger) == pytest.approx(describe_frames(frames), abs=1e-6)


@pytest.mark.parametrize(("height", "width"), [(54, 96), (27, 48), (100, 75)])
def test_a_scene_that_was_made_smaller_by_averaging_looks_the_same(height: int, width: int) -> None:
    down, across = np.mgrid[:540, :960] / 540
    scene = 255 * np.stack([down, across / 2, (np.sin(9 * across + 4 * down) + 1) / 2], axis=-1)
    whole = Image.fromarray(scene.astype(np.uint8))

    small = np.asarray(whole.resize((width, height), Image.Resampling.BOX))

    one, other = describe_frames(np.asarray(whole)[None]), describe_frames(small[None])
    assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.995


@pytest.mark.parametrize("count", [2, 3, 8])
def test_how_often_a_still_is_repeated_does_not_matter(count: int) -> None:
    still = noise(1)

    assert describe_frames(still.repeat(count, axis=0)) == pytest.approx(
        describe_frames(still), abs=1e-6
    )


@pytest.mark.parametrize("shape", [(1, 1, 1, 3), (9, 1, 200, 3), (2, 7, 5, 3), (1, 4000, 3, 3)])
def test_the_descriptor_is_as_long_for_frames_of_any_shape(shape: tuple[int, ...]) -> None:
    described = describe_frames(np.full(shape, 90, np.uint8))

    assert described.shape == (DESCRIPTOR_SIZE,)
    assert described.dtype == np.float32
    assert np.isfinite(described).all()


@pytest.mark.parametrize("shape", [(0, 8, 8, 3), (1, 0, 8, 3), (1, 8, 8, 4), (8, 8, 3)])
def test_what_is_no_frames_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="frames are"):
        describe_frames(np.zeros(shape, np.uint8))


def test_the_same_frames_have_the_same_bytes() -> None:
    assert describe_frames(noise()).tobytes() == describe_frames(noise()).tobytes()


# Standardised.


def descriptors(count: int = 40) -> np.ndarray:
    rng = np.random.default_rng(2)
    return rng.normal(size=(count, DESCRIPTOR_SIZE)).astype(np.float32)


def test_standardised_rows_are_those_of_the_formula() -> None:
    rows = descriptors().astype(np.float64)

    centred = rows - rows.mean(axis=0)
    parts = [centred[:, block] for block in (COLOUR_BLOCK, EDGE_BLOCK, MOTION_BLOCK)]
    parts = [part / np.sqrt((np.linalg.norm(part, axis=1) ** 2).mean()) for part in parts]
    expected = np.concatenate(parts, axis=1)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)

    assert standardise_descriptors(rows.astype(np.float32)) == pytest.approx(expected, abs=1e-5)


def test_what_all_clips_share_does_not_count() -> None:
    shared = np.random.default_rng(3).normal(scale=5, size=DESCRIPTOR_SIZE).astype(np.float32)

    assert standardise_descriptors(descriptors() + shared) == pytest.approx(
        standardise_descriptors(descriptors()), abs=1e-4
    )


@pytest.mark.parametrize("block", [COLOUR_BLOCK, EDGE_BLOCK, MOTION_BLOCK])
def test_a_block_of_large_numbers_counts_no_more(block: slice) -> None:
    scaled = descriptors()
    scaled[:, block] *= 100

    assert standardise_descriptors(scaled) == pytest.approx(
        standardise_descriptors(descriptors()), abs=1e-5
    )


def test_clips_that_do_not_differ_have_no_likeness_and_no_nan() -> None:
    same = np.repeat(descriptors(1), 5, axis=0)

    assert not standardise_descriptors(same).any()
    assert not standardise_descriptors(same[:1]).any()
    assert standardise_descriptors(same[:0]).shape == (0, DESCRIPTOR_SIZE)


def test_the_descriptors_that_are_given_stay_as_they_are() -> None:
    given = descriptors()
    standardise_descriptors(given)

    assert np.array_equal(given, descriptors())
