"""Numbers with their intervals, as documents of a triage have them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.files.fields import Field
from engine.stats import Interval
from engine.triage.finding import UNDEFINED


@dataclass(frozen=True, slots=True)
class SavedNumber:
    """A number with its interval, as far as there are any."""

    value: float
    interval: Interval


_LARGEST = 1e15
"""No effect is larger, nor a number behind one: a table has no room for 300 digits."""


def read_number(field: Field, least: float = -_LARGEST) -> float:
    """NaN for null.

    >>> from engine.base.errors import Place
    >>> read_number(Field(0.5, "mean", Place("t.json")))
    0.5
    """
    number = math.nan if field.null else field.number()
    if number < least or number > _LARGEST:
        raise field.wrong(f"is {number:g}, not from {least:g} to {_LARGEST:g}")
    return number


def read_share(field: Field) -> float:
    """A p-value, or any number from 0 to 1; NaN for null."""
    return math.nan if field.null else field.share()


def read_interval(field: Field) -> Interval:
    """An undefined one for null."""
    if field.null:
        return UNDEFINED
    ends = [read_number(one) for one in field.items()]
    if len(ends) != 2:
        raise field.wrong(f"has {len(ends)} ends, not 2")
    low, high = ends
    return Interval(low, high, math.nan)


def read_saved_number(field: Field) -> SavedNumber:
    """A number that stands with its interval in an object of their own."""
    return SavedNumber(read_number(field["value"]), read_interval(field["interval"]))
