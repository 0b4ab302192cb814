"""Histograms in characters: rows of bars over one axis. Arrays in, lines of text out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui.look.glyphs import Glyphs
from tui.widgets.lines_view import Line, TextSpan, cut_spans

_UNIT = "results"
"""What the height of a bar counts."""


@dataclass(frozen=True, slots=True)
class Bars:
    """One row of bars: a name, what it is painted in, and a count for each bin."""

    name: str
    ink: str
    counts: tuple[int, ...]


def draw_bar_chart(
    title: str,
    edges: Sequence[float],
    rows: Sequence[Bars],
    width: int,
    height: int,
    glyphs: Glyphs,
    along: str = "similarity",
) -> list[Line]:
    """Rows of bars over one axis and on one scale, `height` lines in all (or as few as it takes).

    along  what the axis below measures

    >>> from tui.look.glyphs import ASCII
    >>> two = [Bars("hits", "hit", (0, 1, 4)), Bars("misses", "miss", (4, 2, 0))]
    >>> for line in draw_bar_chart("Similarity", (0.0, 0.1, 0.2, 0.3), two, 24, 8, ASCII):
    ...     print("".join(text for text, _ in line.spans).rstrip())
    Similarity | tallest 4
    hits              #####
    5            :::::#####
    misses  #####
    6       ##########
           +- similarity --
            0.00       0.30
    """
    if not any(map(sum, (row.counts for row in rows))):
        return [Line.of((title, "strong")), Line.of(("no result was kept", "dim"))]
    totals = [f"{sum(row.counts):,}" for row in rows]
    gutter = 1 + max(*(len(row.name) for row in rows), *map(len, totals))
    plot = max(width - gutter - 1, 1)
    while len(edges) - 1 > plot:  # too many bins for the room: two become one
        edges = [*edges[:-1:2], edges[-1]]
        rows = [replace(row, counts=_in_pairs(row.counts)) for row in rows]
    plot -= plot % (len(edges) - 1)  # bars of one width
    most = max(max(row.counts) for row in rows)
    room = width - len(title)
    says = (f" {glyphs.dot} tallest {what}" for what in (f"bar {most:,} {_UNIT}", f"{most:,}"))
    tallest = next((text for text in says if len(text) <= room), "")
    head: list[TextSpan] = [(title, "strong"), (tallest, "dim")]
    lines = [Line.of(*cut_spans(head, width, glyphs.ellipsis))]
    tall = max(2, (height - 3) // max(len(rows), 1))
    for row, total in zip(rows, totals, strict=True):
        for number, text in enumerate(_bars(row.counts, most, plot, tall, glyphs)):
            said = (row.name, total)[number] if number < 2 else ""
            lines.append(Line.of((f"{said:<{gutter}} ", "dim"), (text, row.ink)))
    corner = glyphs.axis[2]
    lines.append(Line.of((f"{'':>{gutter}}{corner}{_name_axis(along, plot, glyphs)}", "dim")))
    lines.append(Line.of((f"{'':>{gutter}} {_ends(edges, plot)}", "dim")))
    return lines


def _name_axis(name: str, plot: int, glyphs: Glyphs) -> str:
    """The level axis with its name, if there is room for it."""
    text = f" {name} " if len(name) + 4 <= plot else ""
    before = (plot - len(text)) // 2
    return f"{glyphs.axis[3] * before}{text}{glyphs.axis[3] * (plot - before - len(text))}"


def _in_pairs(counts: Sequence[int]) -> tuple[int, ...]:
    """
    >>> _in_pairs((1, 2, 3))
    (3, 3)
    """
    return tuple(sum(counts[n : n + 2]) for n in range(0, len(counts), 2))


def _bars(counts: Sequence[int], most: int, plot: int, tall: int, glyphs: Glyphs) -> list[str]:
    """Bars from the bottom up; something is never drawn as nothing."""
    steps = len(glyphs.steps)
    lines = [[" "] * plot for _ in range(tall)]
    for column in range(plot):
        count = counts[column * len(counts) // plot]
        filled = max(1, round(count / most * tall * steps)) if count else 0
        for row in range(tall):
            part = min(max(filled - row * steps, 0), steps)
            if part:
                lines[tall - 1 - row][column] = glyphs.steps[part - 1]
    return ["".join(line) for line in lines]


def _ends(edges: Sequence[float], plot: int) -> str:
    """The first, the middle and the last edge, below their places."""
    middle = len(edges) // 2
    low, mid, high = (f"{edges[n]:.2f}" for n in (0, middle, -1))
    at = round(middle / (len(edges) - 1) * plot)
    line = low.ljust(max(plot, len(low)))
    start = at - len(mid) // 2
    if len(edges) > 2 and len(low) < start and start + len(mid) < plot - len(high):
        line = line[:start] + mid + line[start + len(mid) :]
    end = max(plot - len(high), len(low) + 1)
    return line[:end] + high
