"""How scores are written."""

from __future__ import annotations

import math

from tui.look.glyphs import Glyphs


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
