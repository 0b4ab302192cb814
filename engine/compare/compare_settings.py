"""How systems are compared: each choice that matters, written into every result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.base.errors import InputError
from engine.stats import IntervalMethod

Clustering: TypeAlias = Literal["none", "keywords", "video"] | Mapping[str, str]
"""Which queries are not independent: none, those with the same keywords, clips of one video, or as
a mapping from query to cluster says. A query of which nothing is known stands alone."""


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """The defaults are those of the command line.

    level         of the intervals; differences are significant at 1 − level
    resamples     of the bootstrap, and sign flips of the permutation test
    least_queries that a slice needs to be looked at
    """

    level: float = 0.95
    method: IntervalMethod = "bca"
    resamples: int = 10_000
    seed: int = 0
    clusters: Clustering = "none"
    least_queries: int = 10

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1:
            raise InputError(f"the level is {self.level:g}", hint="give 0.5 to 0.999…, say 0.95")
        if not 100 <= self.resamples <= 1_000_000:
            raise InputError(
                f"{self.resamples:,} resamples are asked for", hint="give 100 to 1,000,000"
            )
        if self.seed < 0:
            raise InputError(f"the seed is {self.seed}", hint="give a whole number from 0 up")
        if self.least_queries < 2:
            raise InputError(
                f"a slice of {self.least_queries} queries is asked for",
                hint="a difference needs at least 2",
            )

    @property
    def alpha(self) -> float:
        return 1 - self.level

    @property
    def clusters_in_words(self) -> str:
        return self.clusters if isinstance(self.clusters, str) else "from a file"


DEFAULT_COMPARE_SETTINGS = CompareSettings()
