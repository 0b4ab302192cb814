"""Near-duplicates: pairs of items whose vectors are nearly the same.

How near "nearly" is, is calibrated on the data. Where unrelated items lie in a space of δ
dimensions as densely as they do around here, so many lie within a distance r that the nearest one
of another source follows

    P(distance ≤ r) = 1 − exp(−(r / ρ)^δ)         (the law of Weibull)

with distance = 1 − cosine. ρ and δ come from the median and the upper quartile of the nearest
distances, those of equal vectors left out: near-duplicates lie at the other end, where they move
neither unless half of all items have one. The limit is the distance below which not one of all N
items has an unrelated neighbour, in 95 of 100 such collections: P = 0.05 / N. Where the density
differs from place to place, the distances spread more, which makes the limit stricter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools, Floats, Ints, Vectors
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM
from engine.search.batches import search_in_chunks
from engine.search.exhaustive import compute_row_lengths
from engine.search.flat import FaissIndex
from engine.search.index import Index
from engine.search.one_per_search import search_one_per_source

NEIGHBOURS = 10
"""Neighbours of each item that are looked at."""

LEAST_LIMIT = 0.9
"""Below this cosine nothing is nearly the same, however far apart all others are."""

SAME = 1e-6
"""Vectors of float32 that differ by less than this from a cosine of 1 are the same."""

UNCALIBRATED_LIMIT = 0.999
"""Where there are too few items of other sources to learn a limit from."""

MOST_ITEMS_SEARCHED = 300_000
"""Items among which is searched; of more so many are drawn, for each is kept at unit length."""

CALIBRATION_ITEMS = 2_000
FEWEST_TO_CALIBRATE = 30
FALSE_ALARMS = 0.05

WORK = 2 * 10**11
"""Products of two numbers that a search may cost: ten seconds on two cores."""

_FEWEST_ASKED = 1_000


@dataclass(frozen=True, slots=True)
class NearnessLimit:
    """From which cosine on a pair is nearly the same.

    sampled     how many items it was calibrated on; 0: it was not
    typical     median cosine of these with the nearest item of another source
    dimensions  δ of the law above, in distances of 1 − cosine
    """

    cosine: float
    sampled: int
    typical: float = math.nan
    dimensions: float = math.nan


@dataclass(frozen=True, slots=True, eq=False)
class NearDuplicates:
    """Pairs of items that are nearly the same, the most similar first.

    rows, others  (pairs,) the items of each pair, the smaller number first
    similarities  (pairs,) their cosine
    asked         how many items were looked at; others are there as neighbours only
    searched      among how many neighbours were looked for, of `items`
    crowded       how many items have as many near-duplicates as were looked at, and maybe more
    """

    rows: Ints
    others: Ints
    similarities: Vectors
    limit: NearnessLimit
    asked: int
    searched: int
    items: int
    crowded: int

    def __len__(self) -> int:
        return len(self.rows)

    def find_across(self, sources: AnyInts) -> Bools:
        """(pairs,) whether the two are of different sources."""
        across: Bools = sources[self.rows] != sources[self.others]
        return across


def find_near_duplicates(
    vectors: AnyFloats,
    sources: AnyInts | None = None,
    *,
    index: Index | None = None,
    limit: float | None = None,
    seed: int = 0,
    work: int = WORK,
) -> NearDuplicates:
    """All pairs of rows whose cosine is at least the limit, among the `NEIGHBOURS` of each.

    sources  (rows,) the number of each row's source; None: each is its own
    index    what searches the rows by cosine, if there is one already
    limit    a cosine; None: it is calibrated
    work     where asking with all rows costs more products than this, rows are drawn at random

    >>> near = find_near_duplicates(np.float32([[1, 0], [1, 0], [0, 1]]))
    >>> near.rows.tolist(), near.others.tolist(), near.similarities.tolist()
    ([0], [1], [1.0])
    """
    items = len(vectors)
    numbers = np.arange(items) if sources is None else np.asarray(sources)
    rng = np.random.default_rng(seed)
    usable = np.flatnonzero(_has_direction(vectors))  # a row of zeros is like nothing
    usable = usable[_draw(len(usable), MOST_ITEMS_SEARCHED, rng)]
    if len(usable) < 2:
        return _collect(items, len(usable), 0, 0, [], NearnessLimit(limit or UNCALIBRATED_LIMIT, 0))
    if len(usable) < items:
        index, vectors = None, vectors[usable]
    searched: Index = FaissIndex(vectors, "cosine") if index is None else index
    asked = _draw(len(usable), max(_FEWEST_ASKED, work // vectors.size), rng)
    if limit is None:
        chosen = asked[_draw(len(asked), CALIBRATION_ITEMS, rng)]
        nearest = find_nearest_of_others(searched, vectors, numbers[usable], chosen)
        found_limit = calibrate_limit(nearest, len(usable))
    else:
        found_limit = NearnessLimit(limit, 0)
    pairs, crowded = [], 0
    for part in split_range(len(asked), 4096):
        own = asked[part]
        for piece, ranking in search_in_chunks(searched, vectors[own], NEIGHBOURS, own_rows=own):
            near = ranking.scores >= np.float32(found_limit.cosine)
            query, place = np.nonzero(near)
            here = own[piece][query], ranking.indices[query, place]
            pairs.append((usable[here[0]], usable[here[1]], ranking.scores[query, place]))
            crowded += int(near.all(axis=1).sum()) if ranking.depth < len(usable) - 1 else 0
    return _collect(items, len(usable), len(asked), crowded, pairs, found_limit)


def find_nearest_of_others(
    index: Index, vectors: AnyFloats, sources: AnyInts, rows: Ints
) -> Floats:
    """The cosine of each of the rows with the nearest row of another source; NaN: there is none.

    >>> vectors = np.float32([[1, 0], [1, 0], [0, 1]])
    >>> find_nearest_of_others(FaissIndex(vectors), vectors, np.array([0, 0, 1]), np.arange(3))
    array([0., 0., 0.])
    """
    nearest = np.full(len(rows), np.nan)
    for part, found in search_one_per_source(
        lambda queries, depth: search_in_chunks(index, queries, depth),
        vectors[rows],
        1,
        sources,
        sources[rows],
    ):
        if found.depth:
            there = found.indices[:, 0] != NO_ITEM
            nearest[part] = np.where(there, found.scores[:, 0], np.nan)
    return nearest


def calibrate_limit(nearest: Floats, items: int) -> NearnessLimit:
    """The limit that no unrelated pair reaches, from cosines with the nearest of another source;
    NaN: there is none.

    items  how many there are in all, of which these are a sample

    >>> calibrate_limit(np.zeros(3), 3).sampled
    0
    """
    nearest = nearest[nearest < 1.0 - SAME]
    if len(nearest) < FEWEST_TO_CALIBRATE:
        return NearnessLimit(UNCALIBRATED_LIMIT, 0)
    distances = np.log(np.maximum(1.0 - nearest, SAME))
    middle, far = np.quantile(distances, (0.5, 0.75)).tolist()
    scale = (far - middle) / math.log(2)  # ln(−ln ¼) − ln(−ln ½) = ln 2
    place = middle - scale * math.log(math.log(2))
    nearest_by_chance = place + scale * math.log(-math.log1p(-FALSE_ALARMS / items))
    cosine = 1.0 - math.exp(nearest_by_chance)
    return NearnessLimit(
        cosine=min(max(cosine, LEAST_LIMIT), 1.0 - SAME),
        sampled=len(nearest),
        typical=float(np.median(nearest)),
        dimensions=1.0 / scale if scale > 0 else math.inf,
    )


def _has_direction(vectors: AnyFloats) -> Bools:
    lengths = compute_row_lengths(vectors)
    return np.isfinite(lengths) & (lengths > 0)


def _draw(items: int, most: int, rng: np.random.Generator) -> Ints:
    """So many of the items at most, in order."""
    if items <= most:
        return np.arange(items)
    drawn: Ints = np.sort(rng.choice(items, most, replace=False))
    return drawn


def _collect(
    items: int,
    searched: int,
    asked: int,
    crowded: int,
    found: list[tuple[Ints, Ints, Vectors]],
    limit: NearnessLimit,
) -> NearDuplicates:
    """Each pair once, the most similar first."""
    empty = np.zeros(0, np.int64)
    one, two, scores = (
        map(np.concatenate, zip(*found, strict=True))
        if found
        else (empty, empty, empty.astype(np.float32))
    )
    rows, others = np.minimum(one, two), np.maximum(one, two)
    _, first = np.unique(rows * items + others, return_index=True)
    rows, others, scores = rows[first], others[first], scores[first]
    # Equal vectors differ in the last digit, by how their lengths were rounded.
    order = np.lexsort((others, rows, -np.round(scores, 6)))
    return NearDuplicates(
        rows=rows[order],
        others=others[order],
        similarities=scores[order],
        limit=limit,
        asked=asked,
        searched=searched,
        items=items,
        crowded=crowded,
    )
