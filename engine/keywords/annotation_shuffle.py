"""Annotations shuffled among the clips: what queries then ask for, and what their results have.

If a model's vectors have nothing to do with the annotations, these could as well belong to other
clips. The rankings stay as they are, so what queries share is there in every shuffle: results that
many queries have in common, and clips that find each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.choices import RelevancePolicy
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.matching import count_by_matched, count_keywords, count_relevant_clips
from engine.dataset.query_set import QuerySet
from engine.metrics.gain_levels import GainLevels

_SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class ShuffledValues:
    """Values of m measures of t queries in s shuffles.

    values  (s, t, m) NaN: the query does not count
    asked   (s, t) whose keywords each query asks with, as numbers of queries
    """

    values: Floats
    asked: Ints


class AnnotationShuffle:
    """Shuffles, each known by its number: it is the same whoever asks for it.

    rows      (q,) the query clips, if they are removed from their results
    together  all clips ask that can: those that ask exchange their annotations among themselves,
              and ask with what they got
    relevant  (q,) R of every query
    levels    of every query, where relevance is graded
    rule      what makes a clip relevant
    """

    def __init__(
        self,
        truth: GroundTruth,
        queries: QuerySet,
        *,
        own_removed: bool,
        rule: RelevancePolicy = "all",
    ) -> None:
        self.truth, self.queries = truth, queries
        self.rows = rows = queries.rows if own_removed else None
        self.rule: RelevancePolicy = rule
        self.relevant: Ints = count_relevant_clips(truth, queries.bits, rule, rows)
        self.levels: GainLevels | None = None
        if rule == "graded":
            by_matched = count_by_matched(truth, queries.bits, rows)
            self.levels = GainLevels.of_matched(by_matched, count_keywords(queries.bits))
        self.together = rows is not None and queries.asked == len(truth) == len(
            set(rows.tolist())
        ) + len(queries.left_out)
        self._asks = np.zeros(len(truth), np.bool_)
        self._number_of = np.zeros(len(truth), np.int64)
        if rows is not None:
            self._asks[rows] = True
            self._number_of[rows] = np.arange(len(rows))

    def draw(self, numbers: range) -> Ints:
        """(s, clips) whose annotations each clip gets in the shuffles of these numbers."""
        sides = (self._asks, ~self._asks) if self.together else (np.ones_like(self._asks),)
        other = np.empty((len(numbers), len(self.truth)), np.int64)
        for clips in map(np.flatnonzero, sides):
            for line, number in enumerate(numbers):
                rng = np.random.default_rng((_SEED, number))
                # A permutation, in half the time of `permutation`.
                other[line, clips] = clips[rng.choice(len(clips), len(clips), replace=False)]
        return other

    def find_asked(self, chosen: Ints, other: Ints) -> Ints:
        """(s, t) whose keywords the chosen queries ask with, as numbers of queries."""
        if self.rows is not None and self.together:
            return self._number_of[other[:, self.rows[chosen]]]
        return np.broadcast_to(chosen, (len(other), len(chosen)))

    def keep_own(self, has: Ints, own: Ints, given: Ints) -> Ints:
        """Whose annotations results have if a query clip keeps its own: nobody else gets those, but
        what this clip was `given`."""
        return has if self.together else np.where(has == own, given, has)

    def find_widening(self, chosen: Ints, results: Ints) -> float:
        """How much further from chance than in these shuffles the mean of a measure may be.

        Two clips that find each other are both hits or both not. Where clips keep the keywords that
        they ask with, shuffles treat the two apart: for results that ask as well, this counts
        them twice, the most that it can come to.
        """
        if self.rows is None or self.together:
            return 1.0
        asks = np.zeros(len(self.truth), np.bool_)
        asks[self.rows[chosen]] = True
        return float(np.sqrt(1.0 + asks[results].mean()))
