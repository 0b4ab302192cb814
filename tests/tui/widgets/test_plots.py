"""Charts in characters: what is drawn where, how wide, and that nothing is said by colour alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.results.curves import Histogram
from tui.look.ascii_signs import build_ascii_table
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.widgets.bar_chart import Bars, draw_bar_chart
from tui.widgets.line_chart import Series, draw_line_chart
from tui.widgets.lines_view import Line, wrap
from tui.widgets.plot_pane import draw_plots, join_blocks
from tui.work.curves import Curves, MeanByK

BOTH = pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
KS = (1, 2, 3, 4, 5)
FALLING = Series("old", (0.8, 0.6, 0.4, 0.2, 0.0))
RISING = Series("new", (0.0, 0.2, 0.4, 0.6, 0.8))


def texts(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _ in line.spans) for line in lines]


def column(rows: list[str], sign: str) -> list[tuple[int, int]]:
    """Where a sign stands in a chart, without its legend: (column, row)."""
    return sorted((x, y) for y, row in enumerate(rows) for x, one in enumerate(row) if one == sign)


@BOTH
def test_a_falling_line_goes_down_and_a_rising_one_up(glyphs: Glyphs) -> None:
    rows = texts(draw_line_chart("Recall@k", KS, [FALLING, RISING], 40, 12, glyphs))
    chart, legend = rows[1:-4], rows[-3:-1]

    down, up = (column(chart, glyphs.markers[n]) for n in (0, 1))
    assert [y for _, y in down] == sorted(y for _, y in down)
    assert [y for _, y in up] == sorted((y for _, y in up), reverse=True)
    assert len(down) == len(up) == 4
    assert len(column(chart, glyphs.together)) == 1  # at k = 3 they meet
    assert legend[0].startswith(f"{glyphs.markers[0]} old")
    assert legend[1].startswith(f"{glyphs.markers[1]} new")
    assert rows[-1] == f"{glyphs.together} old and new at k = 3"


@BOTH
def test_lines_that_lie_on_one_another_are_named(glyphs: Glyphs) -> None:
    same = Series("same", FALLING.values)

    rows = texts(draw_line_chart("Recall@k", KS, [FALLING, same], 40, 12, glyphs))
    apart = texts(draw_line_chart("Recall@k", (1, 2), [Series("a", (1, 1)), Series("b", (0, 0))],
                                  40, 12, glyphs))  # fmt: skip

    assert rows[-1] == f"{glyphs.together} old and same at every k"
    assert len(rows) == 12
    assert not apart[-1].startswith(glyphs.together)


@BOTH
def test_what_is_said_of_points_that_meet_is_whole_on_as_many_lines_as_it_takes(
    glyphs: Glyphs,
) -> None:
    names = ("Recall@k", "Precision@k", "NDCG@k")
    series = [Series(name, (0.5, 0.1 * n, 0.5, 0.1 * n)) for n, name in enumerate(names)]

    rows = texts(draw_line_chart("Means by k", (1, 2, 3, 5), series, 34, 12, glyphs))

    start = next(n for n, row in enumerate(rows) if row.startswith(f"{glyphs.together} "))
    said = " ".join(row.strip() for row in rows[start:])
    assert said == f"{glyphs.together} Recall@k and Precision@k and NDCG@k at k = 1, 3"
    assert max(map(len, rows)) <= 34


@BOTH
def test_an_axis_and_its_values_are_named_and_spelled_as_asked(glyphs: Glyphs) -> None:
    shares = Series("r1", (100.0, 50.0, 0.0))

    rows = texts(
        draw_line_chart(
            "R@k", (0.5, 0.7, 0.9), [shares], 30, 9, glyphs, upright="%", level="IoU",
            spell=lambda value, _: f"{value:.0f}",
        )
    )  # fmt: skip

    assert [row.split() for row in rows[-2:]] == [
        ["IoU", "0.5", "0.7", "0.9"],
        [glyphs.markers[0], "r1", "100", "50", "0"],
    ]
    assert rows[2].lstrip().startswith("%")
    edges = [row[5] for row in rows[1:-3]]  # beside "100.0", too
    assert set(edges) == {glyphs.axis[0], glyphs.axis[1]}


@BOTH
def test_lines_differ_by_their_dots_where_there_is_no_colour(glyphs: Glyphs) -> None:
    def dots(number: int) -> int:
        series = [Series(str(n), (math.nan, math.nan)) for n in range(3)]
        series[number] = Series("level", (0.5, 0.5))
        rows = texts(draw_line_chart("m", (1, 2), series, 60, 12, glyphs))
        drawn = "".join(rows[1:-5])
        braille = sum(
            (ord(one) - 0x2800).bit_count() for one in drawn if 0x2800 < ord(one) < 0x2900
        )
        return braille + drawn.count(".") * bool(glyphs.trace)

    solid, dashed, long = map(dots, range(3))

    assert solid > long > dashed > 0


@BOTH
def test_both_axes_say_what_they_measure(glyphs: Glyphs) -> None:
    lines = texts(draw_line_chart("Recall@k", KS, [FALLING], 40, 12, glyphs))
    bars = texts(draw_bar_chart("Similarity", (0.0, 0.5, 1.0), [Bars("hits", "hit", (1, 3))], 40, 8,
                                glyphs))  # fmt: skip

    assert any(line.lstrip().startswith("mean") for line in lines)
    assert lines[-2].split()[0] == "k"
    assert "tallest bar 3 results" in bars[0]
    assert " similarity " in bars[-2]


@BOTH
def test_every_value_stands_below_its_point_in_digits(glyphs: Glyphs) -> None:
    rows = texts(draw_line_chart("Recall@k", KS, [FALLING], 40, 12, glyphs))

    assert rows[-2].split() == ["k", "1", "2", "3", "4", "5"]
    assert rows[-1].split()[2:] == ["0.80", "0.60", "0.40", "0.20", "0.00"]
    for k, (x, _) in enumerate(column(rows[1:-3], glyphs.markers[0]), start=1):
        assert rows[-2][x] == str(k)


@BOTH
def test_where_there_is_no_room_some_values_are_left_out_but_never_the_last(
    glyphs: Glyphs,
) -> None:
    many = tuple(range(1, 31))
    values = tuple(k / 30 for k in many)

    rows = texts(draw_line_chart("Recall@k", many, [Series("m", values)], 40, 10, glyphs))

    numbers = rows[-2].split()[1:]
    assert (numbers[0], numbers[-1]) == ("1", "30") or numbers == ["30"]
    assert rows[-1].split()[-1] == "1.00"
    assert len(rows[-1].split()) - 2 == len(numbers)


def test_the_upright_axis_begins_at_nothing_and_says_what_it_is_at_the_top_and_the_middle() -> None:
    values = (0.61, 0.62, 0.63, 0.64, 0.65)

    rows = texts(draw_line_chart("Recall@k", KS, [Series("m", values)], 40, 11, UNICODE))

    labels = [row.partition("┤")[0].strip() for row in rows if "┤" in row]
    assert labels == ["0.7", "0.35", "0.0"]


@BOTH
def test_a_value_that_is_not_defined_is_a_dash_and_no_point(glyphs: Glyphs) -> None:
    gap = Series("m", (0.5, math.nan, 0.5))

    rows = texts(draw_line_chart("Recall@k", (1, 2, 3), [gap], 40, 10, glyphs))

    assert len(column(rows[1:-3], glyphs.markers[0])) == 2
    assert rows[-1].split()[2:] == ["0.50", glyphs.dash, "0.50"]


def test_nothing_to_draw_is_said() -> None:
    empty = draw_line_chart("Recall@k", KS, [Series("m", (math.nan,) * 5)], 40, 10, UNICODE)

    assert texts(empty) == ["Recall@k", "no query counts"]
    assert texts(
        draw_bar_chart("Similarity", (0.0, 1.0), [Bars("hits", "hit", (0,))], 40, 9, UNICODE)
    )[1] == ("no result was kept")


def test_a_formula_that_does_not_fit_loses_its_explanation_first() -> None:
    formula = "DCG@k / ideal DCG@k, DCG = a sum"

    wide, narrow = (
        texts(draw_line_chart("NDCG@k", KS, [FALLING], width, 9, UNICODE, formula))[0]
        for width in (60, 36)
    )

    assert wide == f"NDCG@k = {formula}"
    assert narrow == "NDCG@k = DCG@k / ideal DCG@k"


@BOTH
def test_bars_are_as_high_as_their_counts_on_one_scale(glyphs: Glyphs) -> None:
    rows = [Bars("hits", "hit", (0, 1, 8)), Bars("misses", "miss", (16, 4, 0))]

    drawn = texts(draw_bar_chart("Similarity", (0.0, 0.1, 0.2, 0.3), rows, 32, 7, glyphs))

    hits, misses = drawn[1:3], drawn[3:5]
    full = glyphs.steps[-1]
    assert "tallest 16" in drawn[0]
    assert "".join(hits).count(full) == 8  # one of two rows, one bin of three
    assert "".join(misses).count(full) == 16
    assert glyphs.steps[0] in hits[1]  # one is little, but never nothing
    assert hits[0].startswith("hits")
    assert hits[1].startswith("9 ")
    assert misses[1].startswith("20 ")
    assert drawn[-1].split() == ["0.00", "0.20", "0.30"]


def test_too_many_bins_for_the_room_become_fewer_and_no_count_is_lost() -> None:
    counts = tuple(range(64))
    edges = tuple(n / 64 for n in range(65))

    drawn = texts(draw_bar_chart("Similarity", edges, [Bars("hits", "hit", counts)], 30, 6, ASCII))

    assert max(map(len, drawn)) <= 30
    assert drawn[2].startswith(f"{sum(counts):,}")
    assert drawn[-1].split()[0] == "0.00"
    assert drawn[-1].split()[-1] == "1.00"


def curves(model: str, shift: float = 0.0) -> Curves:
    by_k = tuple(
        MeanByK(label, "hits@k / k", KS, tuple(value + shift for value in FALLING.values))
        for label in ("Recall@k", "Precision@k", "NDCG@k")
    )
    found = Histogram(np.linspace(0, 1, 21), np.arange(20), np.arange(20)[::-1])
    return Curves(model, 52, by_k, found)


@BOTH
@pytest.mark.parametrize("models", [1, 2])
@given(width=st.integers(36, 200), height=st.integers(5, 60))
def test_the_pane_never_draws_beyond_its_width(
    glyphs: Glyphs, models: int, width: int, height: int
) -> None:
    many = [curves("alfa-0.1"), curves("a model with a rather long name", 0.1)][:models]

    lines = draw_plots(many, width, height, glyphs)

    # The line of formulas may be wrapped; what is drawn may not.
    drawn = [text for text in texts(lines) if not text.startswith("Means of")]
    drawn = drawn[:-1] if models == 1 else drawn
    assert max(map(cell_len, drawn)) <= width
    for line in lines[1 : 1 + len(drawn)]:
        assert len(wrap(line, width)) == 1


def test_two_models_have_one_chart_for_each_metric_with_a_point_and_a_name_for_each() -> None:
    drawn = "\n".join(texts(draw_plots([curves("old"), curves("new", 0.1)], 120, 30, UNICODE)))

    for label in ("Recall@k", "Precision@k", "NDCG@k", "Similarity, old", "Similarity, new"):
        assert label in drawn
    assert drawn.count("● old") == drawn.count("○ new") == 3
    assert "52 queries that count" in drawn


def test_in_ascii_everything_is_ascii_already() -> None:
    drawn = "\n".join(texts(draw_plots([curves("old"), curves("new", 0.1)], 100, 30, ASCII)))

    assert drawn.isascii()
    assert drawn.translate(build_ascii_table()) == drawn


def test_blocks_side_by_side_begin_at_the_same_column() -> None:
    left, right = [Line.of("a"), Line.of("bb")], [Line.of("c"), Line.of("d"), Line.of("e")]

    assert texts(join_blocks([left, right], 4, gap=2)) == ["a     c", "bb    d", "      e"]


def test_the_same_arrays_give_the_same_lines() -> None:
    once, again = (draw_plots([curves("old"), curves("new", 0.1)], 90, 20, UNICODE) for _ in "12")

    assert once == again
