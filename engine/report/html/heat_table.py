"""A cross table as a picture: shades to be seen from afar, numbers to be read, and a shape before
what stands out."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from engine.base.messages import cut_middle
from engine.report.html.axes import PlotArea, draw_svg
from engine.report.html.level_bars import MARKED_SIGN
from engine.report.html.text import to_html

_WIDE, _HIGH, _LINE = 86, 40, 13
_IN_HEAD, _IN_SIDE, _MOST_LINES = 14, 24, 4
_DARKEST = 0.5
"""How much of a cell's colour is not the page's: text must be readable on it."""


APART_SIGN = "◆"
"""Stands before what lies apart from zero, though nothing is proven of it."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: its number, a smaller one below, its shade from 0 to 1, and the sign of a marked
    one."""

    text: str
    more: str = ""
    shade: float = 0.0
    marked: bool = False
    sign: str = MARKED_SIGN


def draw_heat_table(
    name: str,
    title: str,
    description: str,
    sides: tuple[str, str],
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[HeatCell]],
) -> str:
    """`sides`: what the rows are, and what the columns are. It is drawn in its own size."""
    heads = [_wrap(label, _IN_HEAD) for label in columns]
    labels = [_wrap(label, _IN_SIDE) for label in rows]
    longest = max([len(line) for lines in labels for line in lines] + [len(sides[0]) + 2])
    left = 16 + round(6.4 * longest)
    top = 24 + _LINE * max(map(len, heads), default=1) + 8
    frame = PlotArea(left + _WIDE * len(columns) + 4, top + _HIGH * len(rows) + 4)
    body = [
        f'<text class="strong" x="{left}" y="12">{to_html(sides[1])} →</text>',
        f'<text class="strong" x="4" y="{top - 8}">{to_html(sides[0])} ↓</text>',
    ]
    for place, lines in enumerate(heads):
        x = left + _WIDE * place + _WIDE // 2
        first = top - 8 - _LINE * (len(lines) - 1)
        body += [
            f'<text x="{x}" y="{first + _LINE * row}" text-anchor="middle">{to_html(line)}</text>'
            for row, line in enumerate(lines)
        ]
    for place, lines in enumerate(labels):
        y = top + _HIGH * place + _HIGH // 2 + 4 - _LINE * (len(lines) - 1) // 2
        body += [
            f'<text x="4" y="{y + _LINE * row}">{to_html(line)}</text>'
            for row, line in enumerate(lines)
        ]
        for column, cell in enumerate(cells[place]):
            body.append(_draw_cell(cell, left + _WIDE * column, top + _HIGH * place))
    return draw_svg(frame, name, title, description, body, own_size=True)


def _wrap(label: str, longest: int) -> list[str]:
    """A label in a few short lines.

    >>> _wrap("traveling in opposite direction", 14)
    ['traveling in', 'opposite', 'direction']
    """
    words = [cut_middle(word, longest) for word in label.split()]
    lines = textwrap.wrap(" ".join(words), longest) or [""]
    return [*lines[: _MOST_LINES - 1], "…"] if len(lines) > _MOST_LINES else lines


def _draw_cell(cell: HeatCell, x: int, y: int) -> str:
    middle = x + _WIDE // 2
    shade = f"{_DARKEST * min(1.0, max(0.0, cell.shade)):.2f}"
    box = f'x="{x + 1}" y="{y + 1}" width="{_WIDE - 2}" height="{_HIGH - 2}"'
    kind = "cell marked" if cell.marked else "cell"
    drawn = [f'<rect class="{kind}" fill-opacity="{shade}" {box}/>']
    down = 17 if cell.more else 24
    strong = "in-cell strong" if cell.marked else "in-cell"
    sign = f"{cell.sign} " if cell.marked else ""
    drawn.append(
        f'<text class="{strong}" x="{middle}" y="{y + down}" text-anchor="middle">'
        f"{to_html(sign + cell.text)}</text>"
    )
    if cell.more:
        drawn.append(
            f'<text class="in-cell small" x="{middle}" y="{y + 31}" text-anchor="middle">'
            f"{to_html(cell.more)}</text>"
        )
    return "".join(drawn)
