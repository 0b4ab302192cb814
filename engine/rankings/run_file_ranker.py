"""RunRankings: a run file's ragged rankings as even chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Ints
from engine.base.ranking import NO_ITEM, Ranking
from engine.metrics import TiePolicy, reorder_ties_by_docid_desc
from engine.metrics.ties import find_group_starts
from engine.rankings.formats.id_table import IdTable
from engine.rankings.formats.run_and_qrels import RunFile

_CELLS = 1 << 21
"""Results that a chunk may hold: some 50 MB with all that is computed from them."""


@dataclass(frozen=True, slots=True, eq=False)
class RunFileRanker:
    """The rankings of a run file, as `engine.rankings.score.Ranker`."""

    run: RunFile

    @property
    def queries(self) -> IdTable:
        return self.run.queries

    @property
    def items(self) -> IdTable:
        return self.run.items

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        if self.run.ranked:
            notes.append("the run has ranks, not scores: a score is the negated rank")
        if self.run.dropped:
            notes.append(f"{self.run.dropped} repeated results: the best place of each counts")
        return tuple(notes)

    def rank(
        self, rows: Ints, depth: int | None, ties: TiePolicy, even: bool
    ) -> Iterator[tuple[slice, Ranking]]:
        """Rankings of the queries in these rows; one at −1 has no results."""
        lengths = np.where(rows >= 0, np.diff(self.run.indptr)[rows], 0)
        if depth is not None and ties != "docid_desc":  # there, ties are ordered before the cut
            lengths = np.minimum(lengths, depth)
        if even:
            lengths[:] = lengths.max(initial=0)
        for part in split_into_chunks(lengths.tolist(), _CELLS):
            ranking = self._padded(rows[part], max(int(lengths[part].max()), 1))
            if ties == "docid_desc":
                ranking = self._docid_desc(ranking)
            yield part, ranking if depth is None else ranking.cut(depth)

    def _padded(self, rows: Ints, depth: int) -> Ranking:
        first, last = int(rows[0]), int(rows[-1])
        if first >= 0 and np.array_equal(rows, np.arange(first, last + 1)):
            bounds = self.run.indptr[first : last + 2]
            if (np.diff(bounds) == depth).all():  # as it lies, without a copy
                flat = slice(int(bounds[0]), int(bounds[-1]))
                scores = clip_to_float32(self.run.scores[flat]).reshape(-1, depth)
                return Ranking(self.run.codes[flat].reshape(-1, depth), scores)
        starts = np.where(rows >= 0, self.run.indptr[rows], 0)
        ends = np.where(rows >= 0, self.run.indptr[rows + 1], 0)
        places = starts[:, None] + np.arange(depth)
        inside = places < ends[:, None]
        if inside.all():
            return Ranking(self.run.codes[places], clip_to_float32(self.run.scores[places]))
        indices = np.full(places.shape, NO_ITEM, dtype=np.int64)
        scores = np.full(places.shape, -np.inf, dtype=np.float32)
        indices[inside] = self.run.codes[places[inside]]
        scores[inside] = clip_to_float32(self.run.scores[places[inside]])
        return Ranking(indices, scores)

    def _docid_desc(self, ranking: Ranking) -> Ranking:
        """Among equal float32 scores, the id that sorts last comes first, as in trec_eval."""
        tied = ~find_group_starts(ranking.scores) & (ranking.indices != NO_ITEM)
        rows = np.flatnonzero(tied.any(axis=1))
        if not len(rows):
            return ranking
        both = tied.copy()
        both[:, :-1] |= tied[:, 1:]
        some = Ranking(ranking.indices[rows], ranking.scores[rows])
        ordered = reorder_ties_by_docid_desc(some, self._order_of(ranking.indices[both]))
        indices, scores = ranking.indices.copy(), ranking.scores.copy()
        indices[rows], scores[rows] = ordered.indices, ordered.scores
        return Ranking(indices, scores)

    def _order_of(self, codes: Ints) -> Ints:
        """Where each of these items stands when they are sorted by id; 0 for all others."""
        distinct = np.unique(codes)
        names = self.items.names(distinct)
        order = np.zeros(len(self.items), dtype=np.int64)
        # Text order is that of the UTF-8 bytes, which is what trec_eval compares.
        order[distinct[sorted(range(len(names)), key=names.__getitem__)]] = np.arange(len(names))
        return order


def split_into_chunks(lengths: list[int], cells: int) -> Iterator[slice]:
    """Consecutive queries whose lists, all padded to the longest, have so many places at most.

    >>> list(split_into_chunks([2, 2, 9, 1], cells=6))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    start = longest = 0
    for place, length in enumerate(lengths):
        longest = max(longest, length)
        if place > start and longest * (place + 1 - start) > cells:
            yield slice(start, place)
            start, longest = place, length
    if lengths:
        yield slice(start, len(lengths))


def clip_to_float32(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Scores in single precision; what is beyond its range becomes the largest it has."""
    largest = np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    if np.isfinite(single).all():
        return single
    return np.clip(single, -largest, largest)
