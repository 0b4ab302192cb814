"""A bar of parts that add up, each with a pattern of its own, so that grey tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.report.html.axes import (
    PlotArea,
    PlotScale,
    draw_bottom_axis,
    draw_svg,
    spread_out,
    trim,
)
from engine.report.html.text import cut_html
from engine.report.tables.numbers import format_number

_WIDTH = 386
_TOP, _HIGH, _ROW = 26, 30, 19
_LEAST_NAMED = 40.0
"""Units of the page that a number inside a part needs."""

_LINES = (
    ("s0", "M3 2V4"),
    ("s2", "M3 0V6"),
    ("s3", "M0 3H6"),
    ("s5", "M0 3H6M3 0V6"),
    ("s4", "M0 0L6 6M-1.5 4.5L1.5 7.5M4.5 -1.5L7.5 1.5"),
    ("s1", "M0 6L6 0M-1.5 1.5L1.5 -1.5M4.5 7.5L7.5 4.5"),
    ("s0", "M0 0L6 6M0 6L6 0"),
)
"""What fills the parts behind the first, which is solid: dotted, upright, level, crossed, falling,
rising, crossed aslant."""


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part: how long it is, and what is said of it behind its number in the legend.

    pattern  by which it is known: 0 is solid
    """

    label: str
    value: float
    note: str = ""
    pattern: int = 0


def draw_stacked_bar(
    name: str,
    title: str,
    parts: Sequence[BarPart],
    marks: Sequence[tuple[str, float]],
    axis: str,
) -> str:
    """The parts from 0 to 1 one after another, with marks across and a legend below.

    What has no length is drawn neither in the bar nor in the legend.
    """
    shown = [part for part in parts if part.value > 0]
    bottom = 42 + _ROW * len(shown) + 6
    frame = PlotArea(_WIDTH, _TOP + _HIGH + bottom, left=10, right=10, top=_TOP, bottom=bottom)
    x = PlotScale(0.0, 1.0, *frame.x)
    body = ["<defs>", *(_pattern(name, part.pattern) for part in shown if part.pattern), "</defs>"]
    start = 0.0
    for part in shown:
        body.append(_segment(name, part, x, start))
        start += part.value
    body += _marks(x, marks)
    body += draw_bottom_axis(frame, x, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), axis)
    for row, part in enumerate(shown):
        body += _legend(name, part, frame.y[0] + 54 + _ROW * row)
    said = "; ".join(f"{part.label} {format_number(part.value)}" for part in shown)
    more = "; ".join(f"{label} {format_number(value)}" for label, value in marks)
    return draw_svg(frame, name, title, f"{said}. {more}", body)


def _pattern(name: str, number: int) -> str:
    colour, line = _get_lines(number)
    return (
        f'<pattern id="{name}-p{number}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<path class="lines {colour}" d="{line}"/></pattern>'
    )


def _get_lines(number: int) -> tuple[str, str]:
    return _LINES[(number - 1) % len(_LINES)]


def _fill(name: str, part: BarPart) -> str:
    if not part.pattern:
        return 'class="part s0 f0"'
    return f'class="part {_get_lines(part.pattern)[0]}" fill="url(#{name}-p{part.pattern})"'


def _segment(name: str, part: BarPart, x: PlotScale, start: float) -> str:
    left, right = x(start), x(start + part.value)
    drawn = (
        f'<rect {_fill(name, part)} x="{trim(left)}" y="{_TOP}" width="{trim(right - left)}" '
        f'height="{_HIGH}"/>'
    )
    if part.pattern or right - left < _LEAST_NAMED:
        return drawn
    middle = trim((left + right) / 2)
    return drawn + (
        f'<text class="inside" x="{middle}" y="{_TOP + _HIGH / 2:g}" dy=".35em" '
        f'text-anchor="middle">{format_number(part.value)}</text>'
    )


def _marks(x: PlotScale, marks: Sequence[tuple[str, float]]) -> list[str]:
    drawn = []
    places = spread_out([x(value) for _, value in marks], 130.0, 60.0, _WIDTH - 62.0)
    for (label, value), place in zip(marks, places, strict=True):
        at = trim(x(value))
        drawn.append(
            f'<line class="mark" x1="{at}" x2="{at}" y1="{_TOP - 6}" y2="{_TOP + _HIGH + 4}"/>'
            f'<text x="{trim(place)}" y="{_TOP - 11}" text-anchor="middle">'
            f"{cut_html(label)} {format_number(value)}</text>"
        )
    return drawn


def _legend(name: str, part: BarPart, y: float) -> list[str]:
    note = f" ({cut_html(part.note)})" if part.note else ""
    return [
        f'<rect {_fill(name, part)} x="10" y="{trim(y - 10)}" width="20" height="12"/>',
        f'<text x="38" y="{trim(y)}">{cut_html(part.label)}</text>',
        f'<text x="{_WIDTH - 10}" y="{trim(y)}" text-anchor="end">'
        f'<tspan class="strong">{format_number(part.value)}</tspan>{note}</text>',
    ]
