"""Clips that are one another's kin: of one source, or nearly the same.

A query clip that finds its kin, and a text that finds the kin of a hit, were answered once and
counted several times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.ranking import NO_ITEM, Ranking
from engine.search import FaissIndex
from engine.search.duplicate_rows import DuplicateRows
from engine.search.near_duplicates import NearDuplicates, find_near_duplicates
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
    is_cosine = study.collection.model.metric == "cosine"
    exact = FaissIndex(study.vectors, "ip" if is_cosine else "cosine")
    index = BeatingIndex(exact, study.beat)
    near = find_near_duplicates(
        study.vectors, study.sources, index=index, seed=study.settings.seed, work=_WORK
    )
    pairs = [
        (near.rows, near.others),
        *_find_copies_of_queries(study, near.limit.cosine),
        *_find_equal_frames(study),
    ]
    rows, others = (np.concatenate(side) for side in zip(*pairs, strict=True))
    copies = join_pairs(rows, others, len(study.collection))
    return ClipKin(join_labels(study.sources, copies), near)


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


def measure_without_own(study: Study, asked: ModeQueries, rows: Ints, kin: Ints) -> WithoutKin:
    """m where a query clip finds none of its kin."""
    own = _number_own(asked, rows, kin)
    return _measure_thinned(study, asked, rows, kin, own, one_each=False)


def measure_one_each(study: Study, asked: ModeQueries, rows: Ints, kin: Ints) -> WithoutKin:
    """m where of all kin the best-ranked clip stays, and a query clip finds none of its own."""
    own = _number_own(asked, rows, kin)
    return _measure_thinned(study, asked, rows, kin, own, one_each=True)


def _number_own(asked: ModeQueries, rows: Ints, kin: Ints) -> Ints:
    own = asked.own_rows
    return np.full(len(rows), NO_SOURCE, np.int64) if own is None else kin[own[rows]]


def _measure_thinned(
    study: Study, asked: ModeQueries, rows: Ints, kin: Ints, own: Ints, *, one_each: bool
) -> WithoutKin:
    k, kept = study.settings.k, asked.judged.ranking
    # Where every clip is a source of its own, only the own kin are left out.
    sources = kin if one_each else np.arange(len(kin))
    best = thin_out(Ranking(kept.indices[rows], kept.scores[rows]), sources, kin, own, k)
    lacking = np.flatnonzero(count_kept(best) < k)
    if len(lacking) and kept.depth < len(kin) - 1:
        deeper = _search_deeper(study, asked, rows[lacking])
        best.indices[lacking] = thin_out(deeper, sources, kin, own[lacking], k).indices
    values = measure_precision(study, asked, rows, best)
    short = count_kept(best) < k
    answered = has_relevant_left(study, asked, rows, kin, own)
    values[rows[short | ~answered]] = np.nan
    return WithoutKin(values, int(short.sum()), len(lacking))


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


def _search_deeper(study: Study, asked: ModeQueries, rows: Ints) -> Ranking:
    """As deep as is ever looked."""
    own = asked.own_rows
    depth = min(DEEPEST, len(study.collection) - (own is not None))
    return rank_in_pieces(
        study,
        study.collection.index,
        asked.vectors[rows],
        depth,
        None if own is None else own[rows],
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
        relevant -= np.bincount(query[hits], minlength=len(rows))
    left: Bools = relevant > 0
    return left
