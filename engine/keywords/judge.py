"""Judged: a ranking with what each result has and lacks of its query's keywords.

The marks of a breakdown and the numbers of the metrics come from this one value, so they cannot
disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.choices import OnePerPolicy, RelevancePolicy
from engine.base.keyword import Keyword
from engine.base.ranking import Ranking
from engine.dataset.clip_set import BitWords
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.matching import (
    count_by_matched,
    count_keywords,
    count_relevant_clips,
    find_gains,
)
from engine.dataset.relevant_sources import (
    count_relevant_sources,
    count_sources,
    count_sources_by_matched,
)
from engine.dataset.vocabulary import Selection
from engine.metrics import Relevance, ShortListPolicy
from engine.metrics.gain_levels import GainLevels
from engine.metrics.relevance import count_returned


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRanking:
    """A batch of judged rankings.

    query_bits  (q, words) the keywords of each query
    hits        (q, d) the result was retrieved and is relevant: it has ALL keywords
    retrieved   (q, d) a result, scored at or above the least similarity
    relevant    (q,) clips of the whole collection that are relevant; or sources that have one
    collection  (q,) clips that could be found; without the query clip where it is removed; or
                sources, without that of the query clip
    rule        what makes a clip relevant, where that is not to have all keywords
    shares      (q, d) graded: the share of the query's keywords that a hit has, else 0
    levels      graded: how many clips of the collection have which share
    """

    ranking: Ranking
    query_bits: BitWords
    hits: Bools
    retrieved: Bools
    relevant: Ints
    collection: Ints
    rule: RelevancePolicy = "all"
    shares: Floats | None = None
    levels: GainLevels | None = None

    @property
    def gains(self) -> Bools | Floats:
        """(q, d) what each result is worth: as a hit, or graded."""
        return self.hits if self.shares is None else self.shares

    def top(self, k: int) -> JudgedRanking:
        """The first k results of every query; copies, so that deeper rankings can be freed."""
        cut = self.ranking.cut(k)
        return replace(
            self,
            ranking=Ranking(cut.indices.copy(), cut.scores.copy()),
            hits=self.hits[:, :k].copy(),
            retrieved=self.retrieved[:, :k].copy(),
            shares=None if self.shares is None else self.shares[:, :k].copy(),
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
            rule=self.rule,
            shares=None if self.shares is None else self.shares[rows],
            levels=None if self.levels is None else self.levels.take(rows),
        )

    @classmethod
    def concat(cls, parts: Sequence[JudgedRanking]) -> JudgedRanking:
        """Several chunks of queries, as if they had been judged at once."""
        shares = [part.shares for part in parts if part.shares is not None]
        levels = [part.levels for part in parts if part.levels is not None]
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
            rule=parts[0].rule,
            shares=np.concatenate(shares) if shares else None,
            levels=GainLevels.concat(levels) if levels else None,
        )

    def relevance(self, *, complete: bool, short: ShortListPolicy = "fixed") -> Relevance:
        """What the metrics know of these rankings."""
        return Relevance(
            gains=self.gains,
            scores=self.ranking.scores,
            returned=self.retrieved.sum(axis=1, dtype=np.int64),
            relevant=self.relevant,
            collection=self.collection,
            complete=complete,
            short=short,
            levels=self.levels,
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
    rule   how they decide
    """

    row: int
    score: float
    retrieved: bool
    groups: tuple[GroupMarks, ...]
    others: tuple[Keyword, ...]
    grade: float | None = None
    rule: RelevancePolicy = "all"

    @property
    def matched(self) -> int:
        return sum(has for group in self.groups for _, has in group.marks)

    @property
    def total(self) -> int:
        return sum(len(group.marks) for group in self.groups)

    @property
    def relevant(self) -> bool:
        """It has all keywords, or any where that does, or was typed as relevant."""
        if self.grade is not None:
            return self.grade > 0
        if self.rule != "all":
            return self.matched > 0
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
        >>> marks = GroupMarks("object_type", ((bicyclist, True), (Keyword("o", "car"), False)))
        >>> Breakdown(0, 0.9, True, (marks,), (), rule="any").verdict
        'Partial match (1/2 keywords): relevant'
        """
        if self.grade is None:
            partial = self.relevant and self.matched < self.total
            match = f"{self._match}: relevant" if partial else self._match
            return match if self.total else "Not judged (the query has no keyword)"
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
    relevance: RelevancePolicy = "all",
    one_per: OnePerPolicy = "clip",
) -> JudgedRanking:
    """Judge rankings against the ground truth.

    `own_rows` are the query clips' rows when they were removed from the results: they count
    neither as relevant nor as part of the collection.
    """
    depth = np.arange(ranking.depth)
    retrieved = depth < count_returned(ranking, min_similarity)[:, None]
    removed = 0 if own_rows is None else 1
    items = count_sources(truth) if one_per == "source" else len(truth)
    gains = find_gains(truth, ranking.indices, query_bits, relevance)
    levels, by_source = None, one_per == "source"
    if relevance == "graded":
        count_graded = count_sources_by_matched if by_source else count_by_matched
        by_matched = count_graded(truth, query_bits, own_rows)
        levels = GainLevels.of_matched(by_matched, count_keywords(query_bits))
        relevant = by_matched.sum(axis=1)
    else:
        count = count_relevant_sources if by_source else count_relevant_clips
        relevant = count(truth, query_bits, relevance, own_rows)
    return JudgedRanking(
        ranking=ranking,
        query_bits=query_bits,
        hits=(gains > 0) & retrieved,
        retrieved=retrieved,
        relevant=relevant,
        collection=np.full(len(ranking), items - removed, dtype=np.int64),
        rule=relevance,
        shares=np.where(retrieved, gains, 0.0) if relevance == "graded" else None,
        levels=levels,
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
    marks = mark_keywords(wanted, own)
    return Breakdown(row, float(score), bool(retrieved), marks, others, rule=judged.rule)


def mark_keywords(wanted: Sequence[Keyword], own: Collection[Keyword]) -> tuple[GroupMarks, ...]:
    """The keywords of a query group by group, each with whether a clip has it."""
    return tuple(
        GroupMarks(group, tuple((word, word in own) for word in wanted if word.group == group))
        for group in dict.fromkeys(word.group for word in wanted)
    )
