"""Limits: a number that a metric of the run must not be below (a rank: above)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.base.arrays import ROUNDING
from engine.base.errors import InputError
from engine.metrics import Measure, Profile


@dataclass(frozen=True, slots=True)
class Limit:
    """mode  the one in which it holds; None: in every mode of the run"""

    mode: str | None
    measure: Measure
    value: float

    def broken_by(self, value: float) -> bool:
        """Whether a mean is on the wrong side.

        >>> Limit(None, Measure.parse("P@5"), 0.6).broken_by(0.59)
        True
        >>> Limit(None, Measure.parse("MedR"), 3).broken_by(2)
        False
        """
        short = value - self.value if self.measure.lower_is_better else self.value - value
        return short > ROUNDING * max(1.0, abs(self.value))


def parse_limit(text: str, language: Profile) -> Limit:
    """The limit that "METRIC=NUMBER" or "MODE:METRIC=NUMBER" names.

    >>> from engine.metrics import find_profile
    >>> limit = parse_limit("text:Recall@5=0.6", find_profile("alfa"))
    >>> limit.mode, str(limit.measure), limit.value
    ('text', 'P@5', 0.6)
    """
    name, _, number = text.rpartition("=")  # AP@5(norm=min)=0.3 has two
    mode, colon, metric = name.rpartition(":")
    value = _number(number)
    if value is None or not metric.strip() or (colon and not mode.strip()):
        raise InputError(
            f"the limit {text[:80]!r} is not METRIC=NUMBER",
            hint="write --fail-under Recall@5=0.6, or text:Recall@5=0.6 for one mode only",
        )
    measure = language.parse(metric.strip())
    require_per_query(measure)
    return Limit(mode.strip() or None, measure, value)


def require_per_query(measure: Measure) -> None:
    if measure.aggregate == "pooled":
        raise InputError(
            f"{measure} pools the items of all queries: it has no value per query",
            hint="gate MedR or MnR",
        )


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
