"""TriageSettings: every choice that a finding depends on, written into every result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from engine.base.choices import LARGEST_CUTOFF
from engine.base.errors import InputError

MOST_RESAMPLES = 100_000
"""Each finding keeps its effect in every one of them."""


@dataclass(frozen=True, slots=True)
class TriageSettings:
    """The defaults are those of the command line.

    k             results of each query that are looked at; m, the metric of a query, is P@k
    alpha         the chance of even one false finding among all that are shown
    level         of the intervals
    margin        points of m: what costs less does not matter, and an interval within says so
    resamples     of the bootstrap; permutation tests have no fewer, and as many as alpha needs
    splits        halves of the clips, cross-fitted, of what is learned from them
    seed          of every random choice
    least_support queries that a slice needs
    hub_depth     results of each query among which hubs are counted
    depth         results of each query that are kept
    most_queries  queries of a mode that costly analyses look at: a sample if there are more
    most_clips    clips from which they learn
    """

    k: int = 5
    alpha: float = 0.05
    level: float = 0.95
    margin: float = 0.02
    resamples: int = 2000
    splits: int = 10
    seed: int = 0
    least_support: int = 20
    hub_depth: int = 10
    depth: int = 50
    most_queries: int = 1_000
    most_clips: int = 4_000

    def __post_init__(self) -> None:
        for name, least in (("k", 1), ("resamples", 100), ("splits", 2), ("seed", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} is {getattr(self, name)}", hint=f"at least {least}")
        for name, most in (("k", LARGEST_CUTOFF), ("resamples", MOST_RESAMPLES)):
            if getattr(self, name) > most:
                raise InputError(f"{name} is {getattr(self, name)}", hint=f"at most {most:,}")
        for name in ("alpha", "level"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(
                    f"{name} is {getattr(self, name):g}", hint="give one between 0 and 1"
                )

    @property
    def measure(self) -> str:
        """The id of m."""
        return f"P@{self.k}"

    def dump(self) -> dict[str, Any]:
        """As plain values, for documents."""
        return asdict(self)


DEFAULT_TRIAGE_SETTINGS = TriageSettings()
