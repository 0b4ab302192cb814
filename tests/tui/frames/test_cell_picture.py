"""Pictures in cells of two colours: the best split, few bytes, and near to the frame.

How near is measured as the mean squared error between the frame and what the terminal shows, both
brought to one fine grid of 4×12 points for each cell: it can be divided by the 2 columns and by the
2, 3 and 4 rows that cells are cut into, so that none of them is favoured, and it is finer than the
frame (200×168 points for 160×90 pixels), so that nothing of the frame is lost. The same is checked
at the frame's own pixels.
"""

from __future__ import annotations

import itertools
import math
import unicodedata

import numpy as np
import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.strip import Strip

import sample_data
from engine.media.clip import ClipMedia, read_clip
from engine.media.decoding import decode
from tui.frames.area import resize_by_area
from tui.frames.cell_glyphs import HALVES, OCTANTS, QUADRANTS, SEXTANTS, CellShape
from tui.frames.cell_picture import BYTES_PER_CELL, CellPicture, draw_cells
from tui.frames.drawn_clip import SHARP
from tui.frames.two_colours import split_cells
from tui.look.style_changes import StyleChanges
from tui.look.visible_filter import cover_hidden

CLIPS = [
    read_clip(ClipMedia(path.stem, (path,)), 1000, 1000, 240, decode).pixels
    for path in sorted((sample_data.folder() / "clips").glob("*.mp4"))[::20]
]
FRAMES = [clip[place] for clip in CLIPS for place in (0, 6)]
SHAPES = (HALVES, QUADRANTS, SEXTANTS, OCTANTS)
COLUMNS, ROWS = 50, 14
BEST = math.inf
"""Bytes per cell of a picture in which none are saved."""


def enlarge(pixels: np.ndarray, width: int, height: int) -> np.ndarray:
    """Every point has the pixel that it lies in."""
    rows, columns = pixels.shape[:2]
    y = ((np.arange(height) + 0.5) * rows / height).astype(int)
    x = ((np.arange(width) + 0.5) * columns / width).astype(int)
    return pixels[y][:, x].astype(float)


def measure_error(frame: np.ndarray, picture: CellPicture, *, own_pixels: bool = False) -> float:
    width, height = (160, 90) if own_pixels else (4 * COLUMNS, 12 * ROWS)
    wanted = frame if own_pixels else resize_by_area(frame, width, height)
    return float(np.square(enlarge(picture.pixels, width, height) - wanted).mean())


def mean_error(shape: CellShape, limit: float = BEST, **how: bool) -> float:
    drawn = [draw_cells(one, COLUMNS, ROWS, shape, bytes_per_cell=limit) for one in FRAMES]
    errors = [measure_error(frame, own, **how) for frame, own in zip(FRAMES, drawn, strict=True)]
    return float(np.mean(errors))


def sent(picture: CellPicture, *, few_colours: bool = False) -> int:
    """Bytes on the line."""
    system = ColorSystem.EIGHT_BIT if few_colours else ColorSystem.TRUECOLOR
    text = ""
    for strip in picture.write_strips(few_colours=few_colours):
        for cells, style, _ in strip:
            assert style is not None
            fresh = Style.from_color(style.color, style.bgcolor)
            text += f"\x1b[{Strip.render_ansi(fresh, system)}m{cells}\x1b[0m"
    return len(StyleChanges().shorten(text).encode())


def read_strips(strips: list[Strip], shape: CellShape, system: ColorSystem) -> np.ndarray:
    """The pixels that a terminal shows for these lines."""
    patterns = {glyph: pattern for pattern, glyph in enumerate(shape.glyphs)}
    rows = []
    for strip in strips:
        lines: list[list[tuple[int, ...]]] = [[] for _ in range(shape.rows)]
        for text, style, _ in strip:
            assert style is not None
            assert style.bgcolor is not None
            ground = tuple(style.bgcolor.downgrade(system).get_truecolor())
            ink = tuple(style.color.downgrade(system).get_truecolor()) if style.color else ground
            for glyph in text:
                for part in range(shape.parts):
                    is_ink = patterns[glyph] >> part & 1
                    lines[part // shape.columns].append(ink if is_ink else ground)
        rows += lines
    return np.array(rows)


# Characters.


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.columns}x{shape.rows}")
def test_every_pattern_has_a_character_of_its_own_one_cell_wide(shape: CellShape) -> None:
    assert len(set(shape.glyphs)) == len(shape.glyphs) == 1 << shape.parts
    assert all(unicodedata.east_asian_width(glyph) != "W" for glyph in shape.glyphs)
    assert cover_hidden(shape.glyphs) == shape.glyphs  # none is held back as hidden


