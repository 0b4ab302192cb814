"""Intervals and p-values of a gate in words: with the level, and all the digits, that decided."""

from __future__ import annotations

import math

from engine.report.tables.numbers import NO_VALUE, format_number, format_signed
from engine.stats import Interval


def describe_interval(found: Interval, sign: bool = False) -> str:
    """An interval in words, with the level that it has.

    >>> describe_interval(Interval(0.1, 0.2, 0.95)), describe_interval(Interval(0.1, 0.2, 0.974194))
    ('95 % CI 0.100 to 0.200', '97.42 % CI 0.100 to 0.200')
    """
    if math.isnan(found.low):
        return "no interval"
    shown = format_signed if sign else format_number
    return f"{100 * found.level:.4g} % CI {shown(found.low)} to {shown(found.high)}"


def spell_p(p: float) -> str:
    """A p-value.

    >>> spell_p(0.01234), spell_p(0.00001)
    ('0.0123', '<0.0001')
    """
    if math.isnan(p):
        return NO_VALUE
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def describe_p(p: float) -> str:
    """A p-value in a sentence.

    >>> describe_p(0.01234), describe_p(0.00001)
    ('p = 0.0123', 'p < 0.0001')
    """
    return f"p {spell_p(p)}".replace("<", "< ") if p < 0.0001 else f"p = {spell_p(p)}"
