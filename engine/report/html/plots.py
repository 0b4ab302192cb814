"""Plots of a report: metrics by k, similarities of hits and misses, and intervals in a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from engine.base.messages import cut_middle
from engine.metrics import Measure
from engine.report.html.axes import (
    PlotArea,
    PlotScale,
    choose_ticks,
    draw_bottom_axis,
    draw_svg,
    draw_value_axis,
    spread_out,
    trim,
)
from engine.report.html.text import cut_html, to_html
from engine.report.run.run_report import ModeReport, RunReport
from engine.report.tables.numbers import format_number
from engine.results.curves import Histogram, MetricByK, choose_round_steps
from engine.stats import Interval

MOST_SYSTEMS = 6
"""Colours and shapes there are; more systems begin again."""
_DASHES = ("", "7 4", "2 3", "9 3 2 3", "4 2", "12 4")
_MOST_DOTS = 12
_SAME_PLACE = 2.0
"""Units of the page within which two points cover each other."""


def draw_curves(
    found: RunReport, family: str, curves: Sequence[tuple[str, MetricByK]], name: str
) -> str:
    """One metric by k, a line per system with its name at the end."""
    drawn = [
        (system, curve)
        for system, curve in curves
        if family in curve.families and any(map(math.isfinite, curve.of(family).tolist()))
    ]
    if not drawn:
        return ""
    label, measure = name_family(found, family)
    several = len(curves) > 1
    frame = PlotArea(290, 200, left=52, right=94 if several else 48)
    most = max(float(curve.of(family).max()) for _, curve in drawn)
    deepest = max(int(curve.ks[-1]) for _, curve in drawn)
    steps = choose_round_steps(0.0, max(most, 1e-3), 4).tolist()
    y = PlotScale(0.0, steps[-1], *frame.y)
    x = PlotScale(1.0, float(max(2, deepest)), *frame.x)
    body = draw_value_axis(frame, y, steps, name="mean over queries")
    body += draw_bottom_axis(frame, x, _whole_ticks(deepest), "k (first results)")
    lines = [list(zip(c.ks.tolist(), c.of(family).tolist(), strict=True)) for _, c in drawn]
    ends = spread_out([y(line[-1][1]) for line in lines], 24 if several else 12, 12, frame.y[0])
    numbers = {system: place_ for place_, (system, _) in enumerate(curves)}
    below = _count_above(lines, y)
    for (system, _), line, end, over in zip(drawn, lines, ends, below, strict=True):
        body += _curve(line, x, y, numbers[system], over)
        body += _line_end(system if several else "", line[-1], x, end, numbers[system])
    said = "; ".join(
        f"{system}: " + ", ".join(f"{format_number(v)} at k = {k}" for k, v in _some(line))
        for (system, _), line in zip(drawn, lines, strict=True)
    )
    formula = measure.definition.formula.replace("{size}", "k").replace("{k}", "k")
    described = "" if label == family else f"{family} = "
    return (
        f"<figure><figcaption>{to_html(label)}"
        f"<span>{to_html(described + formula)}</span>{_name_same(drawn, lines)}</figcaption>"
        f"{draw_svg(frame, name, f'{label} by k', said, body)}</figure>"
    )


def _count_above(lines: Sequence[Sequence[tuple[int, float]]], y: PlotScale) -> list[list[int]]:
    """For every point of every line, how many lines drawn later have theirs on it."""
    places = [{k: y(v) for k, v in line} for line in lines]
    return [
        [
            sum(
                abs(other.get(k, math.inf) - own[k]) < _SAME_PLACE for other in places[number + 1 :]
            )
            for k in own
        ]
        for number, own in enumerate(places)
    ]


def _name_same(
    drawn: Sequence[tuple[str, MetricByK]], lines: Sequence[Sequence[tuple[int, float]]]
) -> str:
    """Which lines lie wholly on one another."""
    alike: dict[tuple[tuple[int, float], ...], list[str]] = {}
    for (system, _), line in zip(drawn, lines, strict=True):
        alike.setdefault(tuple((k, round(v, 9)) for k, v in line), []).append(system)
    said = [" and ".join(cut_html(name) for name in names) for names in alike.values() if names[1:]]
    return f"<span>{'; '.join(said)} lie on one another</span>" if said else ""


def name_family(found: RunReport, family: str) -> tuple[str, Measure]:
    """What the profile calls a metric at any k.

    The cut-off is put in as 1 and taken out again, at the end of the label.
    """
    measure = Measure.parse(family.replace("@k", "@1"))
    return found.language.label(measure).replace("@1", "@k"), measure


def _whole_ticks(deepest: int) -> list[float]:
    if deepest <= 10:
        return [float(k) for k in range(1, deepest + 1)]
    return [1.0] + [tick for tick in choose_ticks(1.0, float(deepest), 5) if tick > 1]


def _some(line: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """A few points of a line, for its description."""
    step = max(1, len(line) // 5)
    return list(dict.fromkeys([*line[::step], line[-1]]))


def _curve(
    line: Sequence[tuple[int, float]],
    x: PlotScale,
    y: PlotScale,
    system: int,
    above: Sequence[int],
) -> list[str]:
    """`above`: how many points of other lines lie on each; so much larger it is drawn."""
    style = system % MOST_SYSTEMS
    dash = f' stroke-dasharray="{_DASHES[style]}"' if _DASHES[style] else ""
    points = " ".join(f"{trim(x(k))},{trim(y(v))}" for k, v in line)
    dots = [(*point, over) for point, over in zip(line, above, strict=True)]
    dots = dots if len(line) <= _MOST_DOTS else [dots[0], dots[-1]]
    return [
        f'<polyline class="curve s{style}"{dash} points="{points}"/>',
        *(draw_marker(x(k), y(v), system, 1 + 0.5 * over) for k, v, over in dots),
    ]


def draw_marker(x: float, y: float, system: int, size: float = 1.0) -> str:
    """The shape that tells a system from others where colours do not."""
    kind = f'class="dot f{system % MOST_SYSTEMS}"'
    shape = system % 4
    if shape == 0:
        return f'<circle {kind} cx="{trim(x)}" cy="{trim(y)}" r="{trim(3.6 * size)}"/>'
    outline = {
        1: ((-3.4, -3.4), (3.4, -3.4), (3.4, 3.4), (-3.4, 3.4)),
        2: ((0, -4.6), (4.4, 3.4), (-4.4, 3.4)),
        3: ((0, -4.8), (4.8, 0), (0, 4.8), (-4.8, 0)),
    }[shape]
    points = " ".join(f"{trim(x + size * dx)},{trim(y + size * dy)}" for dx, dy in outline)
    return f'<polygon {kind} points="{points}"/>'


def _line_end(
    system: str, last: tuple[int, float], x: PlotScale, at: float, style: int
) -> list[str]:
    left = trim(x(last[0]) + 9)
    kind = f"f{style % MOST_SYSTEMS}"
    if not system:
        return [f'<text class="name {kind}" x="{left}" y="{trim(at)}" dy=".35em">'
                f"{format_number(last[1])}</text>"]  # fmt: skip
    return [
        f'<text class="name {kind}" x="{left}" y="{trim(at - 2)}">'
        f"{to_html(cut_middle(system, 11))}</text>",
        f'<text x="{left}" y="{trim(at + 10)}">{format_number(last[1])}</text>',
    ]


def find_highest_share(found: Histogram) -> float:
    """The height of the tallest bin, in percent of its kind."""
    return max(max(own) for own in _shares(found))


def _shares(found: Histogram) -> list[list[float]]:
    """Hits, then misses: in every bin the percent of all of its kind."""
    kinds = found.hits.tolist(), found.misses.tolist()
    return [[100 * count / max(1, sum(kind)) for count in kind] for kind in kinds]


def draw_histogram(system: str, found: Histogram, highest: float, name: str) -> str:
    """Similarities of hits (filled) over those of misses (hatched), each as shares of its own.

    `highest` is where the scale ends, the same for figures that are looked at together.
    """
    hits, misses = int(found.hits.sum()), int(found.misses.sum())
    if not hits + misses:
        return ""
    frame = PlotArea(386, 226, left=56, top=30)
    shares = _shares(found)
    edges = found.edges.tolist()
    x = PlotScale(edges[0], edges[-1], *frame.x)
    steps = choose_round_steps(0.0, highest, 4).tolist()
    y = PlotScale(0.0, steps[-1], *frame.y)
    hatch = f"{name}-hatch"
    body = [
        f'<defs><pattern id="{hatch}" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><line class="hatch" x1="0" x2="0" y1="0" y2="6"/>'
        "</pattern></defs>",
        *draw_value_axis(frame, y, steps, " %", "share of its kind"),
        *draw_bottom_axis(frame, x, choose_ticks(edges[0], edges[-1], 6), "similarity"),
        f'<path class="hits" d="{_outline(edges, shares[0], x, y)}"/>',
        f'<path class="misses" fill="url(#{hatch})" d="{_outline(edges, shares[1], x, y)}"/>',
        *_legend(frame, hatch, hits, misses),
    ]
    said = f"{_peak(edges, shares[0], 'hits')}; {_peak(edges, shares[1], 'misses')}"
    return (
        f"<figure><figcaption>{cut_html(system)}<span>share of all hits, and of all misses, by "
        f"similarity</span></figcaption>"
        f"{draw_svg(frame, name, f'{system}: similarity of hits and misses', said, body)}</figure>"
    )


def _outline(edges: Sequence[float], shares: Sequence[float], x: PlotScale, y: PlotScale) -> str:
    """Steps along the tops of the bins, closed along the bottom."""
    path = f"M{trim(x(edges[0]))} {trim(y(0.0))}"
    for edge, share in zip(edges[1:], shares, strict=True):
        path += f"V{trim(y(share))}H{trim(x(edge))}"
    return f"{path}V{trim(y(0.0))}Z"


def _legend(frame: PlotArea, hatch: str, hits: int, misses: int) -> list[str]:
    left = frame.x[0]
    box = 'y="6" width="18" height="11"'
    return [
        f'<rect class="hits" x="{trim(left)}" {box}/>',
        f'<text x="{trim(left + 24)}" y="15.5">hits (n = {hits:,})</text>',
        f'<rect class="misses" fill="url(#{hatch})" x="{trim(left + 152)}" {box}/>',
        f'<text x="{trim(left + 176)}" y="15.5">misses (n = {misses:,})</text>',
    ]


def _peak(edges: Sequence[float], shares: Sequence[float], what: str) -> str:
    if not any(shares):
        return f"no {what}"
    top = max(range(len(shares)), key=lambda bin_: shares[bin_])
    return f"most {what} between {edges[top]:g} and {edges[top + 1]:g}"


def find_common_top(mode: ModeReport) -> float | None:
    """1 if every number of the summary lies between 0 and 1, and all fit on one scale."""
    ends = [x for one in mode.summary for x in (one.row.mean, one.interval.low, one.interval.high)]
    known = [x for x in ends if math.isfinite(x)]
    return 1.0 if known and min(known) >= 0 and max(known) <= 1 else None


def build_interval_column(
    drawn: Sequence[tuple[float, Interval]], top: float | None
) -> tuple[str, Callable[[int], str]] | None:
    """A column that draws numbers and their intervals from 0 to `top`, for `tables.table`.

    It is there to look down; it says no more than the numbers beside it.
    """
    if top is None:
        return None
    known = [x for v, i in drawn for x in (v, i.low) if math.isfinite(x)]
    low = 0.0 if min(known, default=0.0) >= 0 else float(choose_round_steps(min(known), top, 2)[0])
    head = f'<span class="ends"><span>{low:g}</span><span>{top:g}</span></span>'
    scale = PlotScale(low, top, 4.0, 108.0)
    return head, lambda row: _interval_mark(*drawn[row], scale)


def _interval_mark(value: float, interval: Interval, scale: PlotScale) -> str:
    marks = []
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        ends = f'x1="{trim(scale(interval.low))}" x2="{trim(scale(interval.high))}"'
        marks.append(f'<line class="whisker" {ends} y1="10" y2="10"/>')
    if math.isfinite(value):
        marks.append(f'<circle class="centre" cx="{trim(scale(value))}" cy="10" r="3.6"/>')
    return f'<svg viewBox="0 0 112 20" aria-hidden="true">{"".join(marks)}</svg>'
