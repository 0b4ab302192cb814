"""Blame: what every keyword of every query costs, as a Shapley value of chance-corrected P@k.

For a query with keywords K and a set S of them that is dropped,

    v(S) = (P@k − R/N) / (1 − R/N)

where P@k counts the results that have all of K∖S, R the clips that have them and N the clips that
could be found; where sources are ranked, R counts sources, and what they have by chance stands for
R/N (`Study.compute_chance`). Where every clip is relevant v is 1: so it is of K itself, as a query
that asks for nothing is answered by anything, and so it stays for a keyword that every clip has,
which is then to blame for nothing. The shares of a query sum to v(K) − v(∅) = 1 − v(∅): all that it
lacks.

Too few relevant clips lower v as well, whatever finds them. Beside it stands, likewise shared out,

    reached(S) = (P@k − R/N) / (min(R, k)/k − R/N)

which is 1 where all that can be found is found. Both are equal where k clips are relevant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.ranking import NO_ITEM
from engine.dataset.clip_set import WORD, find_bits, set_bit
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.workings.keyword_shares import (
    MOST_EXACT,
    count_having,
    draw_orders,
    make_weights,
    share_steps,
)

MOST_SUBSETS = 1 << 17
"""(query, subset) pairs that are looked at; of more, queries are sampled."""

_MOST_BY_SOURCE = 1 << 15
"""The same where sources are counted, which takes several times as long."""

_ROUNDING = 1e-9

_ORDERS = 32
"""Orders that are drawn for a query of more keywords than `MOST_EXACT`."""


@dataclass(frozen=True, slots=True, eq=False)
class BlameShares:
    """Pairs of a query and a keyword that it asks for, query by query.

    queries   the rows of the queries that were looked at, ascending
    drawn     how many of those have too many keywords for all subsets
    query     (p,) row of the query among all of its mode
    column    (p,) bit column of the keyword
    size      (p,) keywords of the query
    blame     (p,) φ of v
    reached   (p,) φ of `reached`
    lacking   (q,) 1 − R/N of each query looked at: points of P@k in one of v
    """

    queries: Ints
    drawn: int
    query: Ints
    column: Ints
    size: Ints
    blame: Floats
    reached: Floats
    lacking: Floats


def measure_blame(study: Study, mode: int) -> BlameShares:
    """The shares of the queries of `study.asked[mode]` that count, or of a sample."""
    asked = study.asked[mode]
    rows = _choose_queries(study, asked)
    place, column = find_bits(asked.judged.query_bits[rows])
    size = np.bincount(place, minlength=len(rows))
    starts = np.cumsum(size) - size
    blame, reached = np.zeros(len(place)), np.zeros(len(place))
    for count in np.unique(size).tolist():
        own = np.flatnonzero(size == count)
        pairs = starts[own][:, None] + np.arange(count)
        columns = column[pairs]
        exact = count <= MOST_EXACT
        step = max(1, (1 << 14) >> min(count, MOST_EXACT))
        for piece in study.pieces(len(own), step):
            share = _share_exactly if exact else _share_orders
            found = share(study, asked, rows[own[piece]], columns[piece])
            blame[pairs[piece]], reached[pairs[piece]] = found
    return BlameShares(
        queries=rows,
        drawn=int((size > MOST_EXACT).sum()),
        query=rows[place],
        column=column,
        size=size[place],
        blame=blame,
        reached=reached,
        lacking=1 - study.chance_of(asked)[rows],
    )


def _choose_queries(study: Study, asked: ModeQueries) -> Ints:
    """Those that count, of the study's sample, as many as the subsets allow."""
    sampled = study.sample_queries(asked)
    rows = sampled[asked.counted[sampled]]
    size = np.bitwise_count(asked.judged.query_bits[rows]).sum(axis=1, dtype=np.int64)
    cost = np.where(size <= MOST_EXACT, 1 << np.minimum(size, MOST_EXACT), _ORDERS * size)
    most = _MOST_BY_SOURCE if study.one_per == "source" else MOST_SUBSETS
    if cost.sum() <= most:
        return rows
    order = study.make_rng(f"blame {asked.mode}").permutation(len(rows))
    return np.sort(rows[order[np.cumsum(cost[order]) <= most]])


