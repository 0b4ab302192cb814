"""Bars of characters: a share of a width."""

from __future__ import annotations

import math

from tui.look.glyphs import Glyphs


def draw_bar(value: float, width: int, glyphs: Glyphs) -> str:
    """A value from 0 to 1 as blocks; nothing for NaN.

    >>> from tui.look.glyphs import ASCII
    >>> draw_bar(0.4, 5, ASCII), draw_bar(float("nan"), 5, ASCII)
    ('##...', '')
    """
    if math.isnan(value):
        return ""
    # Something is never drawn as nothing, and less than all never as all.
    filled = round(max(0.0, min(value, 1.0)) * width)
    if value > 0:
        filled = max(filled, 1)
    if value < 1:
        filled = min(filled, width - 1)
    return glyphs.full_block * filled + glyphs.no_block * (width - filled)


def draw_level(value: float, width: int, glyphs: Glyphs) -> str:
    """The same for a column of them: what is not filled is left blank, so that a page of zeros
    is no wall.

    >>> from tui.look.glyphs import ASCII
    >>> draw_level(0.4, 5, ASCII), draw_level(0.0, 5, ASCII)
    ('##', '')
    """
    return draw_bar(value, width, glyphs).rstrip(glyphs.no_block)
