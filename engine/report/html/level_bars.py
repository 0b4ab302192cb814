"""Bars from 0 to 1 with their intervals, chance and best, and their numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.base.messages import cut_middle
from engine.report.html.axes import PlotArea, PlotScale, draw_svg, format_tick, trim
from engine.report.html.text import to_html
from engine.report.tables.numbers import format_number
from engine.stats import Interval

_WIDTH = 386
_HEAD, _ROW, _FOOT = 34, 36, 20
_COLUMNS = (232, 288, 326, 378)
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class LevelBar:
    """One bar. `numbers` stand beside it, under the heads; `marked` ones stand out by a shape."""

    label: str
    value: float
    interval: Interval
    chance: float
    best: float
    numbers: tuple[str, ...]
    marked: bool = False


def draw_level_bars(
    name: str,
    title: str,
    bars: Sequence[LevelBar],
    heads: Sequence[str],
    all_of_them: tuple[str, float],
) -> str:
    """The bars below each other; `all_of_them` is a line across, with what it is."""
    height = _HEAD + _ROW * len(bars) + _FOOT
    frame = PlotArea(_WIDTH, height, left=8, right=_WIDTH - 184, top=_HEAD, bottom=_FOOT)
    x = PlotScale(0.0, 1.0, *frame.x)
    body = _draw_frame(frame, x, heads, *all_of_them)
    for row, bar in enumerate(bars):
        body += _draw_bar(bar, x, _HEAD + _ROW * row)
    said = "; ".join(
        f"{bar.label}: " + ", ".join(f"{h} {n}" for h, n in zip(heads, bar.numbers, strict=True))
        for bar in bars
    )
    return draw_svg(frame, name, title, said, body)


def _draw_frame(
    frame: PlotArea, x: PlotScale, heads: Sequence[str], label: str, value: float
) -> list[str]:
    bottom, top = frame.y
    drawn = []
    for tick in (0.0, 0.5, 1.0):
        at = trim(x(tick))
        kind = "grid" if tick else "axis"
        drawn.append(f'<line class="{kind}" x1="{at}" x2="{at}" y1="{top - 4:g}" y2="{bottom:g}"/>')
        drawn.append(f'<text x="{at}" y="{bottom + 14:g}" text-anchor="middle">{tick:g}</text>')
    for head, right in zip(heads, _COLUMNS, strict=True):
        drawn.append(
            f'<text class="strong" x="{right}" y="{top - 20:g}" text-anchor="end">'
            f"{to_html(head)}</text>"
        )
    if math.isfinite(value):
        place = x(value)
        shown = f"{to_html(label)} {format_number(value)}"
        drawn.append(
            f'<line class="mark" x1="{trim(place)}" x2="{trim(place)}" y1="{top - 14:g}" '
            f'y2="{bottom:g}"/><text x="{trim(min(max(place, 40.0), 150.0))}" y="{top - 20:g}" '
            f'text-anchor="middle">{shown}</text>'
        )
    return drawn


def _draw_bar(bar: LevelBar, x: PlotScale, top: float) -> list[str]:
    y, middle = top + 17, top + 23
    kind = "bar marked" if bar.marked else "bar"
    sign = f"{MARKED_SIGN} " if bar.marked else ""
    strong = ' class="strong"' if bar.marked else ""
    drawn = [
        f'<text class="{"over strong" if bar.marked else "over"}" x="12" y="{trim(top + 12)}">'
        f"{to_html(sign + cut_middle(bar.label, _LONGEST))}</text>"
    ]
    if math.isfinite(bar.value):
        width = trim(max(0.0, x(bar.value) - x(0.0)))
        drawn.append(
            f'<rect class="{kind}" x="{trim(x(0.0))}" y="{trim(y)}" width="{width}" height="12"/>'
        )
    drawn += draw_whisker(bar.interval, x, middle)
    if math.isfinite(bar.chance):
        at = trim(x(bar.chance))
        drawn.append(
            f'<line class="tick" x1="{at}" x2="{at}" y1="{trim(y - 2)}" y2="{trim(y + 14)}"/>'
        )
    if math.isfinite(bar.best):
        best = x(bar.best)
        corners = ((best - 4, y - 1), (best + 4, y - 1), (best, y + 6))
        points = " ".join(f"{trim(across)},{trim(down)}" for across, down in corners)
        drawn.append(f'<polygon class="best" points="{points}"/>')
    for number, right in zip(bar.numbers, _COLUMNS, strict=True):
        drawn.append(
            f'<text{strong} x="{right}" y="{trim(middle)}" dy=".35em" text-anchor="end">'
            f"{to_html(number)}</text>"
        )
    return drawn


MARKED_SIGN = "▲"
"""Stands before what stands out."""


def draw_whisker(interval: Interval, x: PlotScale, y: float, cap: float = 3.0) -> list[str]:
    """An interval with its ends; nothing where there is none."""
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return []
    low, high = x(interval.low), x(interval.high)
    up, down = trim(y - cap), trim(y + cap)
    path = f"M{trim(low)} {up}V{down}M{trim(low)} {trim(y)}H{trim(high)}M{trim(high)} {up}V{down}"
    return [f'<path class="ends-of" d="{path}"/>']


def draw_effect(
    name: str,
    title: str,
    value: float,
    interval: Interval,
    limits: tuple[float, float],
) -> str:
    """One number with its interval, and where 0 is; `limits` may be those of several."""
    frame = PlotArea(300, 44, left=24, right=24, top=4, bottom=20)
    low, high = min(0.0, limits[0]), max(0.0, limits[1])
    x = PlotScale(low, high, *frame.x)
    body = [f'<line class="grid" x1="{trim(x(low))}" x2="{trim(x(high))}" y1="14" y2="14"/>']
    for tick in sorted({low, 0.0, high}):
        at, kind = trim(x(tick)), "axis" if tick == 0 else "grid"
        body.append(
            f'<line class="{kind}" x1="{at}" x2="{at}" y1="4" y2="26"/>'
            f'<text x="{at}" y="39" text-anchor="middle">{format_tick(tick)}</text>'
        )
    body += draw_whisker(interval, x, 14, 5.0)
    body.append(f'<circle class="centre" cx="{trim(x(value))}" cy="14" r="4.4"/>')
    ends = f"{format_number(interval.low)} to {format_number(interval.high)}"
    return draw_svg(frame, name, title, f"{format_number(value)}, interval {ends}", body)
