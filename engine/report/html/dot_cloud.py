"""Many pairs of numbers as a cloud of dots, with the median of what stands above each part."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from engine.report.html.axes import (
    PlotArea,
    PlotScale,
    choose_ticks,
    draw_bottom_axis,
    draw_svg,
    draw_value_axis,
    trim,
)
from engine.report.html.plots import draw_marker
from engine.report.tables.numbers import format_number

_BINS = 8
_FEWEST_IN_BIN = 10

Coordinates = tuple[float, float]


def draw_dot_cloud(
    name: str,
    title: str,
    points: Sequence[Coordinates],
    axes: tuple[str, str],
    limits: tuple[Coordinates, Coordinates],
) -> str:
    """`limits`: the ends of both scales, the same for clouds that are looked at together."""
    frame = PlotArea(290, 240, left=56, top=10)
    (low, high), (bottom, top) = limits
    x, y = PlotScale(low, high, *frame.x), PlotScale(bottom, top, *frame.y)
    line = find_medians(points)
    dots = "".join(f"M{trim(x(a))} {trim(y(b))}h0" for a, b in points)
    course = " ".join(f"{trim(x(a))},{trim(y(b))}" for a, b in line)
    body = [
        *draw_value_axis(frame, y, choose_ticks(bottom, top, 4), name=axes[1]),
        *draw_bottom_axis(frame, x, choose_ticks(low, high, 4), axes[0]),
        f'<path class="dots" d="{dots}"/>',
        f'<polyline class="curve halo" points="{course}"/>',
        f'<polyline class="curve s1" points="{course}"/>',
        *(draw_marker(x(a), y(b), 1) for a, b in line),
    ]
    medians = ", ".join(f"{format_number(b)} at {format_number(a)}" for a, b in line)
    said = f"{len(points):,} pairs; medians of {axes[1]} by {axes[0]}: {medians or 'too few pairs'}"
    return draw_svg(frame, name, title, said, body)


def find_medians(points: Sequence[Coordinates]) -> list[Coordinates]:
    """The medians of parts of as many points each, from left to right; none of a handful.

    >>> find_medians([(float(n), float(n % 2)) for n in range(20)])
    [(4.5, 0.5), (14.5, 0.5)]
    """
    ordered = sorted(points)
    bins = min(_BINS, len(ordered) // _FEWEST_IN_BIN)
    parts = [
        ordered[part * len(ordered) // bins : (part + 1) * len(ordered) // bins]
        for part in range(bins)
    ]
    return [(median(a for a, _ in part), median(b for _, b in part)) for part in parts]
