"""Which queries belong together: those of one source, and those of one keyword set.

Such queries are no independent draws: clips of one source look alike, and queries of one keyword
set have the same relevant clips.
"""

from __future__ import annotations

from engine.base.arrays import Ints
from engine.dataset.clip_set import find_distinct_rows
from engine.dataset.query_set import QuerySet
from engine.stats.cluster_labels import QueryClusters, find_query_clusters


def cluster_queries(queries: QuerySet, sources: Ints) -> QueryClusters:
    """The clusters of queries; `sources` are those of the clips. Texts have no source."""
    words = [(number,) for number in find_distinct_rows(queries.bits)[1].tolist()]
    if queries.rows is None:
        return find_query_clusters(None, words)
    own = [(number,) for number in sources[queries.rows].tolist()]
    return find_query_clusters(own, words)
