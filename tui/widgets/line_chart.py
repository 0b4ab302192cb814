"""Charts in characters: values by k as lines. Arrays in, lines of text out.

A line is known by its point, its dots and its name, never by its colour alone; where points fall on
one cell, it is said whose they are; and every value that is drawn stands below in digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from tui.look.glyphs import Glyphs
from tui.look.score_text import format_value
from tui.widgets.line_layout import fit
from tui.widgets.lines_view import Line, TextSpan, cut_spans, wrap

INKS = ("one", "two", "three")
"""What the lines of a chart are painted in, in their order."""

_DASHES = ((1, 0), (2, 2), (4, 2), (1, 3))
"""Dots of a line that are drawn, and that are left out, by turns; one pair for each line."""

_NAME_MOST = 14
_LEAST_ROWS = 3
_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a Braille cell, by row and column."""


def _spell(value: float, glyphs: Glyphs) -> str:
    return format_value(value, glyphs, 2)


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: a name, and a value for each k; NaN is not drawn."""

    name: str
    values: tuple[float, ...]


def draw_line_chart(
    title: str,
    ks: Sequence[float],
    series: Sequence[Series],
    width: int,
    height: int,
    glyphs: Glyphs,
    formula: str = "",
    upright: str = "mean",
    level: str = "k",
    spell: Callable[[float, Glyphs], str] = _spell,
) -> list[Line]:
    """A chart with its values below, `height` lines in all (or as few as it can be drawn in; more
    if it takes more to say which lines meet).

    upright, level  what the axes measure
    spell           how a value is written below its point

    The upright axis begins at 0: what looks twice as high is.

    >>> from tui.look.glyphs import ASCII
    >>> one = Series("m", (1.0, 0.5, 0.0))
    >>> for line in draw_line_chart("Recall@k", (1, 2, 3), [one], 26, 7, ASCII, "hits@k / k"):
    ...     print("".join(text for text, _ in line.spans).rstrip())
    Recall@k = hits@k / k
     1.0|  o....
     0.5|       ...o....
     0.0|               ...o
        +---------------------
      k    1       2       3
    o m  1.00    0.50    0.00
    """
    if len(f"{title} = {formula}") > width:
        formula = formula.partition(", ")[0]  # what follows explains its symbols
    head = [(title, "strong")] + ([(f" = {formula}", "dim")] if formula else [])
    title_line = Line.of(*cut_spans(head, width, glyphs.ellipsis))
    drawn = [value for one in series for value in one.values if not math.isnan(value)]
    if not drawn or not ks:
        return [title_line, Line.of(("no query counts", "dim"))]
    gutter = 2 + max(2, len(level), min(_NAME_MOST, max(len(one.name) for one in series)))
    plot = width - gutter - 1
    top = _nice_top(max(drawn))
    places = _places(len(ks), plot)
    several = len(series) > 1
    rows = max(_LEAST_ROWS, height - 3 - len(series) - several)
    lines = [title_line]
    cells = _drawn(series, places, plot, rows, top, glyphs)
    for number, row in enumerate(cells):
        share = 1 - number / (rows - 1)
        labelled = number in (0, rows - 1) or (rows % 2 == 1 and number == rows // 2)
        label = _tick(top * share) if labelled else upright[:gutter] if number == 1 else ""
        edge = glyphs.axis[1] if labelled else glyphs.axis[0]
        lines.append(Line.of((f"{label:>{gutter}}{edge}", "dim"), *row))
    numbers = [f"{k:g}" for k in ks]
    values = [[spell(value, glyphs) for value in one.values] for one in series]
    shown = _labelled(places, max(map(len, chain(numbers, *values))))
    lines += _level_axis(numbers, shown, places, plot, f"  {level:<{gutter - 2}}", glyphs)
    lines += _legend(series, values, shown, places, plot, gutter, glyphs)
    if not several:
        return lines
    # Also where nothing is said: charts side by side have their axes on one line.
    together = _describe_together(ks, series, places, rows, top, glyphs, level)
    said = Line.of((f"{glyphs.together} {together}" if together else "", "dim"), hang=2)
    return [*lines, *map(Line, wrap(said, width))]


def _level_axis(
    numbers: Sequence[str],
    shown: Sequence[int],
    places: Sequence[int],
    plot: int,
    name: str,
    glyphs: Glyphs,
) -> list[Line]:
    """The axis, and below it its name and numbers."""
    axis = [glyphs.axis[3]] * plot
    for number in shown:
        axis[places[number]] = glyphs.axis[4]
    below = _row([(places[n], numbers[n]) for n in shown], plot)
    return [
        Line.of((f"{'':>{len(name)}}{glyphs.axis[2]}{''.join(axis)}", "dim")),
        Line.of((f"{name} {below}", "dim")),
    ]


def _legend(
    series: Sequence[Series],
    values: Sequence[Sequence[str]],
    shown: Sequence[int],
    places: Sequence[int],
    plot: int,
    gutter: int,
    glyphs: Glyphs,
) -> list[Line]:
    """The point and the name of every line, and its values below their points."""
    lines = []
    for number, (one, texts) in enumerate(zip(series, values, strict=True)):
        name = fit(one.name, gutter - 2, ellipsis=glyphs.ellipsis)
        row = _row([(places[n], texts[n]) for n in shown], plot)
        ink = INKS[number % len(INKS)]
        lines.append(Line.of((_marker(number, glyphs), ink), f" {name} {row}"))
    return lines


# Parts


def _describe_together(
    ks: Sequence[float],
    series: Sequence[Series],
    places: Sequence[int],
    rows: int,
    top: float,
    glyphs: Glyphs,
    level: str,
) -> str:
    """Whose points fall on one cell, and where on the level axis; nothing: none do."""
    along = 1 if glyphs.trace else 4
    at: dict[tuple[float, int], list[str]] = {}
    for one in series:
        known = [k for k, value in zip(ks, one.values, strict=True) if not math.isnan(value)]
        points = _points(one.values, places, 1, along, rows, top)
        for k, (_, y) in zip(known, points, strict=True):
            at.setdefault((k, y // along), []).append(one.name)
    shared: dict[tuple[str, ...], list[str]] = {}
    for (k, _), names in sorted(at.items()):
        if len(names) > 1:
            shared.setdefault(tuple(names), []).append(f"{k:g}")
    return "; ".join(
        f"{' and '.join(names)} at "
        + (f"every {level}" if len(own) == len(ks) else f"{level} = {', '.join(own)}")
        for names, own in shared.items()
    )


def _nice_top(most: float) -> float:
    """The end of the upright axis: the next tenth, or the next twentieth for small values.

    >>> _nice_top(0.53), _nice_top(0.07), _nice_top(0.0), _nice_top(1.0)
    (0.6, 0.1, 0.1, 1.0)
    """
    step = 0.1 if most <= 1 else 10 ** math.floor(math.log10(most))
    return round(max(1, math.ceil(most / step - 1e-9)) * step, 10)


def _tick(value: float) -> str:
    """
    >>> _tick(0.5), _tick(0.35)
    ('0.5', '0.35')
    """
    return f"{value:.1f}" if abs(value * 10 - round(value * 10)) < 1e-9 else f"{value:.2f}"


def _places(count: int, plot: int) -> list[int]:
    """The column of each point, with room for half a value at both ends."""
    first, last = min(2, plot - 1), max(plot - 3, min(2, plot - 1))
    if count == 1:
        return [(first + last) // 2]
    step = (last - first) // (count - 1)
    if step:  # evenly, and what is over stays free
        return [first + n * step for n in range(count)]
    return [first + round(n * (last - first) / (count - 1)) for n in range(count)]


def _labelled(places: Sequence[int], wide: int) -> list[int]:
    """The points whose values, `wide` cells each, have room: the first, the last, and as many
    between as fit."""
    count = len(places)
    for step in range(1, count):
        shown = [*range(0, count - 1, step), count - 1]
        gaps = (places[b] - places[a] for a, b in pairwise(shown))
        if (count - 1) % step == 0 and min(gaps) > wide:
            return shown
    return [count - 1]


def _drawn(
    series: Sequence[Series],
    places: Sequence[int],
    plot: int,
    rows: int,
    top: float,
    glyphs: Glyphs,
) -> list[list[TextSpan]]:
    """The cells of the chart: lines, and points on top of them."""
    text = [[" "] * plot for _ in range(rows)]
    ink = [[""] * plot for _ in range(rows)]
    across, along = (1, 1) if glyphs.trace else (2, 4)
    dots = [_points(one.values, places, across, along, rows, top) for one in series]
    for number in reversed(range(len(series))):  # the first one is drawn last, on top
        drawn, gap = _DASHES[number % len(_DASHES)]
        steps = (
            dot for (x0, y0), (x1, y1) in pairwise(dots[number]) for dot in _segment(x0, y0, x1, y1)
        )
        for step, (x, y) in enumerate(steps):
            if step % (drawn + gap) < drawn:
                row, column = y // along, x // across
                if glyphs.trace:
                    text[row][column] = glyphs.trace
                else:
                    own = ord(text[row][column])
                    bits = own - _BRAILLE if own >= _BRAILLE else 0
                    text[row][column] = chr(_BRAILLE | bits | _DOTS[y % 4][x % 2])
                ink[row][column] = INKS[number % len(INKS)]
    taken: set[tuple[int, int]] = set()
    for number in reversed(range(len(series))):
        for dot_x, dot_y in dots[number]:
            x, y = dot_x // across, dot_y // along
            text[y][x] = glyphs.together if (x, y) in taken else _marker(number, glyphs)
            taken.add((x, y))
            ink[y][x] = INKS[number % len(INKS)]
    return [_spans(*row) for row in zip(text, ink, strict=True)]


def _points(
    values: Sequence[float], places: Sequence[int], across: int, along: int, rows: int, top: float
) -> list[tuple[int, int]]:
    """Where the values lie, in dots from the upper left."""
    # A cell is as good as its middle: 0 is in the middle of the lowest row, the top of the first.
    height = (rows - 1) * along
    return [
        (
            place * across + (across - 1),
            round((1 - min(max(value / top, 0.0), 1.0)) * height) + (along - 1) // 2,
        )
        for place, value in zip(places, values, strict=True)
        if not math.isnan(value)
    ]


def _segment(x0: int, y0: int, x1: int, y1: int) -> list[tuple[int, int]]:
    """The dots from one point to another."""
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    return [
        (x0 + round(n * (x1 - x0) / steps), y0 + round(n * (y1 - y0) / steps))
        for n in range(steps + 1)
    ]


def _spans(texts: Sequence[str], inks: Sequence[str]) -> list[TextSpan]:
    """Neighbours of one ink as one span."""
    spans: list[TextSpan] = []
    for text, ink in zip(texts, inks, strict=True):
        if spans and (spans[-1][1] == ink or text == " "):
            spans[-1] = (spans[-1][0] + text, spans[-1][1])
        else:
            spans.append((text, ink))
    return spans


def _row(texts: Sequence[tuple[int, str]], width: int) -> str:
    """Texts centred on their columns."""
    line = " " * width
    for place, text in texts:
        start = max(0, place - len(text) // 2)
        line = line[:start] + text + line[start + len(text) :]
    return line.rstrip()


def _marker(number: int, glyphs: Glyphs) -> str:
    return glyphs.markers[number % len(glyphs.markers)]
