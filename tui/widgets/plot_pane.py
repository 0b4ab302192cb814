"""The pane of charts: metrics by k, and the similarities of hits and misses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from tui.look.glyphs import Glyphs
from tui.look.safe import escape
from tui.widgets.bar_chart import Bars, draw_bar_chart
from tui.widgets.line_chart import INKS, Series, draw_line_chart
from tui.widgets.lines_view import Line, LinesView, TextSpan

if TYPE_CHECKING:
    from tui.work.curves import Curves

_BLOCK_LEAST = 34
"""Cells that a chart needs; where there is room for two, they stand side by side."""

_GAP = 3
_ROWS_LEAST, _ROWS_MOST = 11, 30


def draw_plots(curves: Sequence[Curves], width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """One model: its metrics in one chart. Several: one chart for each metric, a line per model."""
    columns = max(1, min(3, (width + _GAP) // (_BLOCK_LEAST + _GAP)))
    count = 2 if len(curves) == 1 else len(curves[0].by_k) + len(curves)
    columns = min(columns, count)
    block = (width - _GAP * (columns - 1)) // columns
    rows = -(-count // columns)
    tall = max(_ROWS_LEAST, min(_ROWS_MOST, (height + 1) // rows - 1))
    blocks = [*_by_k(curves, block, tall, glyphs), *_similarities(curves, block, tall, glyphs)]
    lines = _heading(curves, glyphs)
    for start in range(0, len(blocks), columns):
        lines += [Line()] if start else []
        lines += join_blocks(blocks[start : start + columns], block, _GAP)
    if len(curves) == 1:  # else each chart has its own
        formulas = (f"{one.label} = {glyphs.spell(one.formula)}" for one in curves[0].by_k)
        lines.append(Line.of((f" {glyphs.dot} ".join(formulas), "dim")))
    return lines


def _heading(curves: Sequence[Curves], glyphs: Glyphs) -> list[Line]:
    behind = " and ".join(f"{one.n:,} ({one.model})" for one in curves)
    behind = f"{curves[0].n:,}" if len({one.n for one in curves}) == 1 else behind
    k = max((max(one.ks, default=0) for one in curves[0].by_k), default=0)
    return [
        Line.of((f"Means of all {behind} queries that count {glyphs.dot} first {k} results", "dim"))
    ]


def _by_k(curves: Sequence[Curves], width: int, height: int, glyphs: Glyphs) -> list[list[Line]]:
    first = curves[0]
    if len(curves) == 1:
        series = [Series(one.label, one.values) for one in first.by_k]
        ks = first.by_k[0].ks
        return [draw_line_chart("Means by k", ks, series, width, height, glyphs)]
    return [
        draw_line_chart(
            one.label,
            one.ks,
            [Series(escape(own.model), own.by_k[number].values) for own in curves],
            width,
            height,
            glyphs,
            glyphs.spell(one.formula),
        )
        for number, one in enumerate(first.by_k)
    ]


def _similarities(
    curves: Sequence[Curves], width: int, height: int, glyphs: Glyphs
) -> list[list[Line]]:
    blocks = []
    for one in curves:
        found = one.similarities
        title = "Similarity" if len(curves) == 1 else f"Similarity, {escape(one.model)}"
        rows = [
            Bars("hits", "hit", tuple(map(int, found.hits))),
            Bars("misses", "miss", tuple(map(int, found.misses))),
        ]
        edges = tuple(map(float, found.edges))
        blocks.append(draw_bar_chart(title, edges, rows, width, height, glyphs))
    return blocks


def join_blocks(blocks: Sequence[Sequence[Line]], width: int, gap: int = 3) -> list[Line]:
    """Blocks next to each other, each `width` cells wide.

    >>> [
    ...     line.spans
    ...     for line in join_blocks([[Line.of("a")], [Line.of("b"), Line.of("c")]], 3, gap=1)
    ... ]
    [(('a', ''), ('   ', ''), ('b', '')), (('    ', ''), ('c', ''))]
    """
    lines = []
    for number in range(max(map(len, blocks), default=0)):
        spans: list[TextSpan] = []
        owed = 0
        for block in blocks:
            own = block[number].spans if number < len(block) else ()
            if own:
                spans += [(" " * owed, ""), *own] if owed else own
                owed = 0
            owed += gap + width - sum(len(text) for text, _ in own)
        lines.append(Line(tuple(spans)))
    return lines


class ChartLines(LinesView):
    """Lines that may be charts."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"lines--{ink}" for ink in INKS}
    DEFAULT_CSS = """
    ChartLines {
        & > .lines--one { color: $primary; }
        & > .lines--two { color: $part; }
        & > .lines--three { color: $mark; }
    }
    """

    def say(self, text: str) -> None:
        """Show a sentence in place of charts."""
        self.show_lines([Line.of((text, "dim"))])


class PlotPane(ChartLines):
    """What is drawn of evaluations."""

    jump_key = "p"
    pane = "plots"

    def show_curves(self, curves: Sequence[Curves]) -> None:
        self.draw(lambda width, height: draw_plots(curves, width, height - 1, self._glyphs))
