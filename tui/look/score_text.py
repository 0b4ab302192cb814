"""Scores as numbers and as bars of characters."""

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


def format_score(score: float) -> str:
    """A similarity in few characters: three decimals as far as they mean something.

    >>> format_score(0.8712), format_score(-123.456), format_score(-1234567.0)
    ('0.871', '-123.5', '-1.235e+06')
    """
    size = abs(score)
    if size < 100:
        return f"{score:.3f}"
    return f"{score:.1f}" if size < 100_000 else f"{score:.4g}"


def format_value(value: float, glyphs: Glyphs, decimals: int = 3) -> str:
    """A measure's value; a dash where there is none."""
    return glyphs.dash if math.isnan(value) else f"{value:.{decimals}f}"
