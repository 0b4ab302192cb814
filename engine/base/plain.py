"""Numbers that JSON can hold: NaN and infinity have no spelling there."""

from __future__ import annotations

import math


def plain(value: float) -> float | None:
    """The number; None where it is undefined.

    >>> plain(0.5), plain(float("nan")), plain(float("inf"))
    (0.5, None, None)
    """
    return value if math.isfinite(value) else None
