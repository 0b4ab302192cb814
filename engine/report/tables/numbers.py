"""Numbers as reports show them: digits enough to tell systems apart, a dash for the undefined."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for their names alone: --help must not wait for numpy
    from engine.stats import Interval, WinTieLoss

NONE = "–"
MINUS = "−"


def number(value: float) -> str:
    """Three digits after the point; two from 10 up.

    >>> number(0.5692), number(12.346), number(-0.25), number(float("nan"))
    ('0.569', '12.35', '−0.250', '–')
    """
    if not math.isfinite(value):
        return NONE
    text = f"{abs(value):.{_digits(value)}f}"
    return f"{MINUS}{text}" if value < 0 and float(text) else text


def signed(value: float) -> str:
    """A difference, with its sign unless it shows as 0.

    >>> signed(0.1231), signed(-0.04), signed(0.0001)
    ('+0.123', '−0.040', '0.000')
    """
    text = number(value)
    return f"+{text}" if value > 0 and any(digit in "123456789" for digit in text) else text


def with_std(value: float, std: float) -> str:
    """
    >>> with_std(0.5692, 0.3251), with_std(1.0, float("nan"))
    ('0.569 ± 0.325', '1.000')
    """
    if not math.isfinite(value) or not math.isfinite(std):
        return number(value)
    return f"{number(value)} ± {std:.{_digits(value)}f}"


def interval(found: Interval, *, signs: bool = False) -> str:
    """
    >>> from engine.stats import Interval
    >>> interval(Interval(-0.01, 0.2, 0.95)), interval(Interval(float("nan"), float("nan"), 0.95))
    ('[−0.010, 0.200]', '–')
    """
    if not math.isfinite(found.low) or not math.isfinite(found.high):
        return NONE
    spell = signed if signs else number
    return f"[{spell(found.low)}, {spell(found.high)}]"


def p_value(p: float) -> str:
    """
    >>> p_value(0.00021), p_value(0.0421), p_value(1.0), p_value(float("nan"))
    ('< 0.001', '0.042', '1.000', '–')
    """
    if not math.isfinite(p):
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def counts(found: WinTieLoss) -> str:
    """
    >>> from engine.stats import WinTieLoss
    >>> counts(WinTieLoss(3, 10, 1))
    '3 / 10 / 1'
    """
    return f"{found.wins:,} / {found.ties:,} / {found.losses:,}"


def percent(level: float) -> str:
    """
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.10g} %"


def _digits(value: float) -> int:
    return 2 if abs(value) >= 10 else 3
