"""Clips that are one another's kin: of one source, or nearly the same.

A query clip that finds its kin, and a text that finds the kin of a hit, were answered once and
counted several times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.ranking import NO_ITEM, Ranking
from engine.search import FaissIndex, Index, search_excluding
from engine.search.duplicate_rows import DuplicateRows
from engine.search.near_duplicates import (
    NearDuplicates,
    NearnessLimit,
    calibrate_limit,
    find_near_duplicates,
)
from engine.search.one_per_source import NO_SOURCE, count_kept, keep_one_per_source
from engine.stats.cluster_labels import join_labels
from engine.triage.build_study import FRAMES
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study
from engine.triage.workings.exact_search import BeatingIndex, measure_precision, rank_in_pieces

DEEPEST = 1_000
"""Results of a query that are searched for where its kin fill those that are kept."""

_WORK = 4 * 10**10
"""Products that looking for near-duplicates may cost: a second or two."""

_CALIBRATED = 512
"""Clips from which it is learned how near near-duplicates are."""

_PAIRS_AT_ONCE = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class ClipKin:
    """Which clips belong together.

    numbers  (clips,) clips of one source, and near-duplicates, have the same one
    near     the near-duplicates
    """

    numbers: Ints
    near: NearDuplicates


def find_kin(study: Study) -> ClipKin:
    """From the sources, from the vectors (near-duplicates of the clips that were looked at, and
    whatever a query clip found that is as near to it), and from frames that are equal."""
    near = _find_near(study)
    pairs = [
        (near.rows, near.others),
        *_find_copies_of_queries(study, near.limit.cosine),
        *_find_equal_frames(study),
    ]
    rows, others = (np.concatenate(side) for side in zip(*pairs, strict=True))
    copies = join_pairs(rows, others, len(study.collection))
    return ClipKin(join_labels(study.sources, copies), near)


def _find_near(study: Study) -> NearDuplicates:
    if study.collection.model.metric != "cosine":  # vectors of other lengths, maybe of none
        return find_near_duplicates(
            study.vectors, study.sources, seed=study.settings.seed, work=_WORK
        )
    index = BeatingIndex(FaissIndex(study.vectors, "ip"), study.beat)
    limit = _calibrate(study, index)
    near = find_near_duplicates(
        study.vectors,
        study.sources,
        index=index,
        limit=limit.cosine,
        seed=study.settings.seed,
        work=_WORK,
    )
    return replace(near, limit=limit)


def _calibrate(study: Study, index: Index) -> NearnessLimit:
    """From the nearest clip of another source; a few clips are enough, and two searches, since
    series would have to be searched past again and again."""
    clips = len(study.collection)
    rows = study.make_rng("near-duplicates").permutation(clips)[:_CALIBRATED]
    nearest = np.full(len(rows), np.nan)
    for depth in (study.settings.depth, DEEPEST):
        lacking = np.flatnonzero(np.isnan(nearest))
        if not len(lacking) or clips < 2:
            break
        own = rows[lacking]
        found = search_excluding(index, study.vectors[own], min(depth, clips - 1), own)
        foreign = study.sources[found.indices] != study.sources[own][:, None]
        first = foreign.argmax(axis=1)[:, None]
        scores = np.take_along_axis(found.scores, first, axis=1)[:, 0]
        nearest[lacking] = np.where(foreign.any(axis=1), scores, np.nan)
    return calibrate_limit(nearest, clips)


def join_pairs(rows: Ints, others: Ints, items: int) -> Ints:
    """(items,) one number for what pairs join, directly or through others.

    >>> join_pairs(np.array([0, 1]), np.array([1, 3]), 5).tolist()
    [0, 0, 1, 0, 2]
    """
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    graph = coo_array((np.ones(len(rows), np.int8), (rows, others)), shape=(items, items))
    joined: Ints = connected_components(graph, directed=False)[1].astype(np.int64)
    return joined


def _find_copies_of_queries(study: Study, limit: float) -> Iterator[tuple[Ints, Ints]]:
    for asked in study.asked:
        own = asked.own_rows
        if own is not None and study.collection.model.metric == "cosine":
            ranking = asked.judged.ranking
            near = (ranking.scores >= np.float32(limit)) & (ranking.indices != NO_ITEM)
            query, place = np.nonzero(near)
            yield own[query], ranking.indices[query, place]


def _find_equal_frames(study: Study) -> Iterator[tuple[Ints, Ints]]:
    """Clips whose descriptors of frames are the same to the last digit."""
    if study.visual is not None and study.visual.name == FRAMES:
        known = np.flatnonzero(study.visual.known)
        if len(known):
            same = DuplicateRows.of(study.visual.vectors[known])
            yield known, known[same.first[same.group]]


@dataclass(frozen=True, slots=True, eq=False)
class WithoutKin:
    """m of queries whose results were thinned out.

    values   (q,) m; NaN: not looked at, no relevant clip is left, or too few results are
    short    queries with fewer than k results left, however deep was searched
    deeper   queries that had to be searched deeper
    """

    values: Floats
    short: int
    deeper: int


def measure_without_own(study: Study, mode: int) -> WithoutKin:
    """m where a query clip finds none of its kin."""
    # Where every clip is a source of its own, only the own kin are left out.
    return _measure_thinned(study, mode, np.arange(len(study.collection)))


def measure_one_each(study: Study, mode: int) -> WithoutKin:
    """m where of all kin the best-ranked clip stays, and a query clip finds none of its own."""
    return _measure_thinned(study, mode, study.once(find_kin).numbers)


def _measure_thinned(study: Study, mode: int, sources: Ints) -> WithoutKin:
    asked, kin, k = study.asked[mode], study.once(find_kin).numbers, study.settings.k
    rows, kept = study.sample_queries(asked), asked.judged.ranking
    own = number_own(asked, rows, kin)
    best = thin_out(Ranking(kept.indices[rows], kept.scores[rows]), sources, kin, own, k)
    lacking = np.flatnonzero(count_kept(best) < k)
    if len(lacking):
        # Of those that lack results where one of each stays, some lack them here as well.
        found, deeper = study.once(rank_deeper, mode)
        here = np.isin(found, lacking)
        ranking = Ranking(deeper.indices[here], deeper.scores[here])
        best.indices[lacking] = thin_out(ranking, sources, kin, own[lacking], k).indices
    values = measure_precision(study, asked, rows, best)
    short = count_kept(best) < k
    answered = has_relevant_left(study, asked, rows, kin, own)
    values[rows[short | ~answered]] = np.nan
    return WithoutKin(values, int(short.sum()), len(lacking))


def rank_deeper(study: Study, mode: int) -> tuple[Ints, Ranking]:
    """Which of the queries that are looked at have results of too few kin, and deeper ones of
    these."""
    asked, kin = study.asked[mode], study.once(find_kin).numbers
    rows, kept, own = study.sample_queries(asked), asked.judged.ranking, asked.own_rows
    short = Ranking(kept.indices[rows], kept.scores[rows])
    best = thin_out(short, kin, kin, number_own(asked, rows, kin), study.settings.k)
    lacking = np.flatnonzero(count_kept(best) < study.settings.k)
    some = rows[lacking]
    ranking = rank_in_pieces(
        study,
        study.collection.index,
        asked.vectors[some],
        min(max(DEEPEST, kept.depth), len(kin) - (own is not None)),
        None if own is None else own[some],
    )
    return lacking, ranking


def number_own(asked: ModeQueries, rows: Ints, kin: Ints) -> Ints:
    """The kin of some query clips; `NO_SOURCE` of a text."""
    own = asked.own_rows
    return np.full(len(rows), NO_SOURCE, np.int64) if own is None else kin[own[rows]]


def thin_out(ranking: Ranking, sources: Ints, kin: Ints, own: Ints, k: int) -> Ranking:
    """The first k results without a query's own kin, one of each source; `NO_ITEM` where there are
    fewer.

    >>> found = Ranking(np.array([[0, 1, 2, 3]]), np.float32([[0.9, 0.8, 0.7, 0.6]]))
    >>> kin = np.array([0, 0, 1, 2])
    >>> thin_out(found, np.arange(4), kin, np.array([2]), 3).indices
    array([[0, 1, 2]])
    """
    foreign = np.append(kin, NO_SOURCE)[ranking.indices] != own[:, None]
    left = Ranking(np.where(foreign, ranking.indices, NO_ITEM), ranking.scores)
    best = keep_one_per_source(left, sources, depth=k)
    missing = k - best.depth
    if missing <= 0:
        return best
    beside = ((0, 0), (0, missing))
    return Ranking(
        np.pad(best.indices, beside, constant_values=NO_ITEM),
        np.pad(best.scores, beside, constant_values=-np.inf),
    )


def has_relevant_left(study: Study, asked: ModeQueries, rows: Ints, kin: Ints, own: Ints) -> Bools:
    """(rows,) whether some relevant clip is none of a query's own kin."""
    relevant = asked.judged.relevant[rows].copy()
    if asked.own_rows is None:
        return relevant > 0
    order = np.argsort(kin, kind="stable")
    sizes = np.bincount(kin)
    starts = np.cumsum(sizes) - sizes
    for part in study.pieces(len(rows), max(1, _PAIRS_AT_ONCE // int(sizes.max()))):
        members = sizes[own[part]]
        query = np.repeat(np.arange(part.start, part.stop), members)
        place = np.arange(len(query)) - np.repeat(np.cumsum(members) - members, members)
        clip = order[starts[own[query]] + place]
        hits = study.truth.has_all(clip[:, None], asked.queries.bits[rows[query]])[:, 0]
        hits &= clip != asked.own_rows[rows[query]]
        if study.one_per == "source":
            hits &= _is_first_of_source(study, query, clip, hits, asked.own_rows[rows[query]])
        relevant -= np.bincount(query[hits], minlength=len(rows))
    left: Bools = relevant > 0
    return left


def _is_first_of_source(study: Study, query: Ints, clip: Ints, hits: Bools, own: Ints) -> Bools:
    """Whether a hit is the first of its source for its query: so sources are counted, and those of
    the queries never were."""
    source = study.sources[clip]
    some = np.flatnonzero(hits & (source != study.sources[own]))
    keys = query[some] * (int(study.sources.max(initial=0)) + 1) + source[some]
    first = np.zeros(len(clip), np.bool_)
    first[some[np.unique(keys, return_index=True)[1]]] = True
    return first
