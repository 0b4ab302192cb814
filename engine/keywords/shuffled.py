"""Whether metrics are above chance: tested by giving every clip the annotations of another.

If a model's vectors have nothing to do with the annotations, these could as well be exchanged among
the clips. The rankings stay as they are, so what queries share is there in every shuffle: results
that many queries have in common, and clips that find each other. Each query for itself has a random
ranking then, whose mean is the chance level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.base.arrays import ROUNDING, Bools, Floats, Ints
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.keywords.judge import JudgedRanking
from engine.metrics import Measure, Relevance, Scores, score
from engine.metrics.chance import ChanceLevels, has_chance_level
from engine.metrics.policies import Policies

MOST_SHUFFLES, FEWEST_SHUFFLES = 499, 99
MOST_RESULTS = 2_000_000
"""Results that are judged anew in all shuffles together: less than a second."""
FEWEST_QUERIES = 50
_RESULTS_AT_ONCE = 500_000
_SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class ChanceTest:
    """How sure it is that measures are above chance.

    p         (m,) how often shuffled annotations do at least as well; NaN: that was not tested
    shuffles  how often they were shuffled
    queries   how many queries were looked at for it; of very many, some drawn at random
    """

    p: Floats
    shuffles: int
    queries: int


@dataclass(slots=True)
class ChanceTrial:
    """Keeps what the test needs of rankings that stream by.

    chosen  numbers of the queries that are tested, ascending
    """

    shuffles: int
    chosen: Ints
    _kept: list[JudgedRanking] = field(default_factory=list)

    @classmethod
    def plan(cls, queries: int, depth: int) -> ChanceTrial:
        """As many shuffles of all queries as are quickly done, or fewer of some of them."""
        shuffles = MOST_RESULTS // max(1, queries * depth)
        if shuffles >= FEWEST_SHUFFLES:
            # p-values are multiples of 1 / (shuffles + 1): one of them is 0.05.
            return cls(min(MOST_SHUFFLES, (shuffles + 1) // 20 * 20 - 1), np.arange(queries))
        affordable = max(FEWEST_QUERIES, MOST_RESULTS // (FEWEST_SHUFFLES * depth))
        count = min(queries, affordable)
        chosen = np.random.default_rng(_SEED).choice(queries, count, replace=False)
        return cls(FEWEST_SHUFFLES, np.sort(chosen))

    def keep(self, judged: JudgedRanking, part: slice) -> None:
        """Keep those of the queries of a part that are to be tested."""
        first, last = np.searchsorted(self.chosen, (part.start, part.stop))
        self._kept.append(judged.take(self.chosen[first:last] - part.start))

    def carry_out(
        self,
        truth: GroundTruth,
        queries: QuerySet,
        relevant: Ints,
        chance: ChanceLevels,
        policies: Policies,
        *,
        own_removed: bool,
    ) -> ChanceTest:
        """`relevant` and `chance` are those of all queries; `own_removed`: a clip that asks is not
        among its results."""
        depth = min(judged.ranking.depth for judged in self._kept)
        judged = JudgedRanking.concat([judged.top(depth) for judged in self._kept])
        tested = tuple(
            m for m in chance.measures if has_chance_level(m) and m.aggregate != "pooled"
        )
        columns = [chance.measures.index(measure) for measure in tested]
        shuffle = _Shuffle(truth, queries, relevant, judged, self.chosen, own_removed)
        expected = chance.values[:, columns]
        observed = _summarise(
            shuffle.score(np.arange(len(truth))[None], tested, policies), expected, tested
        )
        of_means = [measure.aggregate == "mean" for measure in tested]
        reached = np.ones(len(tested))
        for some in _draw(len(truth), shuffle.stays, self.shuffles, max(1, judged.hits.size)):
            found = _summarise(shuffle.score(some, tested, policies), expected, tested)
            found[:, of_means] *= shuffle.widening
            reached += np.count_nonzero(found >= observed - ROUNDING, axis=0)
        p = np.full(len(chance.measures), np.nan)
        known = ~np.isnan(observed[0])
        p[np.array(columns, np.int64)[known]] = reached[known] / (self.shuffles + 1)
        return ChanceTest(p, self.shuffles, len(self.chosen))


class _Shuffle:
    """The tested queries, judged by the annotations of other clips."""

    def __init__(
        self,
        truth: GroundTruth,
        queries: QuerySet,
        relevant: Ints,
        judged: JudgedRanking,
        chosen: Ints,
        own_removed: bool,
    ) -> None:
        self.truth, self.queries, self.relevant, self.judged = truth, queries, relevant, judged
        self.chosen = chosen
        self.rows = queries.rows if own_removed else None
        rows = self.rows
        # All clips ask that can: those who ask exchange their annotations, and ask with them.
        self.exchanged = rows is not None and queries.asked == len(truth) == len(
            set(rows.tolist())
        ) + len(queries.left_out)
        self.stays: Bools | None = None
        self._number_of = np.zeros(len(truth), np.int64)
        if rows is not None and self.exchanged:
            self._number_of[rows] = np.arange(len(rows))
            self.stays = np.ones(len(truth), np.bool_)
            self.stays[rows] = False

    @property
    def widening(self) -> float:
        """How much further from chance than in these shuffles means may be.

        Two clips that find each other are both hits or both not. Where clips keep the keywords that
        they ask with, shuffles treat the two apart: for results that ask as well, this counts
        them twice, the most that it can come to.
        """
        if self.rows is None or self.exchanged:
            return 1.0
        asks = np.zeros(len(self.truth), np.bool_)
        asks[self.rows[self.chosen]] = True
        return float(np.sqrt(1.0 + asks[self.judged.ranking.indices].mean()))

    def score(
        self, other: Ints, measures: Sequence[Measure], policies: Policies
    ) -> tuple[Floats, Ints]:
        """(s, t, m) values if each clip c has the annotations of `other[s, c]`, and (s, t) which
        query's keywords each tested query then has."""
        indices = self.judged.ranking.indices
        found = other[:, indices]
        numbers = np.broadcast_to(self.chosen, (len(other), len(self.chosen)))
        if self.rows is not None:
            own = self.rows[self.chosen]
            if self.exchanged:
                numbers = self._number_of[other[:, own]]
            else:
                # A query keeps its keywords: nobody else gets those of its clip.
                given = other[:, own][:, :, None]
                found = np.where(found == own[:, None], given, found)
        flat, count = numbers.reshape(-1), len(other)
        shape = len(flat), indices.shape[1]
        hits = self.truth.has_all(found.reshape(shape), self.queries.bits[flat])
        scores = np.broadcast_to(np.float32(0), shape)
        if policies.ties == "expected":
            scores = np.tile(self.judged.ranking.scores, (count, 1))
        returned = np.tile(self.judged.retrieved.sum(axis=1, dtype=np.int64), count)
        values: Scores = score(
            Relevance(
                gains=hits & (np.arange(shape[1]) < returned[:, None]),
                scores=scores,
                returned=returned,
                relevant=self.relevant[flat],
                collection=np.tile(self.judged.collection, count),
                complete=True,
                short=policies.fewer_than_k,
            ),
            measures,
            no_relevant=policies.no_relevant,
            ties=policies.ties,
        )
        return values.values.reshape(count, -1, len(measures)), numbers


