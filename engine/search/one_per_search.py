"""Searching until every query has results of k different sources.

A search for d clips gives fewer sources than d where many of the nearest are of one recording; the
queries that have too few are searched again twice as deep, until they have k, or all clips were
ranked. The result is the one that the whole ranking would give, k deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Ints
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM, Ranking
from engine.search.exhaustive import SEARCH_CHUNK_BYTES
from engine.search.one_per_source import count_kept, keep_one_per_source

SearchToDepth: TypeAlias = Callable[[AnyFloats, int], Iterable[tuple[slice, Ranking]]]
"""Ranks the queries to a depth, piece by piece; `NO_ITEM` stands where nothing is certain yet."""

_QUERIES_AT_ONCE = 1024
_RESULT_BYTES = 8 + 4


def count_reachable_sources(sources: AnyInts, own_sources: AnyInts | None, queries: int) -> Ints:
    """(queries,) how many sources each query can find: all but its own.

    >>> count_reachable_sources(np.array([4, 4, 7]), np.array([7, -1]), 2).tolist()
    [1, 2]
    """
    distinct = np.unique(sources)
    reachable = np.full(queries, len(distinct), np.int64)
    if own_sources is not None:
        reachable -= np.isin(own_sources, distinct)
    return reachable


def search_one_per_source(
    search: SearchToDepth,
    queries: AnyFloats,
    k: int,
    sources: AnyInts,
    own_sources: AnyInts | None = None,
) -> Iterator[tuple[slice, Ranking]]:
    """The best-ranked clip of each of the best k sources, piece by piece, the query's own left out.

    sources      (clips,) the number of each clip's source
    own_sources  (queries,) the source that each query is cut from; None: no query has one

    >>> from engine.search import FaissIndex, search_in_chunks
    >>> index = FaissIndex(np.float32([[1, 0], [2, 0], [0, 1]]))
    >>> search = lambda vectors, depth: search_in_chunks(index, vectors, depth)
    >>> ((_, found),) = search_one_per_source(search, np.float32([[1, 0]]), 2, np.array([3, 3, 5]))
    >>> found.indices
    array([[0, 2]])
    """
    wanted = np.minimum(count_reachable_sources(sources, own_sources, len(queries)), k)
    width, size = int(wanted.max(initial=0)), len(sources)
    step = min(_QUERIES_AT_ONCE, SEARCH_CHUNK_BYTES // (_RESULT_BYTES * max(1, width)))
    first = min(size, 2 * max(1, width))
    for part in split_range(len(queries), max(1, step)):
        found = Ranking(
            np.full((part.stop - part.start, width), NO_ITEM, np.int64),
            np.full((part.stop - part.start, width), -np.inf, np.float32),
        )
        still = np.flatnonzero(wanted[part] > 0)
        half, depth = len(still) / 2, first
        while len(still):
            still = _fill(
                found,
                still,
                search(queries[part][still], depth),
                sources,
                None if own_sources is None else own_sources[part],
                wanted[part],
            )
            if depth >= size:
                break
            # What half of these queries need is searched at once for the next ones.
            first = first if len(still) <= half else min(2 * depth, size)
            depth = min(2 * depth, size)
        yield part, found


def _fill(
    found: Ranking,
    rows: Ints,
    searched: Iterable[tuple[slice, Ranking]],
    sources: AnyInts,
    own_sources: AnyInts | None,
    wanted: Ints,
) -> Ints:
    """Put the rankings of some rows in their places; the rows that have too few results."""
    lacking = []
    for piece, ranking in searched:
        some = rows[piece]
        own = None if own_sources is None else own_sources[some]
        kept = keep_one_per_source(ranking, sources, own, found.depth)
        found.indices[some, : kept.depth] = kept.indices
        found.scores[some, : kept.depth] = kept.scores
        lacking.append(some[count_kept(kept) < wanted[some]])
    return np.concatenate(lacking) if lacking else rows[:0]
