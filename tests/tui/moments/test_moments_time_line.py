"""Spans as cells, each calculated by hand; and what holds for any span."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.moments.failures.explanation import Span
from tui.moments.time_line import (
    BLOCKS,
    PLAIN,
    Ink,
    Part,
    TimeScale,
    arrange_truth,
    choose_tick_step,
    draw_ruler,
    draw_span,
    draw_truth,
    find_end,
)

TEN = TimeScale(10.0, 10)
"""A second is a cell."""

NAN = math.nan


def text(parts: tuple[Part, ...]) -> str:
    return "".join(part for part, _ in parts)


def kinds(parts: tuple[Part, ...]) -> str:
    """The kind of every cell: i inside, t inside and turned, o outside, a dot for nothing."""
    letters = {"": ".", "inside": "i", "inside-turned": "t", "outside": "o"}
    return "".join(letters[kind] * len(part) for part, kind in parts)


@pytest.mark.parametrize(
    ("span", "cells", "what"),
    [
        ((2, 6), "  ████    ", "..iiii...."),  # whole cells
        ((2, 5.5), "  ███▌    ", "..iiii...."),  # half a cell at the end
        ((2, 5.125), "  ███▏    ", "..iiii...."),  # an eighth
        ((2.25, 5), "  ▎██     ", "..tii....."),  # a quarter is empty: drawn, and turned
        ((2.5, 2.75), "  ▊       ", "..t......."),  # ends 1/4, begins 1/2: nearer to the right
        ((2.25, 2.5), "  ▎       ", "..i......."),  # a quarter of a cell, left of the middle
        ((4, 4), "    │     ", "....i....."),  # no length
        ((4, 4.01), "    █     ", "....i....."),  # less than an eighth is never nothing
        ((10, 10), "         │", ".........i"),  # at the very end
    ],
)
def test_the_truth_is_drawn_to_an_eighth_of_a_cell(span: Span, cells: str, what: str) -> None:
    parts = draw_truth([span], TEN)
    assert (text(parts), kinds(parts)) == (cells, what)


@pytest.mark.parametrize(
    ("span", "cells", "what"),
    [
        ((2, 4), "  ━━      ", "..oo......"),  # no overlap: thin
        ((2, 3.5), "  ━╸      ", "..oo......"),  # halves
        ((2.5, 4), "  ╺━      ", "..oo......"),
        ((2.6, 2.7), "  │       ", "..o......."),  # no middle of a half is covered
        ((4, 6), "    ━█    ", "....oi...."),
        ((3, 9), "   ━━███━ ", "...ooiiio."),  # around the truth
        ((0, 5.1), "━━━━━█    ", "oooooi...."),  # a tenth of a cell overlaps: thick, too
        ((7.95, 10), "       █━━", ".......ioo"),
        ((6, 7), "      █   ", "......i..."),  # within it
        ((6.5, 10), "      ▌█━━", "......tioo"),
        ((1, 1), " │        ", ".o........"),
        ((6, 6), "      │   ", "......i..."),
        ((-3, 2), "◂━        ", "oo........"),
        ((8.5, 14), "        ╺▸", "........oo"),
        ((12, 14), "         ▸", ".........o"),
        ((-9, -4), "◂         ", "o........."),
        ((9, 10.5), "         ━", ".........o"),  # less than a cell beyond the end is no news
        ((5, 2), "     │    ", ".....i...."),  # ends before it starts
        ((NAN, 2), " " * 10, "." * 10),
        ((0, math.inf), " " * 10, "." * 10),
    ],
)
def test_a_prediction_is_thick_inside_the_truth_and_thin_outside(
    span: Span, cells: str, what: str
) -> None:
    parts = draw_span(span, [(5, 8)], TEN)
    assert (text(parts), kinds(parts)) == (cells, what)


@pytest.mark.parametrize(
    ("span", "cells"),
    [
        ((3, 9), "   --===- "),
        ((2.4, 4.6), "  ---     "),  # cells of which half is covered
        ((6, 6), "      |   "),
        ((6.1, 6.3), "      =   "),
        ((4.9, 5.2), "     =    "),  # two tenths of a cell overlap
        ((-3, 14), "<----===->"),
    ],
)
def test_plain_bars_are_of_plain_characters(span: Span, cells: str) -> None:
    assert text(draw_span(span, [(5, 8)], TEN, PLAIN)) == cells


def test_parts_inside_any_of_several_spans_are_thick() -> None:
    assert text(draw_span((0, 10), [(1, 3), (2, 4), (8, 9)], TEN)) == "━███━━━━█━"


def test_spans_on_one_line_keep_their_places() -> None:
    assert text(draw_truth([(0, 2), (5, 7.5)], TEN)) == "██   ██▌  "


def test_a_line_without_cells_is_empty() -> None:
    assert draw_span((1, 2), [(1, 2)], TimeScale(10.0, 0)) == ()


@pytest.mark.parametrize(
    ("duration", "truth", "predicted", "end"),
    [
        (90.0, [(30, 40)], [(0, 500)], 90.0),  # a prediction never stretches a known video
        (90.0, [(80, 95)], [], 95.0),  # the truth does
        (NAN, [(30, 40)], [(0, 50)], 50.0),
        (NAN, [(30, 40)], [(0, 30)], 40.0),
        (NAN, [(30, 40)], [(0, 1e9)], 120.0),  # not beyond three times the truth
        (NAN, [], [], 1.0),
        (NAN, [(0, 0)], [(0, 7)], 7.0),
        (0.0, [(0, 0)], [], 1.0),  # a scale is never without length
    ],
)
def test_the_scale_ends_where_the_video_does(
    duration: float, truth: list[Span], predicted: list[Span], end: float
) -> None:
    assert find_end(duration, truth, predicted) == end


@pytest.mark.parametrize(
    ("end", "width", "step"), [(90.0, 50, 10), (90.0, 20, 30), (22.0, 60, 2), (150.0, 40, 30)]
)
def test_ticks_are_as_close_as_their_labels_allow(end: float, width: int, step: int) -> None:
    assert choose_tick_step(TimeScale(end, width)) == step


def test_a_tick_stands_on_the_cell_of_its_second() -> None:
    line = draw_ruler(TimeScale(90.0, 45))  # two seconds are a cell
    for second in (0, 10, 20, 30, 40, 50, 60, 70):
        assert line[second // 2 :].startswith(f"│{second}")
    assert line.endswith(" 90 s") and len(line) == 45


def test_a_long_video_has_ticks_too() -> None:
    assert draw_ruler(TimeScale(1e6, 40), PLAIN).count("|") >= 2


def test_spans_that_overlap_stand_on_lines_of_their_own() -> None:
    spans: list[Span] = [(0, 10), (5, 20), (40, 50), (50, 60)]
    # 50 to 60 touches 40 to 50: on one line the two would look like one.
    assert arrange_truth(spans, 100.0) == [((0, 10), (40, 50)), ((5, 20), (50, 60))]


def test_more_lines_than_fit_are_drawn_together() -> None:
    spans: list[Span] = [(float(n), n + 50.0) for n in range(7)]
    lines = arrange_truth(spans, 100.0)
    assert [len(line) for line in lines] == [1, 1, 1, 4]


seconds = st.floats(-1e7, 1e7, allow_nan=False)
spans = st.tuples(seconds, seconds).map(lambda pair: (min(pair), max(pair)))


@given(
    spans,
    st.lists(spans, max_size=6),
    st.floats(0.1, 1e5),
    st.integers(0, 200),
    st.sampled_from([BLOCKS, PLAIN]),
)
def test_a_line_is_as_wide_as_its_scale_and_shows_what_there_is(
    span: Span, truth: list[Span], end: float, width: int, ink: Ink
) -> None:
    parts = draw_span(span, truth, TimeScale(end, width), ink)
    assert len(text(parts)) == width
    assert width == 0 or text(parts).strip()
    assert len(draw_ruler(TimeScale(end, width), ink)) == width
    touches = any(min(span[1], high) >= max(span[0], low) for low, high in truth)
    assert touches or "i" not in kinds(parts)


@given(st.lists(spans, min_size=1, max_size=30), st.floats(0.1, 1e5))
def test_every_span_of_the_truth_is_on_exactly_one_line(truth: list[Span], end: float) -> None:
    assert sorted(span for line in arrange_truth(truth, end) for span in line) == sorted(truth)
