"""Searching a study exactly: as its index would if it lost nothing, and by other vectors.

Whatever is compared by is written as an inner product, so that one search serves all: with the
similarity of Euclidean distance,

    −|q − x|² / 2 = q·x − |x|² / 2 − |q|² / 2 = (q, 1, −|q|²/2) · (x, −|x|²/2, 1)

has the order of −|q − x|.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats, Floats, Ints, Vectors
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM, Ranking
from engine.base.similarity import Similarity
from engine.search import FaissIndex, Index, PreciseIndex, search_excluding
from engine.search.one_per_search import search_one_per_source
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Study

_QUERIES_AT_ONCE = 512
"""FAISS searches so many in the time that it takes for a quarter of them."""


def is_exact(study: Study) -> bool:
    """Whether the index of the study loses nothing by construction."""
    return isinstance(study.collection.index, FaissIndex | PreciseIndex)


def write_as_products(
    queries: Vectors, clips: Vectors, metric: Similarity
) -> tuple[Vectors, Vectors]:
    """Vectors whose inner products have the order of the similarity.

    >>> asked, found = write_as_products(np.float32([[3, 0]]), np.float32([[0, 4], [1, 0]]), "l2")
    >>> (asked @ found.T).tolist()
    [[-12.5, -2.0]]
    """
    if metric != "l2":
        return queries, clips
    # Distances stay the same around another origin, and the squares keep their digits.
    centre = clips.mean(axis=0, dtype=np.float64)
    asked, found = queries - centre, clips - centre
    ones = np.ones(len(asked)), np.ones(len(found))
    return (
        np.column_stack([asked, ones[0], -np.vecdot(asked, asked) / 2]).astype(np.float32),
        np.column_stack([found, -np.vecdot(found, found) / 2, ones[1]]).astype(np.float32),
    )


def rank_exactly(study: Study, asked: ModeQueries, rows: Ints, k: int) -> Ranking:
    """The best k clips of some queries by the similarity of the model, each scored; the query's
    own clip is left out where the study leaves it out."""
    own = asked.own_rows
    index = FaissIndex(study.vectors, choose_product(study.collection.model.metric))
    return rank_in_pieces(study, index, asked.vectors[rows], k, None if own is None else own[rows])


def choose_product(metric: Similarity) -> Similarity:
    """What compares the vectors of a study: those of the cosine have length 1 already."""
    return "ip" if metric == "cosine" else metric


def rank_in_pieces(
    study: Study, index: Index, queries: Vectors, k: int, own_rows: Ints | None = None
) -> Ranking:
    """The best k of an index, with beats in between; one clip of each source where the study
    ranks sources."""
    beating = BeatingIndex(index, study.beat)
    if study.one_per == "source":
        return _rank_sources(study, beating, queries, k, own_rows)
    if own_rows is None:
        return beating.search(queries, k)
    return search_excluding(beating, queries, min(k, index.size - 1), own_rows)


def _rank_sources(
    study: Study, index: Index, queries: Vectors, k: int, own_rows: Ints | None
) -> Ranking:
    def search(some: AnyFloats, depth: int) -> list[tuple[slice, Ranking]]:
        return [(slice(0, len(some)), index.search(some, depth))]

    own = None if own_rows is None else study.sources[own_rows]
    found = [one for _, one in search_one_per_source(search, queries, k, study.sources, own)]
    return Ranking(
        np.concatenate([one.indices for one in found]),
        np.concatenate([one.scores for one in found]),
    )


class BeatingIndex:
    """An index that beats between pieces of a search, for whoever cannot do so himself."""

    def __init__(self, index: Index, beat: Callable[[], None]) -> None:
        self.size = index.size
        self.dimension = index.dimension
        self.metric: Similarity = index.metric
        self._index, self._beat = index, beat

    def search(self, queries: npt.NDArray[np.floating], k: int) -> Ranking:
        found: list[Ranking] = []
        for part in split_range(len(queries), _QUERIES_AT_ONCE):
            self._beat()
            found.append(self._index.search(queries[part], k))
        if not found:
            return self._index.search(queries, k)
        return Ranking(
            np.concatenate([part.indices for part in found]),
            np.concatenate([part.scores for part in found]),
        )


def measure_precision(study: Study, asked: ModeQueries, rows: Ints, ranking: Ranking) -> Floats:
    """(q,) P@k of some queries by a ranking of them; NaN for all others and those that do not
    count. No similarity is too small here: other scores than the model's have another scale."""
    k = study.settings.k
    found = ranking.indices[:, :k]
    hits = study.truth.has_all(found, asked.queries.bits[rows]) & (found != NO_ITEM)
    values = np.full(len(asked), np.nan)
    values[rows] = np.where(asked.counted[rows], hits.sum(axis=1) / k, np.nan)
    return values


def rank_as_it_is(study: Study, asked: ModeQueries, rows: Ints, k: int) -> Ranking:
    """The same, without a search if the index of the study is exact: as it was retrieved."""
    if not is_exact(study):
        return rank_exactly(study, asked, rows, k)
    kept = asked.judged.ranking
    return Ranking(kept.indices[rows, :k], kept.scores[rows, :k])


def rank_sample(study: Study, mode: int) -> tuple[Ints, Ranking]:
    """Queries of a mode and the exact first k results of each: all of them where the index of the
    study is exact, and a sample where they have to be searched anew."""
    asked, k = study.asked[mode], study.settings.k
    rows = np.arange(len(asked)) if is_exact(study) else study.sample_queries(asked)
    return rows, rank_as_it_is(study, asked, rows, k)
