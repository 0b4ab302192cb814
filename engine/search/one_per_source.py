"""One result per source: of the clips that are cut from one recording only the best-ranked stays.

A source is a number; items of the same number are of one source. What a ranking cut short keeps is
the beginning of what the whole ranking would keep: the first clip of a source is the first one
wherever the ranking ends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyInts, Bools, Ints
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM, Ranking

NO_SOURCE = -1
"""In place of a query's own source: it has none, or none that is left out."""

_PLACES_AT_ONCE = 2**21  # some hundred megabytes of temporary arrays


def keep_one_per_source(
    ranking: Ranking,
    sources: AnyInts,
    own_sources: AnyInts | None = None,
    depth: int | None = None,
) -> Ranking:
    """The ranking with the best-ranked item of each source, and none of the query's own source.

    sources      (items,) the number of each item's source
    own_sources  (queries,) the source that each query is cut from, `NO_SOURCE` for none; None: no
                 query has one
    depth        how many results to keep at most; None: as many as the query with most of them has

    >>> found = Ranking(np.array([[0, 1, 2, 3]]), np.float32([[0.9, 0.8, 0.7, 0.6]]))
    >>> keep_one_per_source(found, np.array([5, 5, 6, 7])).indices
    array([[0, 2, 3]])
    >>> keep_one_per_source(found, np.array([5, 5, 6, 7]), own_sources=np.array([5])).indices
    array([[2, 3]])
    """
    if own_sources is not None and own_sources.shape != (len(ranking),):
        raise ValueError(f"{len(ranking)} queries but own sources of shape {own_sources.shape}")
    step = max(1, _PLACES_AT_ONCE // max(1, ranking.depth))
    parts = [
        _compact(
            Ranking(ranking.indices[part], ranking.scores[part]),
            find_first_of_source(
                ranking.indices[part], sources, None if own_sources is None else own_sources[part]
            ),
            depth,
        )
        for part in split_range(len(ranking), step)
    ]
    return _stack(parts, ranking.depth if depth is None else depth)


def find_first_of_source(
    indices: npt.NDArray[np.int64], sources: AnyInts, own_sources: AnyInts | None = None
) -> Bools:
    """(queries, depth) whether a result is the first of its source, and not of the query's own."""
    of_result = np.append(sources, NO_SOURCE)[indices]  # NO_ITEM (−1) falls on the last
    order = np.argsort(of_result, axis=1, kind="stable")
    ordered = np.take_along_axis(of_result, order, axis=1)
    is_new = np.ones(ordered.shape, np.bool_)
    is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.empty_like(is_new)
    np.put_along_axis(first, order, is_new, axis=1)
    first &= indices != NO_ITEM
    if own_sources is not None:
        first &= of_result != own_sources[:, None]
    return first


def count_kept(ranking: Ranking) -> Ints:
    """How many results each query has."""
    counts: Ints = (ranking.indices != NO_ITEM).sum(axis=1, dtype=np.int64)
    return counts


def _compact(ranking: Ranking, keep: Bools, depth: int | None) -> Ranking:
    """What is to be kept, moved to the front in the same order."""
    counts = keep.sum(axis=1)
    width = int(counts.max(initial=0)) if depth is None else min(depth, ranking.depth)
    order = np.argsort(~keep, axis=1, kind="stable")[:, :width]
    there = np.arange(width) < counts[:, None]
    indices = np.where(there, np.take_along_axis(ranking.indices, order, axis=1), NO_ITEM)
    scores = np.take_along_axis(ranking.scores, order, axis=1)
    return Ranking(indices, np.where(there, scores, np.float32(-np.inf)))


def _stack(parts: list[Ranking], most: int) -> Ranking:
    """Pieces below each other, as deep as the deepest."""
    depth = max((part.depth for part in parts), default=0)
    total = sum(map(len, parts))
    indices = np.full((total, min(depth, most)), NO_ITEM, np.int64)
    scores = np.full(indices.shape, -np.inf, np.float32)
    start = 0
    for part in parts:
        rows = slice(start, start + len(part))
        indices[rows, : part.depth], scores[rows, : part.depth] = part.indices, part.scores
        start += len(part)
    return Ranking(indices, scores)
