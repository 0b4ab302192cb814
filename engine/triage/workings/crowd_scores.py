"""Scores that take from each clip what it gets from every query alike.

With r(x) the mean similarity of a clip to its nearest queries in a bank, queries are ranked by

    CSLS               2s − r(q) − r(x), which has the order of s − r(x)/2
    nearest-neighbour  s − α·r(x) with α = 0.75
    normalisation

A hub is near to many queries, so it loses most. The bank must not have the test queries in it, or
each would be answered with itself in mind: queries are split into random halves, and the bank of a
half is the other one. Single queries are split, not clusters of them: a bank without any query like
the one that is asked leaves the clips that answer it alone, and only these, which lifts them. On
data without hubs that looked like 0.012 points of P@5 lost; with single queries it is 0.002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints, Vectors
from engine.base.ranking import NO_ITEM, Ranking
from engine.search import FaissIndex
from engine.search.exhaustive import score_candidates
from engine.triage.study import Study
from engine.triage.workings.exact_search import (
    measure_precision,
    rank_as_it_is,
    rank_in_pieces,
    write_as_products,
)

CROWD_WEIGHTS = {"CSLS": 0.5, "NNN": 0.75}
"""How much of r(x) each correction takes away."""

_DIGITS = 6
"""r(x) is rounded to so many digits, so that clips of one vector have the same one."""

_SPARE = 8
"""Candidates beyond those asked for, which are scored again in float64."""

_SCORES_AT_ONCE = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class HubLoss:
    """m as it is, and with each correction.

    now        (q,) of the queries that were looked at, NaN for the others
    corrected  the name of a correction → the same
    chosen     (q,) of the correction that is the better one for the other half of the queries
    looked_at  how many queries
    """

    now: Floats
    corrected: dict[str, Floats]
    chosen: Floats
    looked_at: int

    @property
    def better(self) -> str:
        """The correction with the higher mean; of equal ones the milder."""
        return max(self.corrected, key=lambda name: float(np.nanmean(self.corrected[name])))


def measure_hub_loss(study: Study, mode: int) -> HubLoss | None:
    """m of a mode before and after the corrections; None: there are too few queries for a bank."""
    asked, k = study.asked[mode], study.settings.k
    rows = study.sample_queries(asked)
    if len(rows) < count_needed_queries(study) or not asked.counted[rows].any():
        return None
    now = measure_precision(study, asked, rows, rank_as_it_is(study, asked, rows, k))
    first = study.make_rng(f"bank {asked.mode}").permutation(len(rows)) < len(rows) // 2
    queries, clips = write_as_products(
        asked.vectors[rows], study.vectors, study.collection.model.metric
    )
    own, size = asked.own_rows, study.settings.hub_depth
    rankings = rank_corrected(
        study,
        queries,
        clips,
        first,
        k,
        bank_size=size,
        own_rows=None if own is None else own[rows],
    )
    corrected = {
        name: measure_precision(study, asked, rows, ranking) for name, ranking in rankings.items()
    }
    chosen = np.full(len(asked), np.nan)
    for tested, other in ((rows[first], rows[~first]), (rows[~first], rows[first])):
        best = max(CROWD_WEIGHTS, key=lambda name: float(np.nansum(corrected[name][other])))
        chosen[tested] = corrected[best][tested]
    return HubLoss(now, corrected, chosen, len(rows))


def count_needed_queries(study: Study) -> int:
    """So that each half has as many queries as r(x) is a mean of, and one to spare."""
    return 2 * (study.settings.hub_depth + 1)


def rank_corrected(
    study: Study,
    queries: Vectors,
    clips: Vectors,
    first: Bools,
    k: int,
    *,
    bank_size: int,
    own_rows: Ints | None = None,
) -> dict[str, Ranking]:
    """The best k clips of every query by each correction, r(x) over `bank_size` queries.

    first     (q,) whether a query is in the first half; its bank is the second one
    own_rows  (q,) the query's own clip, which is neither found nor near to itself in a bank; where
              sources are ranked the same goes for the clips of its source
    """
    if study.one_per == "source":
        return _rank_sources(study, queries, clips, first, k, bank_size, own_rows)
    width = min(k + _SPARE, len(clips) - (own_rows is not None))
    best = {name: _Best.start(len(queries), width) for name in CROWD_WEIGHTS}
    crowding = np.empty((2, len(clips)))
    for part in study.pieces(len(clips), max(width, _SCORES_AT_ONCE // len(queries))):
        scores = queries @ clips[part].T
        if own_rows is not None:
            here = np.flatnonzero((own_rows >= part.start) & (own_rows < part.stop))
            scores[here, own_rows[here] - part.start] = -np.inf
        for own, half in enumerate((first, ~first)):
            crowding[own, part] = average_nearest(scores[~half], bank_size)
        taken = np.where(first[:, None], *crowding[:, None, part].astype(np.float32))
        for name, weight in CROWD_WEIGHTS.items():
            best[name].add(scores - np.multiply(weight, taken, dtype=np.float32), part.start)
    of_half = np.where(first, 0, 1)[:, None]
    return {
        name: _rank_again(
            queries, clips, found.rows, CROWD_WEIGHTS[name] * crowding[of_half, found.rows], k
        )
        for name, found in best.items()
    }


def average_nearest(scores: Vectors, k: int) -> Floats:
    """(clips,) r(x): the mean of each clip's k highest scores with the queries of a bank.

    >>> average_nearest(np.float32([[0.5, 0.25], [0.0, 1.0], [0.25, 0.5]]), 2).tolist()
    [0.375, 0.75]
    """
    by_clip = np.ascontiguousarray(scores.T)
    nearest = np.partition(by_clip, -k, axis=1)[:, -k:].astype(np.float64)
    means: Floats = np.round(np.sort(nearest, axis=1).mean(axis=1), _DIGITS)
    return means


def _rank_sources(
    study: Study,
    queries: Vectors,
    clips: Vectors,
    first: Bools,
    k: int,
    bank_size: int,
    own_rows: Ints | None,
) -> dict[str, Ranking]:
    """The best clip of each of the best k sources. As s − w·r(x) is the inner product of (q, 1) and
    (x, −w·r(x)), it is searched as the similarity is."""
    crowding = _average_foreign(study, queries, clips, first, bank_size, own_rows)
    asked = np.column_stack([queries, np.ones(len(queries), np.float32)])
    found: dict[str, Ranking] = {}
    for name, weight in CROWD_WEIGHTS.items():
        indices = np.full((len(queries), k), NO_ITEM, np.int64)
        scores = np.full(indices.shape, -np.inf, np.float32)
        for half, mine in enumerate((first, ~first)):
            lessened = np.column_stack([clips, (-weight * crowding[half]).astype(np.float32)])
            own = None if own_rows is None else own_rows[mine]
            part = rank_in_pieces(study, FaissIndex(lessened, "ip"), asked[mine], k, own)
            indices[mine, : part.depth], scores[mine, : part.depth] = part.indices, part.scores
        found[name] = Ranking(indices, scores)
    return found


def _average_foreign(
    study: Study,
    queries: Vectors,
    clips: Vectors,
    first: Bools,
    bank_size: int,
    own_rows: Ints | None,
) -> Floats:
    """(2, clips) r(x) over the bank of each half, of queries of other sources; the mean of the
    clips where none is left."""
    crowding = np.empty((2, len(clips)))
    for part in study.pieces(len(clips), max(1, _SCORES_AT_ONCE // len(queries))):
        scores = queries @ clips[part].T
        foreign = np.ones(scores.shape, np.bool_)
        if own_rows is not None:
            foreign = study.sources[own_rows][:, None] != study.sources[part]
        for half, bank in enumerate((~first, first)):
            near = np.where(foreign[bank], scores[bank], np.float32(-np.inf))
            kept = np.sort(np.partition(near, -bank_size, axis=0)[-bank_size:], axis=0)
            known = np.isfinite(kept)
            total = np.where(known, kept, 0.0).sum(axis=0, dtype=np.float64)
            counts = known.sum(axis=0)
            means = np.divide(total, counts, out=np.full(len(total), np.nan), where=counts > 0)
            crowding[half, part] = np.round(means, _DIGITS)
    unknown = np.isnan(crowding)
    if unknown.any():
        crowding[unknown] = np.nanmean(crowding) if not unknown.all() else 0.0
    return crowding


def _rank_again(queries: Vectors, clips: Vectors, rows: Ints, taken: Floats, k: int) -> Ranking:
    """The best k of the candidates, by scores that do not depend on what else was scored."""
    scores = (score_candidates(queries, clips, rows, "ip") - taken).astype(np.float32)
    order = np.lexsort((rows, -scores), axis=-1)[:, :k]
    return Ranking(np.take_along_axis(rows, order, 1), np.take_along_axis(scores, order, 1))


class _Best:
    """The best candidates of each query so far."""

    def __init__(self, rows: Ints, scores: Vectors) -> None:
        self.rows, self.scores = rows, scores

    @classmethod
    def start(cls, queries: int, width: int) -> _Best:
        return cls(
            np.full((queries, width), -1, np.int64), np.full((queries, width), -np.inf, np.float32)
        )

    def add(self, scores: Vectors, start: int) -> None:
        """Put the clips from `start` on among them; few are better than those there already."""
        width = self.rows.shape[1]
        if not start:
            self.rows = np.argpartition(scores, -width, axis=1)[:, -width:]
            self.scores = np.take_along_axis(scores, self.rows, axis=1)
            return
        query, place = np.nonzero(scores > self.scores.min(axis=1)[:, None])
        if not len(query):
            return
        every = np.concatenate([np.repeat(np.arange(len(self.rows)), width), query])
        rows = np.concatenate([self.rows.ravel(), place + start])
        values = np.concatenate([self.scores.ravel(), scores[query, place]])
        order = np.lexsort((rows, -values, every))
        begins = np.searchsorted(every[order], np.arange(len(self.rows)))
        kept = order[begins[:, None] + np.arange(width)]
        self.rows, self.scores = rows[kept], values[kept]
