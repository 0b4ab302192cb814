"""The signs of the screens, as Unicode and as plain ASCII.

A mark is two cells wide in both, so that nothing moves when one is exchanged for the other, and it
always stands beside a word or a count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Glyphs(NamedTuple):
    """One alphabet. `has`, `lacks` and the marks of judgements take two cells."""

    has: str = "✅"
    lacks: str = "❌"
    part: str = "◐ "
    unjudged: str = "· "
    bias: str = "⚑ "
    relevant: str = "✓ "
    not_relevant: str = "✗ "
    note: str = "✎"
    cursor: str = "▌"
    chosen: str = "■"
    not_chosen: str = "□"
    some_chosen: str = "▣"
    open: str = "▾"
    closed: str = "▸"
    up: str = "▲"
    down: str = "▼"
    same: str = "="
    dot: str = "·"
    dash: str = "–"
    minus: str = "−"
    """Before what a result lacks."""
    ellipsis: str = "…"
    arrow: str = "→"
    times: str = "×"
    full_block: str = "█"
    no_block: str = "░"
    steps: str = "▁▂▃▄▅▆▇█"
    markers: str = "●○◆◇"
    """Points of the lines of a chart, one for each line."""
    together: str = "◉"
    """Where the points of several lines fall on one cell."""
    trace: str = ""
    """What the lines between points are drawn with; nothing: Braille dots."""
    axis: str = "│┤└─┴"
    """Upright, with a label, the corner, level, below a point."""
    spelling: tuple[tuple[str, str], ...] = ()
    """Signs of formulas, and what they are written as."""

    @property
    def marks(self) -> Mapping[str, str]:
        """The sign of every mark that a person makes."""
        return {
            "bias": self.bias,
            "relevant": self.relevant,
            "not relevant": self.not_relevant,
        }

    def spell(self, text: str) -> str:
        """A formula in this alphabet.

        >>> ASCII.spell("Σ(i ≤ 5) P@i · rel_i / R")
        'sum(i <= 5) P@i * rel_i / R'
        """
        for sign, plain in self.spelling:
            text = text.replace(sign, plain)
        return text


UNICODE = Glyphs()
ASCII = Glyphs(
    has="+ ",
    lacks="- ",
    part="~ ",
    unjudged=". ",
    bias="! ",
    relevant="y ",
    not_relevant="n ",
    note="*",
    cursor=">",
    chosen="x",
    not_chosen="o",
    some_chosen="/",
    open="v",
    closed=">",
    up="^",
    down="v",
    same="=",
    dot="|",
    dash="-",
    minus="-",
    ellipsis="~",
    arrow="->",
    times="x",
    full_block="#",
    no_block=".",
    steps="_.-:=+*#",
    markers="ox+*",
    together="@",
    trace=".",
    axis="||+--",
    spelling=(("Σ(", "sum("), ("Σ ", "sum "), ("≤", "<="), ("≥", ">="), ("·", "*"), ("−", "-")),
)
