"""How systems are compared: each choice that matters, written into every result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from engine.base.arrays import Ints
from engine.base.errors import InputError, Place
from engine.files.reader import reads
from engine.files.text import read_csv_rows, read_text
from engine.stats.bootstrap import BootstrapOptions, IntervalMethod

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

    def bootstrap(self, clusters: Ints | None) -> BootstrapOptions:
        """For intervals of queries that are in these clusters."""
        return {
            "level": self.level,
            "method": self.method,
            "resamples": self.resamples,
            "seed": self.seed,
            "clusters": clusters,
        }

    @property
    def clusters_in_words(self) -> str:
        return self.clusters if isinstance(self.clusters, str) else "from a file"


DEFAULT_COMPARE_SETTINGS = CompareSettings()


@reads("a file of clusters")
def read_clusters(path: Path) -> dict[str, str]:
    """The cluster of each query that the file names."""
    if not path.exists():
        raise InputError(
            f"--clusters {str(path)!r} is neither none, keywords, video nor a file",
            hint="give a CSV file with the columns query,cluster",
        )
    rows = read_csv_rows(read_text(path), path)
    head = [name.strip().lower() for name in next(rows, (1, []))[1]]
    if "query" not in head or "cluster" not in head:
        raise InputError(
            "has no columns query and cluster",
            Place(path, line=1),
            hint="write the header query,cluster",
        )
    query, cluster = head.index("query"), head.index("cluster")
    found: dict[str, str] = {}
    for line, row in rows:
        place = Place(path, line)
        if len(row) <= max(query, cluster):
            raise InputError(f"has {len(row)} cells, the header has {len(head)}", place)
        if found.setdefault(row[query], row[cluster]) != row[cluster]:
            raise InputError(f"puts the query {row[query]!r} into a second cluster", place)
    if not found:
        raise InputError("names no query", Place(path))
    return found
