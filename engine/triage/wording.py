"""How findings write numbers: the same everywhere."""

from __future__ import annotations

import math

from engine.stats import Interval

MINUS = "\N{MINUS SIGN}"


def format_points(value: float, digits: int = 2) -> str:
    """A number with a typographic minus; what rounds to nothing has no sign.

    >>> format_points(-0.123), format_points(-0.001), format_points(math.nan)
    ('−0.12', '0.00', 'unknown')
    """
    if not math.isfinite(value):
        return "unknown"
    text = f"{abs(value):.{digits}f}"
    return f"{MINUS}{text}" if value < 0 and float(text) else text


def format_interval(interval: Interval, digits: int = 2) -> str:
    """An interval with its level.

    >>> format_interval(Interval(-0.2, 0.05, 0.95))
    '95 % CI −0.20 to 0.05'
    """
    if not math.isfinite(interval.low + interval.high):
        return "no interval"
    low, high = format_points(interval.low, digits), format_points(interval.high, digits)
    return f"{100 * interval.level:g} % CI {low} to {high}"


def format_p(p: float) -> str:
    """A p-value; very small ones are bounded.

    >>> format_p(0.0304), format_p(0.0002)
    ('p = 0.030', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