def test_sextants_and_octants_stand_where_unicode_has_them() -> None:
    def octant(*parts: int) -> str:
        return OCTANTS.glyphs[sum(1 << (part - 1) for part in parts)]

    assert (SEXTANTS.glyphs[1], SEXTANTS.glyphs[62]) == ("\U0001fb00", "\U0001fb3b")
    assert SEXTANTS.glyphs[0b010101] + SEXTANTS.glyphs[0b101010] == "▌▐"
    assert unicodedata.name(SEXTANTS.glyphs[0b000111]) == "BLOCK SEXTANT-123"
    assert unicodedata.name(SEXTANTS.glyphs[0b111010]) == "BLOCK SEXTANT-2456"
    assert octant(3) == "\U0001cd00"
    assert octant(2, 3) == "\U0001cd01"
    assert octant(1, 4) == "\U0001cd04"
    assert octant(2, 3, 4, 5, 6, 7, 8) == "\U0001cde5"
    assert octant(1, 2, 4, 5, 6, 7, 8) == "\U0001cde3"
    assert octant(1, 3) + octant(2, 4) + octant(5, 6, 7, 8) == "▘▝▄"
    assert octant(1) + octant(8) + octant(3, 5) == "\U0001cea8\U0001cea0\U0001fbe6"


# The best two colours.


def find_least_error(parts: np.ndarray) -> float:
    """By trying every split of one cell, one after another."""
    least = np.square(parts - parts.mean(axis=0)).sum()
    for size in range(1, len(parts)):
        for ink in itertools.combinations(range(len(parts)), size):
            own, others = parts[list(ink)], np.delete(parts, ink, axis=0)
            error = np.square(own - own.mean(axis=0)).sum()
            error += np.square(others - others.mean(axis=0)).sum()
            least = min(least, error)
    return float(least)


@pytest.mark.parametrize("size", [2, 4, 6, 8])
def test_no_other_split_and_no_other_colours_are_nearer(size: int) -> None:
    parts = np.random.default_rng(size).integers(0, 256, (20, size, 3)).astype(np.float32)
    found = split_cells(parts)
    errors = np.square(parts).sum(axis=(1, 2)) - found.explained
    assert errors == pytest.approx([find_least_error(cell) for cell in parts], rel=1e-3, abs=0.5)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.columns}x{shape.rows}")
def test_a_picture_has_the_least_error_that_two_colours_per_cell_can_have(
    shape: CellShape,
) -> None:
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 256, (3 * shape.rows, 4 * shape.columns, 3), dtype=np.uint8)
    drawn = draw_cells(pixels, 4, 3, shape, bytes_per_cell=BEST)
    error = np.square(drawn.pixels.astype(float) - pixels).sum()
    least = sum(
        find_least_error(
            pixels[y : y + shape.rows, x : x + shape.columns].reshape(-1, 3).astype(float)
        )
        for y in range(0, len(pixels), shape.rows)
        for x in range(0, pixels.shape[1], shape.columns)
    )
    assert least <= error <= least * 1.001 + pixels.size  # colours are whole numbers


def test_two_colours_in_a_cell_are_exact() -> None:
    rng = np.random.default_rng(2)
    for shape in SHAPES:
        two = np.array([[200, 30, 60], [10, 90, 250]], np.uint8)
        pixels = two[rng.integers(0, 2, (5 * shape.rows, 9 * shape.columns))]
        assert (draw_cells(pixels, 9, 5, shape).pixels == pixels).all()


def test_what_is_written_is_what_was_drawn() -> None:
    for shape, frame in zip(SHAPES, FRAMES, strict=False):
        drawn = draw_cells(frame, COLUMNS, ROWS, shape)
        shown = read_strips(drawn.write_strips(), shape, ColorSystem.TRUECOLOR)
        assert (shown == drawn.pixels).all()
        few = draw_cells(frame, COLUMNS, ROWS, shape, few_colours=True)
        shown = read_strips(few.write_strips(few_colours=True), shape, ColorSystem.EIGHT_BIT)
        assert (shown == few.pixels).all()


# How near they are to the frame.


@pytest.mark.parametrize("own_pixels", [False, True])
@pytest.mark.parametrize(("shape", "most"), [(QUADRANTS, 0.85), (SEXTANTS, 0.70), (OCTANTS, 0.62)])
def test_finer_cells_are_nearer_to_the_frame_than_half_cells(
    shape: CellShape, most: float, own_pixels: bool
) -> None:
    halves = mean_error(HALVES, own_pixels=own_pixels)
    assert mean_error(shape, own_pixels=own_pixels) <= most * halves