def _summarise(found: tuple[Floats, Ints], expected: Floats, measures: Sequence[Measure]) -> Floats:
    """(s, m) how far every shuffle is above chance, larger is better; a median as it is."""
    values, numbers = found
    out = np.full((len(values), len(measures)), np.nan)
    for column, measure in enumerate(measures):
        of_measure = values[:, :, column]
        counted = ~np.isnan(of_measure)
        if not counted.any(axis=1).all():
            continue
        if measure.aggregate == "median":
            out[:, column] = np.nanmedian(of_measure, axis=1)
        else:
            above = np.where(counted, of_measure - expected[:, column][numbers], 0.0)
            out[:, column] = above.sum(axis=1) / counted.sum(axis=1)
        if measure.lower_is_better:
            out[:, column] *= -1
    return out


def _draw(clips: int, stays: Bools | None, shuffles: int, results: int) -> Iterator[Ints]:
    """(s, clips) whose annotations each clip gets, some shuffles at a time; the clips that stay
    exchange theirs among themselves, and so do the others."""
    rng = np.random.default_rng(_SEED)
    sides = [np.arange(clips)] if stays is None else [np.flatnonzero(~stays), np.flatnonzero(stays)]
    step = max(1, _RESULTS_AT_ONCE // max(results, clips))
    for start in range(0, shuffles, step):
        count = min(step, shuffles - start)
        other = np.empty((count, clips), np.int64)
        for side in sides:
            other[:, side] = rng.permuted(np.tile(side, (count, 1)), axis=1)
        yield other