def _share_exactly(
    study: Study, asked: ModeQueries, rows: Ints, columns: Ints
) -> tuple[Floats, Floats]:
    """(q, n) both shares of queries that have the same number of keywords, whose bit `columns`
    (q, n) are given."""
    size = columns.shape[1]
    kept = (np.arange(1 << size)[:, None] >> np.arange(size) & 1).astype(np.bool_)
    having = count_having(_look_up(study, asked, rows, columns))
    v, reached = _compute_values(study, asked, rows, columns, kept, having)
    weights = make_weights(size)
    return v @ weights, reached @ weights


def _share_orders(
    study: Study, asked: ModeQueries, rows: Ints, columns: Ints
) -> tuple[Floats, Floats]:
    """The same from orders drawn at random."""
    size = columns.shape[1]
    orders = draw_orders(study.make_rng(f"blame orders {size}"), size, _ORDERS)
    rank = np.argsort(orders, axis=1)
    # After s keywords of an order are dropped, those from rank s on are kept.
    kept = (rank[:, None, :] >= np.arange(size + 1)[:, None]).reshape(-1, size)
    lacks = ~_look_up(study, asked, rows, columns)
    hits = (~(lacks[:, :, None, :] & kept).any(axis=3)).sum(axis=1)
    v, reached = _compute_values(study, asked, rows, columns, kept, hits)
    shape = (len(rows), len(orders), size + 1)
    shares = [
        np.stack([share_steps(orders, one) for one in values.reshape(shape)])
        for values in (v, reached)
    ]
    return shares[0], shares[1]


def _look_up(study: Study, asked: ModeQueries, rows: Ints, columns: Ints) -> Bools:
    """(q, k, n) which of the first k results have which of their query's keywords; where there is
    no result, none."""
    judged, k = asked.judged, study.settings.k
    clips = judged.ranking.indices[rows, :k]
    there = judged.retrieved[rows, :k] & (clips != NO_ITEM)
    has: Bools = _has(study, clips[:, :, None], columns[:, None, :]) & there[:, :, None]
    return has


def _has(study: Study, clips: Ints, columns: Ints) -> Bools:
    words = study.truth.bits[clips, columns // WORD]
    found: Bools = (words & set_bit(columns)) != 0
    return found


def _compute_values(
    study: Study, asked: ModeQueries, rows: Ints, columns: Ints, kept: Bools, hits: Ints
) -> tuple[Floats, Floats]:
    """(q, subsets) v and `reached` of the `kept` (subsets, n) keywords, of which so many results
    are `hits`; 1 where all clips are relevant, or as many results as could be."""
    k = study.settings.k
    relevant, chance = _count_relevant(study, asked, rows, columns, kept)
    best = np.minimum(relevant, k) / k
    surplus = hits / k - chance
    every = ~kept.any(axis=1) | (chance >= 1 - _ROUNDING)
    v, reached = np.ones_like(surplus), np.ones_like(surplus)
    np.divide(surplus, 1 - chance, out=v, where=~every)
    np.divide(surplus, best - chance, out=reached, where=~every & (best - chance > _ROUNDING))
    return v, reached


def _count_relevant(
    study: Study, asked: ModeQueries, rows: Ints, columns: Ints, kept: Bools
) -> tuple[Ints, Floats]:
    """(q, subsets) what has all of the kept keywords, but for a query's own; and what results in
    any order would have."""
    bits = np.zeros((len(rows), len(kept), study.truth.bits.shape[1]), np.uint64)
    query, subset, place = np.nonzero(np.broadcast_to(kept, (len(rows), *kept.shape)))
    column = columns[query, place]
    np.bitwise_or.at(bits, (query, subset, column // WORD), set_bit(column))
    every = bits.reshape(-1, bits.shape[2])
    own = None if asked.own_rows is None else np.repeat(asked.own_rows[rows], len(kept))
    shape = len(rows), len(kept)
    relevant, chance = study.weigh_relevant(every, own)
    return relevant.reshape(shape), chance.reshape(shape)