@pytest.mark.parametrize(("shape", "most"), [(QUADRANTS, 0.85), (SEXTANTS, 0.70)])
def test_a_picture_that_stands_is_as_near(shape: CellShape, most: float) -> None:
    assert mean_error(shape, SHARP) <= most * mean_error(HALVES)


@pytest.mark.parametrize(("shape", "most"), [(QUADRANTS, 0.85), (SEXTANTS, 0.70)])
def test_in_as_few_bytes_half_cells_are_as_much_further_away(shape: CellShape, most: float) -> None:
    assert mean_error(shape, BYTES_PER_CELL) <= most * mean_error(HALVES, BYTES_PER_CELL)


def test_in_256_colours_the_picture_is_as_light_as_the_frame() -> None:
    for frame in FRAMES:
        drawn = draw_cells(frame, COLUMNS, ROWS, QUADRANTS, few_colours=True)
        wanted = resize_by_area(frame, 2 * COLUMNS, 2 * ROWS)
        light = (drawn.pixels - wanted) @ np.array([0.30, 0.59, 0.11])
        assert abs(light.mean()) < 4
        assert np.abs(light).mean() < 14


# Bytes.


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.columns}x{shape.rows}")
@pytest.mark.parametrize("few_colours", [False, True])
def test_a_picture_takes_no_more_bytes_than_it_may(shape: CellShape, few_colours: bool) -> None:
    for frame in FRAMES:
        drawn = draw_cells(frame, COLUMNS, ROWS, shape, few_colours=few_colours)
        assert sent(drawn, few_colours=few_colours) <= BYTES_PER_CELL * COLUMNS * ROWS


def test_noise_takes_no_more_either() -> None:
    noise = np.random.default_rng(3).integers(0, 256, (90, 160, 3), dtype=np.uint8)
    assert sent(draw_cells(noise, COLUMNS, ROWS, SEXTANTS)) <= BYTES_PER_CELL * COLUMNS * ROWS


def test_an_even_picture_is_one_run_of_spaces_per_line() -> None:
    drawn = draw_cells(np.full((90, 160, 3), 90, np.uint8), COLUMNS, ROWS, OCTANTS)
    texts = [[segment.text for segment in strip] for strip in drawn.write_strips()]
    assert texts == [[" " * COLUMNS]] * ROWS


def test_what_does_not_move_is_not_drawn_anew() -> None:
    clip = CLIPS[0]
    still = np.array([clip[0]] * 2)
    first = draw_cells(still[0], COLUMNS, ROWS, QUADRANTS)
    again = draw_cells(still[1], COLUMNS, ROWS, QUADRANTS, before=first)
    assert not again.find_changes(first).any()
    moved = still[1].copy()
    moved[40:60, 40:60] = (250, 0, 0)
    later = draw_cells(moved, COLUMNS, ROWS, QUADRANTS, before=first)
    changed = later.find_changes(first).any(axis=1)
    assert np.flatnonzero(changed).tolist() == [6, 7, 8, 9]  # the lines that it is in


def test_a_frame_that_follows_another_takes_no_more_bytes_than_one_alone() -> None:
    for clip in CLIPS:
        before = None
        for frame in clip[:6]:
            before = draw_cells(frame, COLUMNS, ROWS, QUADRANTS, before=before)
            assert sent(before) <= 1.05 * BYTES_PER_CELL * COLUMNS * ROWS


def test_a_picture_of_another_size_is_all_new() -> None:
    small, large = (draw_cells(FRAMES[0], *size, QUADRANTS) for size in ((20, 6), (50, 14)))
    assert large.find_changes(small).all()
    assert large.find_changes(None).all()


# Other sizes.


def test_means_over_areas_keep_the_sum() -> None:
    pixels = np.random.default_rng(4).integers(0, 256, (90, 160, 3), dtype=np.uint8)
    for width, height in ((100, 28), (100, 42), (7, 3), (180, 100), (160, 90)):
        small = resize_by_area(pixels, width, height)
        assert small.shape == (height, width, 3)
        assert small.mean(axis=(0, 1)) == pytest.approx(pixels.mean(axis=(0, 1)), abs=0.01)
    assert np.abs(resize_by_area(pixels, 160, 90) - pixels).max() < 0.01


def test_a_picture_of_one_pixel_and_a_clip_of_one_column_are_drawn() -> None:
    one = draw_cells(np.full((1, 1, 3), 77, np.uint8), 20, 6, SEXTANTS)
    assert (one.pixels == 77).all()
    assert draw_cells(np.zeros((500, 1, 3), np.uint8), 1, 14, OCTANTS).size == (1, 14)
