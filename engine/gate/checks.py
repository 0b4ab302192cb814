"""Checks: what a gate looked at, one by one, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.compare import QueryChange, Slice
from engine.gate.limits import Limit
from engine.metrics import Measure
from engine.stats import Interval

GateVerdict: TypeAlias = Literal["pass", "fail", "underpowered"]


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
    interval       of the gain
    p, holm        of the one-sided test, and corrected over all hypotheses of the gate
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
    holm: float
    verdict: GateVerdict
    power: Power | None = None
    worst: tuple[QueryChange, ...] = ()


Check: TypeAlias = LimitCheck | Regression
