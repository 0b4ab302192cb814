"""Numbers as reports show them: digits enough to tell systems apart, a dash for the undefined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for their names alone: --help must not wait for numpy
    from engine.stats import Interval, WinTieLoss

NO_VALUE = "–"
MINUS = "−"

MOST_DIGITS = 12
"""Differences are rounded to so many."""


def format_number(value: float) -> str:
    """Three digits after the point; two from 10 up.

    >>> (
    ...     format_number(0.5692),
    ...     format_number(12.346),
    ...     format_number(-0.25),
    ...     format_number(float("nan")),
    ... )
    ('0.569', '12.35', '−0.250', '–')
    """
    if not math.isfinite(value):
        return NO_VALUE
    text = f"{abs(value):.{_digits(value)}f}"
    return f"{MINUS}{text}" if value < 0 and float(text) else text


def format_signed(value: float) -> str:
    """A difference, with its sign unless it shows as 0.

    >>> format_signed(0.1231), format_signed(-0.04), format_signed(0.0001)
    ('+0.123', '−0.040', '0.000')
    """
    text = format_number(value)
    return f"+{text}" if value > 0 and any(digit in "123456789" for digit in text) else text


def format_with_std(value: float, std: float) -> str:
    """
    >>> format_with_std(0.5692, 0.3251), format_with_std(1.0, float("nan"))
    ('0.569 ± 0.325', '1.000')
    """
    if not math.isfinite(value) or not math.isfinite(std):
        return format_number(value)
    return f"{format_number(value)} ± {std:.{_digits(value)}f}"


def format_interval(found: Interval, *, signs: bool = False) -> str:
    """
    >>> from engine.stats import Interval
    >>> (
    ...     format_interval(Interval(-0.01, 0.2, 0.95)),
    ...     format_interval(Interval(float("nan"), float("nan"), 0.95)),
    ... )
    ('[−0.010, 0.200]', '–')
    >>> format_interval(Interval(0.00004, 0.2, 0.95), signs=True)
    '[+0.00004, +0.200]'
    """
    if not math.isfinite(found.low) or not math.isfinite(found.high):
        return NO_VALUE
    if not signs:
        return f"[{format_number(found.low)}, {format_number(found.high)}]"
    beside = found.low > 0 or found.high < 0
    low, high = (
        _beside_zero(end) if beside else format_signed(end) for end in (found.low, found.high)
    )
    return f"[{low}, {high}]"


def _beside_zero(value: float) -> str:
    """An end of an interval that leaves 0 out, with as many digits as it takes to show that."""
    digits = _digits(value)
    while digits < MOST_DIGITS and not float(f"{abs(value):.{digits}f}"):
        digits += 1
    return f"{MINUS if value < 0 else '+'}{abs(value):.{digits}f}"


def format_p(p: float) -> str:
    """
    >>> format_p(0.00021), format_p(0.0421), format_p(1.0), format_p(float("nan"))
    ('< 0.001', '0.042', '1.000', '–')
    """
    if not math.isfinite(p):
        return NO_VALUE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def format_win_tie_loss(found: WinTieLoss) -> str:
    """
    >>> from engine.stats import WinTieLoss
    >>> format_win_tie_loss(WinTieLoss(3, 10, 1))
    '3 / 10 / 1'
    """
    return f"{found.wins:,} / {found.ties:,} / {found.losses:,}"


def format_percent(level: float) -> str:
    """
    >>> format_percent(0.95), format_percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.10g} %"


def _digits(value: float) -> int:
    return 2 if abs(value) >= 10 else 3
