"""Which queries hang together: those from one source, and those with the same keywords.

Two queries are in one cluster if a chain of queries leads from one to the other, each of which
shares its source or its keyword set with the next. Statistics then treat clusters, not queries, as
independent. Chains can lead everywhere: where every video shows every keyword, all queries are one
cluster, and nothing could be tested. Then the keyword sets alone are the clusters, which is said.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.base.arrays import Ints

LEAST_CLUSTERS = 20
"""Fewer can hardly show anything: the smallest p of five clusters is 2⁻⁵."""

LARGEST_SHARE = 0.5
"""Of all queries, in one cluster: beyond, half of what is known is a single observation."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryClusters:
    """The cluster of every query, and what made it.

    labels  (n,) 0, 1, 2 …, in the order in which they first come
    joined  clusters that sources and keyword sets together would make
    widest  share of the queries in the largest of these
    """

    labels: Ints
    by: Literal["source or keywords", "keywords"]
    joined: int
    widest: float

    @property
    def count(self) -> int:
        return int(self.labels.max(initial=-1)) + 1

    @property
    def note(self) -> str | None:
        """What must be said of them: nothing, where they are what was asked for."""
        if self.by == "source or keywords":
            return None
        made = "1 cluster" if self.joined == 1 else f"{self.joined:,} clusters"
        return (
            f"shared sources and keywords join the queries into {made}, the largest with "
            f"{self.widest:.0%} of them: so sources are not used for clusters, and only queries "
            "with the same keywords are taken as one"
        )


def find_query_clusters(
    sources: Sequence[Hashable | None] | None, keywords: Sequence[Hashable | None]
) -> QueryClusters:
    """Clusters of queries by the source and the keyword set of each.

    None, or what is empty, is shared with no one. Where fewer than 20 clusters would be left, or
    one of them would hold more than half of the queries, and keyword sets alone make more clusters,
    these are the clusters.

    >>> words = [("a",), ("a",), ("b",), ()] + [(str(n),) for n in range(30)]
    >>> videos = ["x", "y", "y", None] + [f"video {n}" for n in range(30)]
    >>> found = find_query_clusters(videos, words)
    >>> found.labels[:5].tolist(), found.by
    ([0, 0, 0, 1, 2], 'source or keywords')
    >>> found = find_query_clusters(["x"] * 34, words)
    >>> found.labels[:5].tolist(), found.note[:62]
    ([0, 0, 1, 2, 3], 'shared sources and keywords join the queries into 1 cluster, t')
    """
    own = _number(keywords)
    both = own if sources is None else join_labels(_number(sources), own)
    n, sizes = len(own), np.bincount(both)
    widest = float(sizes.max()) / n if n else 0.0
    few = len(sizes) < LEAST_CLUSTERS or widest > LARGEST_SHARE
    if few and int(own.max(initial=-1)) + 1 > len(sizes):
        return QueryClusters(own, "keywords", len(sizes), widest)
    return QueryClusters(both, "source or keywords", len(sizes), widest)


def _number(names: Sequence[Hashable | None]) -> Ints:
    """(n,) a number for each name, in the order in which they first come."""
    known: dict[object, int] = {}
    keys = (name if name else (place, None) for place, name in enumerate(names))
    return np.array([known.setdefault(key, len(known)) for key in keys], np.int64)


def join_labels(first: Ints, second: Ints) -> Ints:
    """(n,) components of the graph in which what has the same number, of either, is joined; the
    numbers are small ones, from 0 up.

    >>> join_labels(np.array([0, 0, 1, 2]), np.array([5, 6, 6, 7])).tolist()
    [0, 0, 0, 1]
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} sources do not belong to {len(second)} queries")
    if not len(first):
        return first
    from scipy.sparse import coo_array  # type: ignore[import-untyped,unused-ignore]
    from scipy.sparse.csgraph import (  # type: ignore[import-untyped,unused-ignore]
        connected_components,
    )

    left = int(first.max()) + 1
    nodes = left + int(second.max()) + 1
    ones = np.ones(len(first), np.int8)
    graph = coo_array((ones, (first, left + second)), shape=(nodes, nodes))
    _, component = connected_components(graph, directed=False)
    return _number([(int(one),) for one in component[first]])
