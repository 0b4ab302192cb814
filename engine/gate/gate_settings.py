"""How a gate decides: each choice that matters, written into every result."""

from __future__ import annotations

from dataclasses import dataclass

from engine.base.errors import InputError
from engine.compare import CompareSettings

LEAST_QUERIES = 20
"""Of a slice, where nothing else is said. More than a comparison asks for: a small slice of skewed
differences often has not one of the rare large gains, and then looks worse without being so."""

_COMPARE = CompareSettings(least_queries=LEAST_QUERIES)


SEVERITY = 0.02
"""Of a new finding that fails, in points of the mean: what a triage counts as harm at all."""

_LARGEST = 1e9
"""No metric is larger; a number beyond is a slip."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The defaults are those of the command line.

    compare        intervals, resamples, seed, clusters, and how many queries a slice needs
    epsilon        a drop of so much is put up with
    detect         a drop of so much beyond epsilon should have been seen: else the gate is
                   underpowered
    power          the probability with which it should have been seen
    allow_missing  compare what both runs have, though the run lacks queries of the baseline
    severity       a new finding of a triage that is as severe fails
    """

    compare: CompareSettings = _COMPARE
    epsilon: float = 0.0
    detect: float = 0.05
    power: float = 0.8
    allow_missing: bool = False
    severity: float = SEVERITY

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= _LARGEST:
            raise InputError(
                f"epsilon is {self.epsilon:g}", hint="give the drop to put up with, from 0 up"
            )
        if not 0 < self.detect <= _LARGEST:
            raise InputError(
                f"the drop to detect is {self.detect:g}", hint="give one above 0, say 0.05"
            )
        if not 0 < self.power < 1:
            raise InputError(f"the power is {self.power:g}", hint="give one between 0 and 1")
        if not 0 <= self.severity <= 1:
            raise InputError(
                f"the severity is {self.severity:g}",
                hint="give points of the metric's mean, from 0 to 1, say 0.02",
            )

    @property
    def alpha(self) -> float:
        """Of the one-sided tests together: the share that a two-sided interval leaves above it.

        >>> round(GateSettings().alpha, 12)
        0.025
        """
        return (1 - self.compare.level) / 2


DEFAULT_GATE_SETTINGS = GateSettings()
