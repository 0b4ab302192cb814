"""Checks: what a gate looked at, limits among it, and what came of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.base.arrays import ROUNDING
from engine.base.errors import InputError
from engine.compare import QueryChange, Slice
from engine.metrics import Measure, Profile
from engine.stats import Interval


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


GateVerdict: TypeAlias = Literal["pass", "fail", "underpowered"]


CorrectionMethod: TypeAlias = Literal["holm", "max-t"]
"""How a p is corrected: on its own, or together with those of all slices."""


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """A limit, held against one mode of the run.

    value  the mean over the n queries that count; of a rank measured by its median, the median
    """

    limit: Limit
    mode: str
    value: float
    interval: Interval
    n: int
    verdict: GateVerdict

    @property
    def measure(self) -> Measure:
        return self.limit.measure


@dataclass(frozen=True, slots=True)
class Power:
    """What the test on the mean could have seen, were the differences as scattered as they are.

    smallest  the smallest drop beyond epsilon that is found with the asked power; NaN: the queries
              are too few to find any
    needed    queries with which the drop to detect would be found; None: a billion are too few
    """

    smallest: float
    needed: int | None


@dataclass(frozen=True, slots=True)
class Regression:
    """One hypothesis: that the run is not worse than the baseline by more than epsilon.

    slice          which queries; None for all
    before, after  the mean (median) of the baseline and of the run, over the same n queries
    gain           the mean (median) of the paired differences, positive where the run is better
    interval       of the gain, at the level that it has: the correction decides about its upper end
    p, corrected   of the one-sided test, and corrected over all hypotheses of the gate
    correction     by what
    power          of a mean over all queries only
    worst          the queries that lost most; of a failed hypothesis only
    """

    mode: str
    measure: Measure
    slice: Slice | None
    before: float
    after: float
    gain: float
    interval: Interval
    n: int
    p: float
    corrected: float
    correction: CorrectionMethod
    verdict: GateVerdict
    power: Power | None = None
    worst: tuple[QueryChange, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingCheck:
    """A finding of a triage that its baseline had not, held against the severity that may pass.

    mode           of the queries that it is about; empty: it is about the clips alone
    measure        the metric whose mean the severity has points of
    before, after  the effect in the baseline and in the run's model, in `unit`; NaN: not known
    gain           after − before, in the unit of the effect: which sign is worse depends on it
    interval       of the gain
    corrected      p of no difference, over all changes of the triage
    is_sure        whether the difference itself is proven: a finding may come by chance
    costs_less     whether the difference is for the better, as far as it is known
    n, support_of  how many of what are concerned
    sentence       what was found
    """

    id: str
    mode: str
    measure: Measure
    severity: float
    limit: float
    before: float
    after: float
    gain: float
    unit: str
    interval: Interval
    corrected: float
    is_sure: bool
    costs_less: bool
    n: int
    support_of: str
    sentence: str
    remedy: str
    verdict: GateVerdict


Check: TypeAlias = LimitCheck | Regression | FindingCheck
