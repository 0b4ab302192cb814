"""Why queries fail, as bars: one for every class, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.moments.failures.classes import HIT, NEARLY_RIGHT, RANKED_LOW, WRONG_TIME
from tui.look.glyphs import ASCII, Glyphs

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from engine.moments.failures.failures import Failures

BAR, SHORT_BAR = 30, 12
WIDE_BARS = 100
"""Columns from which on bars are long."""

_EIGHTHS = "▏▎▍▌▋▊▉"
_STYLES = ("green", "yellow", "yellow", "red", "red")


class ClassBars:
    """A bar for every class, with its share, its queries and what to do about them."""

    def __init__(self, failures: Failures, glyphs: Glyphs) -> None:
        self.failures = failures
        self.glyphs = glyphs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table
        from rich.text import Text

        failures = self.failures
        width = BAR if options.max_width >= WIDE_BARS else SHORT_BAR
        counts, shares = failures.counts().tolist(), failures.shares.tolist()
        grid = Table.grid(padding=(0, 2, 0, 0))
        for justify in ("left", "left", "right", "right"):
            grid.add_column(justify=justify, no_wrap=True)
        grid.add_column(style="dim")
        for code in failures.possible:
            grid.add_row(
                f" {failures.names[code]}",
                Text(bar(shares[code], width, self.glyphs).ljust(width), style=_STYLES[code]),
                f"{100 * shares[code]:.2f} %",
                f"{counts[code]:,}",
                self.glyphs.spell(_to_do(failures, code)),
            )
        yield grid
        yield Text("")


def bar(share: float, width: int, glyphs: Glyphs) -> str:
    """A bar of at most `width` cells; something is never drawn as nothing.

    >>> from tui.look.glyphs import UNICODE
    >>> bar(0.5, 4, UNICODE), bar(0.001, 4, UNICODE), bar(0.6, 10, ASCII)
    ('██', '▏', '######')
    """
    if share <= 0:
        return ""
    if glyphs is ASCII:
        return glyphs.full_block * max(1, round(share * width))
    whole, eighths = divmod(max(1, round(share * width * 8)), 8)
    return glyphs.full_block * whole + (_EIGHTHS[eighths - 1] if eighths else "")


def _to_do(failures: Failures, code: int) -> str:
    """What the class means for whoever works on the system; short, to fit beside the bar."""
    k, task = failures.at.k, failures.judged.task
    if code == HIT:
        return "right at rank 1" if k == 1 else f"right among the first {k}"
    if code == RANKED_LOW:
        return f"rank better: it is there, after {k}"
    if code == NEARLY_RIGHT:
        return f"fit start and end: IoU from {failures.near:g}"
    if code == WRONG_TIME:
        return f"find the time: IoU below {failures.near:g}"
    if task in ("SVMR", "MR"):
        return "predict: nothing is there for them"
    return "find the video: it is not there"
