"""Whether metrics are above chance: tested by giving every clip the annotations of another.

Each query for itself has a random ranking then, whose mean is the chance level; how far the mean of
all queries may be from that by chance is seen in many such shuffles. Every measure is tested by
what it looks at, whatever else is asked for: its first k results, the first hit, or the whole
ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.base.arrays import Floats
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.keywords.annotation_shuffle import AnnotationShuffle, ShuffledValues
from engine.keywords.judge import JudgedRanking
from engine.keywords.shuffle_plan import ShufflePlan
from engine.keywords.shuffled_first_hits import FirstHitTrial
from engine.keywords.shuffled_tops import TopTrial
from engine.metrics import Measure
from engine.metrics.chance import ChanceLevels, ChanceTest, can_be_tested
from engine.metrics.first_hit_tally import follows_from_first_hit
from engine.metrics.policies import Policies

_NOISE = 1e-9
"""Means that differ by less are equal."""


class _Trial(Protocol):
    """Some measures that are tested together."""

    measures: tuple[Measure, ...]

    @property
    def shuffles(self) -> int: ...

    def keep(self, judged: JudgedRanking, part: slice) -> None:
        """Take what is needed of the rankings of a part of the queries."""

    def observe(self) -> ShuffledValues:
        """The values as they are."""

    def carry_out(self) -> Iterator[ShuffledValues]:
        """The values in all shuffles, some at a time."""

    def find_widening(self) -> Floats:
        """(m,) how much further from chance than in the shuffles a mean may be."""


@dataclass(frozen=True, slots=True, eq=False)
class ChanceTrial:
    """Keeps what the test needs of rankings that stream by."""

    measures: tuple[Measure, ...]
    _trials: tuple[_Trial, ...]

    @classmethod
    def plan(
        cls,
        truth: GroundTruth,
        queries: QuerySet,
        measures: Sequence[Measure],
        policies: Policies,
        *,
        depth: int,
        complete: bool,
        own_removed: bool,
    ) -> ChanceTrial:
        """For rankings of this depth; `complete`: nothing ranks below. `own_removed`: a clip that
        asks is not among its results."""
        tested = [measure for measure in measures if can_be_tested(measure, policies.ties)]
        if not tested:
            return cls(tuple(measures), ())
        shuffle = AnnotationShuffle(
            truth, queries, own_removed=own_removed, rule=policies.relevance
        )
        trials: list[_Trial] = []
        if complete and policies.ties != "expected":
            of_first_hit = tuple(m for m in tested if not m.cutoff and follows_from_first_hit(m))
            tested = [measure for measure in tested if measure not in of_first_hit]
            trials += [FirstHitTrial.plan(shuffle, of_first_hit, policies)] if of_first_hit else []
        # Where as many shuffles of the same queries are affordable, they are done once for all.
        alike: dict[tuple[int, int], TopTrial] = {}
        for measure in tested:
            k = min(measure.cutoff or depth, depth)
            planned = ShufflePlan.of(len(queries), k, len(truth))
            trial = alike.setdefault(
                (planned.shuffles, len(planned.chosen)), TopTrial(shuffle, (), policies, planned, k)
            )
            trial.measures, trial.k = (*trial.measures, measure), max(trial.k, k)
        return cls(tuple(measures), (*trials, *alike.values()))

    def keep(self, judged: JudgedRanking, part: slice) -> None:
        """Take what is needed of the rankings of a part of the queries."""
        for trial in self._trials:
            trial.keep(judged, part)

    def carry_out(self, chance: ChanceLevels) -> ChanceTest:
        """`chance` is that of all queries."""
        p = np.full(len(self.measures), np.nan)
        shuffles, queries = np.zeros((2, len(self.measures)), np.int64)
        for trial in self._trials:
            columns = [self.measures.index(measure) for measure in trial.measures]
            observed = trial.observe()
            p[columns] = _find_p(trial, observed, chance)
            shuffles[columns] = trial.shuffles
            queries[columns] = np.count_nonzero(~np.isnan(observed.values[0]), axis=0)
        shuffles[np.isnan(p)] = 0
        return ChanceTest(p, shuffles.tolist(), queries.tolist())


def _find_p(trial: _Trial, observed: ShuffledValues, chance: ChanceLevels) -> Floats:
    """(m,) how often shuffles do at least as well; NaN where no query counts."""
    reached, widening = np.ones(len(trial.measures)), trial.find_widening()
    columns = [chance.measures.index(measure) for measure in trial.measures]
    expected, medians = chance.values[:, columns], _find_medians(chance, trial, observed)
    least = _summarise(observed, expected, medians, trial.measures) - _NOISE
    for found in trial.carry_out():
        summary = widening * _summarise(found, expected, medians, trial.measures)
        reached += np.count_nonzero(summary >= least, axis=0)
    return np.where(np.isnan(least[0]), np.nan, reached / (trial.shuffles + 1))


def _find_medians(chance: ChanceLevels, trial: _Trial, observed: ShuffledValues) -> Floats:
    """(m,) the levels of medians, of the queries that are looked at; 0 of other measures."""
    return np.array(
        [
            chance.level(measure, observed.asked[0]) if measure.aggregate == "median" else 0.0
            for measure in trial.measures
        ]
    )


def _summarise(
    found: ShuffledValues, expected: Floats, medians: Floats, measures: Sequence[Measure]
) -> Floats:
    """(s, m) how far every shuffle is above chance, larger is better."""
    every = found.asked.shape[1] == len(expected)  # all queries ask, whoever has whose keywords
    level = _average(expected[None] if every else expected[found.asked])
    out = _average(found.values) - level
    for column, measure in enumerate(measures):
        if measure.aggregate == "median":
            out[:, column] = np.nanmedian(found.values[:, :, column], axis=1) - medians[column]
    return out * [-1.0 if measure.lower_is_better else 1.0 for measure in measures]


def _average(values: Floats) -> Floats:
    """(s, m) the means of (s, t, m) values, without NaN."""
    missing = np.isnan(values)
    counted = values.shape[1] - np.count_nonzero(missing, axis=1)
    means = np.full(counted.shape, np.nan)
    total = np.where(missing, 0.0, values).sum(axis=1)
    np.divide(total, counted, out=means, where=counted > 0)
    return means
