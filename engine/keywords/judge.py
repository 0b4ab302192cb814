"""Judged: a ranking with what each result has and lacks of its query's keywords.

The marks of a breakdown and the numbers of the metrics come from this one value, so they cannot
disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Ints
from engine.base.keyword import Keyword
from engine.base.ranking import Ranking
from engine.dataset.clip_set import BitWords
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.vocabulary import Selection
from engine.metrics import Relevance, ShortListPolicy
from engine.metrics.relevance import count_returned


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRanking:
    """A batch of judged rankings.

    query_bits  (q, words) the keywords of each query
    hits        (q, d) the result was retrieved and has ALL keywords
    retrieved   (q, d) a result, scored at or above the least similarity
    relevant    (q,) clips of the whole collection that have all keywords
    collection  (q,) clips that could be found; without the query clip where it is removed
    """

    ranking: Ranking
    query_bits: BitWords
    hits: Bools
    retrieved: Bools
    relevant: Ints
    collection: Ints

    def top(self, k: int) -> JudgedRanking:
        """The first k results of every query; copies, so that deeper rankings can be freed."""
        cut = self.ranking.cut(k)
        return replace(
            self,
            ranking=Ranking(cut.indices.copy(), cut.scores.copy()),
            hits=self.hits[:, :k].copy(),
            retrieved=self.retrieved[:, :k].copy(),
        )

    def take(self, rows: Ints) -> JudgedRanking:
        """These queries, in this order."""
        ranking = Ranking(self.ranking.indices[rows], self.ranking.scores[rows])
        return JudgedRanking(
            ranking=ranking,
            query_bits=self.query_bits[rows],
            hits=self.hits[rows],
            retrieved=self.retrieved[rows],
            relevant=self.relevant[rows],
            collection=self.collection[rows],
        )

    @classmethod
    def concat(cls, parts: Sequence[JudgedRanking]) -> JudgedRanking:
        """Several chunks of queries, as if they had been judged at once."""
        return cls(
            ranking=Ranking(
                np.concatenate([part.ranking.indices for part in parts]),
                np.concatenate([part.ranking.scores for part in parts]),
            ),
            query_bits=np.concatenate([part.query_bits for part in parts]),
            hits=np.concatenate([part.hits for part in parts]),
            retrieved=np.concatenate([part.retrieved for part in parts]),
            relevant=np.concatenate([part.relevant for part in parts]),
            collection=np.concatenate([part.collection for part in parts]),
        )

    def relevance(self, *, complete: bool, short: ShortListPolicy = "fixed") -> Relevance:
        """What the metrics know of these rankings."""
        return Relevance(
            gains=self.hits,
            scores=self.ranking.scores,
            returned=self.retrieved.sum(axis=1, dtype=np.int64),
            relevant=self.relevant,
            collection=self.collection,
            complete=complete,
            short=short,
        )


@dataclass(frozen=True, slots=True)
class GroupMarks:
    """The query's keywords of one group, each with whether the result has it."""

    group: str
    marks: tuple[tuple[Keyword, bool], ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Why one result is a hit or not.

    grade  as typed by hand, 0 for a clip that was not typed; None: the keywords decide
    """

    row: int
    score: float
    retrieved: bool
    groups: tuple[GroupMarks, ...]
    others: tuple[Keyword, ...]
    grade: float | None = None

    @property
    def matched(self) -> int:
        return sum(has for group in self.groups for _, has in group.marks)

    @property
    def total(self) -> int:
        return sum(len(group.marks) for group in self.groups)

    @property
    def relevant(self) -> bool:
        """It has all keywords, or was typed as relevant."""
        if self.grade is not None:
            return self.grade > 0
        return self.total > 0 and self.matched == self.total

    @property
    def hit(self) -> bool:
        return self.retrieved and self.relevant

    @property
    def verdict(self) -> str:
        """In words, as it is shown everywhere.

        >>> bicyclist = Keyword("object_type", "bicyclist")
        >>> Breakdown(0, 0.9, True, (GroupMarks("object_type", ((bicyclist, True),)),), ()).verdict
        'Full match (1/1 keywords)'
        >>> Breakdown(0, 0.9, True, (), (), grade=2).verdict
        'Typed as relevant, grade 2'
        """
        if self.grade is None:
            return self._match if self.total else "Not judged (the query has no keyword)"
        grade = "" if self.grade in (0, 1) else f", grade {self.grade:g}"
        typed = f"{'Typed' if self.relevant else 'Not typed'} as relevant{grade}"
        return f"{typed} · {self._match}" if self.total else typed

    @property
    def _match(self) -> str:
        count = f"({self.matched}/{self.total} keywords)"
        if self.matched == self.total:
            return f"Full match {count}"
        return f"{'Partial' if self.matched else 'No'} match {count}"


def judge(
    ranking: Ranking,
    truth: GroundTruth,
    query_bits: BitWords,
    *,
    own_rows: Ints | None = None,
    min_similarity: float | None = None,
) -> JudgedRanking:
    """Judge rankings against the ground truth.

    `own_rows` are the query clips' rows when they were removed from the results: they count
    neither as relevant nor as part of the collection.
    """
    depth = np.arange(ranking.depth)
    retrieved = depth < count_returned(ranking, min_similarity)[:, None]
    removed = 0 if own_rows is None else 1
    return JudgedRanking(
        ranking=ranking,
        query_bits=query_bits,
        hits=truth.has_all(ranking.indices, query_bits) & retrieved,
        retrieved=retrieved,
        relevant=truth.relevant_counts(query_bits, exclude_rows=own_rows),
        collection=np.full(len(ranking), len(truth) - removed, dtype=np.int64),
    )


def break_down(
    judged: JudgedRanking, truth: GroundTruth, selection: Selection, query: int, place: int
) -> Breakdown:
    """The marks of the result at `place` (from 0) of one query."""
    row = int(judged.ranking.indices[query, place])
    wanted = truth.words.named(judged.query_bits[query])
    own = truth.keywords_of(row, selection)
    score, retrieved = judged.ranking.scores[query, place], judged.retrieved[query, place]
    others = tuple(keyword for keyword in own if keyword not in wanted)
    return Breakdown(row, float(score), bool(retrieved), mark_keywords(wanted, own), others)


def mark_keywords(wanted: Sequence[Keyword], own: Collection[Keyword]) -> tuple[GroupMarks, ...]:
    """The keywords of a query group by group, each with whether a clip has it."""
    return tuple(
        GroupMarks(group, tuple((word, word in own) for word in wanted if word.group == group))
        for group in dict.fromkeys(word.group for word in wanted)
    )
