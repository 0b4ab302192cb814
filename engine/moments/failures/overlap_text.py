"""Overlaps as texts: cut off, never rounded up, so that a miss does not read like a hit."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_DOWN, Decimal
from typing import Any

_MOST_DIGITS = 20


def shortest(value: Any) -> float:
    """The shortest decimals that mean a number: 0.7 of single precision is 0.7.

    Compared with a threshold they say the same as the number in its own precision.

    >>> import numpy as np
    >>> float(np.float32(0.7)), shortest(np.float32(0.7))
    (0.699999988079071, 0.7)
    """
    return float(str(value))


def overlap_text(overlap: float, limits: Sequence[float] = (), digits: int = 3) -> str:
    """An overlap in few digits, cut off: what is less than 0.5 never reads 0.500, and what is above
    0 never reads 0. More digits where a limit would else lie between the text and the number.

    >>> overlap_text(0.4567), overlap_text(0.49998), overlap_text(1.0), overlap_text(0.00004)
    ('0.456', '0.499', '1.000', '0.001')
    >>> overlap_text(0.49998, digits=2), overlap_text(0.45678, limits=[0.4567])
    ('0.49', '0.4567')
    """
    exact = Decimal(str(overlap))
    for places in range(digits, _MOST_DIGITS):
        unit = Decimal(1).scaleb(-places)
        text = exact.quantize(unit, ROUND_DOWN)
        if exact > 0:
            text = max(text, unit)
        if all((float(text) >= limit) == (overlap >= limit) for limit in limits):
            return str(text)
    return str(overlap)
