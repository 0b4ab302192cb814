"""Scored: per-query values of rankings that were held against judgements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.ranking import NO_ITEM, Ranking, shorten_scores
from engine.metrics import Profile, Scores
from engine.metrics.policies import Policies
from engine.rankings.formats.id_table import IdTable
from engine.results.results import RANKED, KeptResults, Results, number_queries


@dataclass(frozen=True, slots=True)
class QueryCounts:
    """How many queries there were, and what became of them."""

    judged: int
    in_run: int
    missing: int
    unjudged_ignored: int
    no_relevant: int


@dataclass(frozen=True, slots=True, eq=False)
class RunScores:
    """Per-query values of one run, and the top results behind them.

    queries   the judged queries that count or were left out for having nothing relevant
    relevant  (q,) R
    top       (q, k) the first results; indices are places in `items`
    gains     (q, k) their grades, 0 for not relevant
    """

    queries: tuple[str, ...]
    relevant: Ints
    scores: Scores
    top: Ranking
    gains: Floats
    items: IdTable
    collection: int
    counts: QueryCounts
    policies: Policies
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.queries)

    def ranked(self, k: int | None = None) -> tuple[KeptResults, ...]:
        """The first k results of every query, at most as many as were kept."""
        top = self.top if k is None else self.top.cut(k)
        filled = top.indices != NO_ITEM
        lengths = filled.sum(axis=1).tolist()
        ids = self.items.names(top.indices[filled])
        scores = shorten_scores(top.scores[filled])
        gains = self.gains[:, : top.depth][filled].tolist()
        ends = np.cumsum(lengths).tolist()
        return tuple(
            KeptResults(tuple(ids[a:b]), tuple(scores[a:b]), tuple(gains[a:b]))
            for a, b in ((end - length, end) for end, length in zip(ends, lengths, strict=True))
        )

    def results(self, name: str, language: Profile, k: int | None = None) -> Results:
        """The values as comparisons take them."""
        return Results(
            name=name,
            language=language,
            measures=self.scores.measures,
            keys=number_queries([RANKED] * len(self), self.queries),
            values=self.scores.values,
            keywords=((),) * len(self),
            relevant=self.relevant,
            ranked=self.ranked(k),
            notes=self.notes,
        )
