"""Which queries belong together: those of one source, and those of one keyword set.

Such queries are no independent draws: clips of one source look alike, and queries of one keyword
set have the same relevant clips. Where joining both kinds would leave hardly any clusters to draw
from (a recording that has a clip of every keyword set joins them all), keyword sets alone count.
"""

from __future__ import annotations

import numpy as np

from engine.base.arrays import Ints
from engine.dataset.clip_set import find_distinct_rows
from engine.dataset.query_set import QuerySet

_LARGEST_SHARE = 0.25
"""A cluster that holds more of the queries than this is no unit to draw."""


def cluster_queries(queries: QuerySet, sources: Ints) -> Ints:
    """(q,) queries of one number share a source or a keyword set, also through others.

    `sources` are those of the clips.
    """
    words = find_distinct_rows(queries.bits)[1]
    if queries.rows is None or not len(queries):
        return words
    both = join_labels(words, sources[queries.rows])
    largest = int(np.bincount(both).max())
    alone = int(np.bincount(words).max())
    return both if largest <= max(_LARGEST_SHARE * len(both), alone) else words


def join_labels(one: Ints, other: Ints) -> Ints:
    """(n,) what shares a label of either kind, directly or through others, has one number.

    >>> join_labels(np.array([0, 0, 1, 2]), np.array([5, 6, 6, 7])).tolist()
    [0, 0, 0, 1]
    """
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    a = np.unique(one, return_inverse=True)[1].reshape(-1)
    b = np.unique(other, return_inverse=True)[1].reshape(-1)
    first = int(a.max(initial=-1)) + 1
    size = first + int(b.max(initial=-1)) + 1
    graph = coo_array((np.ones(len(a), np.int8), (a, first + b)), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    found: Ints = np.unique(component[a], return_inverse=True)[1].reshape(-1).astype(np.int64)
    return found
