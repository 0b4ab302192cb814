"""How numbers are written in the sentences of findings."""

from __future__ import annotations

import math

from engine.stats import Interval

_MINUS = "−"


def format_points(value: float, digits: int = 3) -> str:
    """A number of points with a typographic minus; a dash where it is not defined.

    >>> format_points(-0.1234), format_points(0.5), format_points(-0.0001), format_points(math.nan)
    ('−0.123', '0.500', '0.000', '–')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}f}"
    unsigned = text.removeprefix("-")
    return f"{_MINUS}{unsigned}" if text != unsigned and float(unsigned) else unsigned


def format_signed_points(value: float, digits: int = 3) -> str:
    """The same with its sign, as a difference is written.

    >>> format_signed_points(0.12), format_signed_points(-0.12), format_signed_points(0.0)
    ('+0.120', '−0.120', '0.000')
    """
    text = format_points(value, digits)
    return f"+{text}" if math.isfinite(value) and value > 0 and float(text) else text


def format_confidence(interval: Interval, digits: int = 3) -> str:
    """An interval in words.

    >>> format_confidence(Interval(-0.2, -0.05, 0.95))
    '95 % CI −0.200 to −0.050'
    >>> format_confidence(Interval(math.nan, math.nan, 0.95))
    'no interval'

    A range that no probability belongs to has no level:

    >>> format_confidence(Interval(-0.2, -0.05, math.nan))
    '−0.200 to −0.050'
    """
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return "no interval"
    low, high = format_points(interval.low, digits), format_points(interval.high, digits)
    level = "" if math.isnan(interval.level) else f"{100 * interval.level:g} % CI "
    return f"{level}{low} to {high}"


def format_p_value(p: float) -> str:
    """A p-value.

    >>> format_p_value(0.0213), format_p_value(0.00004), format_p_value(0.5), format_p_value(1.0)
    ('p = 0.021', 'p < 0.001', 'p = 0.50', 'p = 1')
    """
    if not math.isfinite(p):
        return "not tested"
    if p < 0.001:
        return "p < 0.001"
    if p >= 1:
        return "p = 1"
    return f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"
