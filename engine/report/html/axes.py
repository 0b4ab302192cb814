"""What every plot is made of: a scale, axes with ticks, and an SVG that says what it shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.report.html.text import cut_html, to_html
from engine.report.tables.numbers import MINUS
from engine.results.curves import choose_round_steps


@dataclass(frozen=True, slots=True)
class PlotScale:
    """From values to places on the page.

    >>> PlotScale(0.0, 2.0, 40.0, 240.0)(1.0)
    140.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        length = self.high / 2 - self.low / 2  # halves: the whole may be too large for a number
        share = (value / 2 - self.low / 2) / length if length > 0 else 0.5
        return self.start + share * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class PlotArea:
    """The area of a plot inside its picture."""

    width: int
    height: int
    left: int = 38
    right: int = 12
    top: int = 10
    bottom: int = 34

    @property
    def x(self) -> tuple[float, float]:
        return float(self.left), float(self.width - self.right)

    @property
    def y(self) -> tuple[float, float]:
        """From the lowest value to the highest: the page's y runs downwards."""
        return float(self.height - self.bottom), float(self.top)


def trim(value: float) -> str:
    """A coordinate, short.

    >>> trim(12.0), trim(12.345)
    ('12', '12.3')
    """
    return f"{value:.1f}".removesuffix(".0")


def format_tick(value: float) -> str:
    """A round value, short.

    >>> format_tick(-0.5), format_tick(2.0)
    ('−0.5', '2')
    """
    return f"{value:g}".replace("-", MINUS)


def draw_svg(
    frame: PlotArea,
    name: str,
    title: str,
    description: str,
    body: Iterable[str],
    *,
    own_size: bool = False,
) -> str:
    """An SVG with a title and a description for those who do not see it. `own_size`: it is as
    large as it was drawn; otherwise as what it stands in."""
    size = f' width="{frame.width}" height="{frame.height}"' if own_size else ""
    return (
        f'<svg viewBox="0 0 {frame.width} {frame.height}"{size} role="img" '
        f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{cut_html(title)}</title>'
        f'<desc id="{name}-d">{cut_html(description, 800)}</desc>{"".join(body)}</svg>'
    )


def draw_value_axis(
    frame: PlotArea, scale: PlotScale, at: Iterable[float], unit: str = "", name: str = ""
) -> list[str]:
    """Lines across the plot with their values at the left, and what they measure."""
    left, right = frame.x
    marks = []
    for tick in at:
        y = trim(scale(tick))
        kind = "axis" if tick == scale.low else "grid"
        marks.append(
            f'<line class="{kind}" x1="{trim(left)}" x2="{trim(right)}" y1="{y}" y2="{y}"/>'
        )
        marks.append(
            f'<text x="{trim(left - 6)}" y="{y}" dy=".35em" text-anchor="end">'
            f"{format_tick(tick)}{unit}</text>"
        )
    if name:
        middle = trim(sum(frame.y) / 2)
        marks.append(
            f'<text transform="rotate(-90 10 {middle})" x="10" y="{middle}" dy=".35em" '
            f'text-anchor="middle">{to_html(name)}</text>'
        )
    return marks


def draw_bottom_axis(
    frame: PlotArea, scale: PlotScale, at: Iterable[float], name: str
) -> list[str]:
    """Ticks below the plot, and what they measure."""
    bottom = frame.y[0]
    marks = []
    for tick in at:
        x = trim(scale(tick))
        marks.append(
            f'<line class="axis" x1="{x}" x2="{x}" y1="{trim(bottom)}" y2="{trim(bottom + 4)}"/>'
            f'<text x="{x}" y="{trim(bottom + 15)}" text-anchor="middle">{format_tick(tick)}</text>'
        )
    middle = trim(sum(frame.x) / 2)
    marks.append(
        f'<text x="{middle}" y="{trim(bottom + 29)}" text-anchor="middle">{to_html(name)}</text>'
    )
    return marks


def choose_ticks(low: float, high: float, about: int) -> list[float]:
    """Round values within the limits.

    >>> choose_ticks(0.0, 0.8, 4)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    slack = (high - low) * 1e-9
    steps = choose_round_steps(low, high, about).tolist()
    return [step for step in steps if low - slack <= step <= high + slack]


def spread_out(places: list[float], least: float, low: float, high: float) -> list[float]:
    """The places moved so that any two are `least` apart, as little as that takes.

    >>> spread_out([10.0, 12.0, 50.0], 10, 0, 100)
    [6.0, 16.0, 50.0]
    >>> spread_out([98.0, 99.0], 10.0, 0.0, 100.0)
    [90.0, 100.0]
    """

    def start(block: list[int]) -> float:
        length = (len(block) - 1) * least
        centre = sum(places[number] for number in block) / len(block)
        return max(low, min(centre - length / 2, high - length))

    def overlap(first: list[int], second: list[int]) -> bool:
        end = start(first) + (len(first) - 1) * least
        return start(second) < end + least - 1e-9

    # Neighbours that are too close become one block, centred on where they want to be.
    blocks: list[list[int]] = []
    for number in sorted(range(len(places)), key=lambda n: places[n]):
        blocks.append([number])
        while len(blocks) > 1 and overlap(*blocks[-2:]):
            last = blocks.pop()
            blocks[-1] += last
    moved = list(places)
    for block in blocks:
        for step, number in enumerate(block):
            moved[number] = start(block) + step * least
    return moved
