"""False alarms: how often an analysis finds something where there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scipy.stats import binom

from engine.triage.analysis import Analysis
from engine.triage.study import Study

ALPHA = 0.05
SIMULATED = 200


def count_alarms(
    analysis: Analysis, make: Callable[[int], Study], seeds: Iterable[int] = range(SIMULATED)
) -> int:
    """In how many studies of data without any effect the analysis has a p of 0.05 or less."""
    return sum(has_alarm(analysis, make(seed)) for seed in seeds)


def has_alarm(analysis: Analysis, study: Study) -> bool:
    return any(one.tests and one.p <= ALPHA for one in analysis.find(study))


def count_allowed(simulated: int = SIMULATED) -> int:
    """More alarms than these would come about once in a hundred times if the rate were nominal."""
    return int(binom.ppf(0.99, simulated, ALPHA))
