"""How well queries find what they ask of one group, whatever they ask of the others.

Of a query's first k results, h have all that it asks for of the group; R clips of N have that.
With c = R / N, what results in any order would have (of sources: `Study.compute_chance`),

    P@k of the group   h / k
    kept               (mean of h / k − mean of c) / (mean of min(R, k) / k − mean of c)

Kept is 0 where results are no better than chance, and 1 where no ranking could do better. What an
index loses is not the vectors' fault: where it may lose something, a sample is searched exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats
from engine.triage.effect import Effect
from engine.triage.study import Study
from engine.triage.workings.exact_search import rank_sample


@dataclass(frozen=True, slots=True, eq=False)
class GroupPrecision:
    """Of one group, over the queries that ask for something of it.

    values   (q,) P@k of the group; NaN: the query was not looked at, asks for nothing of it, or no
             clip has it
    kept     the share of what is possible beyond chance
    """

    queries: int
    values: Floats
    mean: float
    chance: float
    ceiling: float
    kept: Effect


def measure_group_precision(study: Study, mode: int, group: str) -> GroupPrecision:
    """Of the queries of a mode, by its number."""
    asked, truth, k = study.asked[mode], study.truth, study.settings.k
    rows, ranking = study.once(rank_sample, mode)
    own = asked.queries.bits & truth.words.mask(study.columns_of(group))
    relevant, by_chance = study.weigh_relevant(own, asked.own_rows)
    counted = np.zeros(len(asked), np.bool_)
    counted[rows] = relevant[rows] > 0
    hits = np.zeros(len(asked))
    hits[rows] = truth.has_all(ranking.indices[:, :k], own[rows]).sum(axis=1)
    values = np.where(counted, hits / k, math.nan)
    chance = np.where(counted, by_chance, math.nan)
    ceiling = np.where(counted, np.minimum(relevant, k) / k, math.nan)
    resamples = study.resamples(asked)
    mean, low, high = (resamples.mean(column) for column in (values, chance, ceiling))
    return GroupPrecision(
        queries=int(np.count_nonzero(counted)),
        values=values,
        mean=mean.value,
        chance=low.value,
        ceiling=high.value,
        kept=Effect.of_draws(
            _divide(mean.value - low.value, high.value - low.value),
            _divide_all(mean.draws - low.draws, high.draws - low.draws),
            study.settings.level,
        ),
    )


def _divide(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan


def _divide_all(above: Floats, below: Floats) -> Floats:
    found = np.full(len(above), math.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found
