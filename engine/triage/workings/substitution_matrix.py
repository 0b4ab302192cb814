"""Which keyword comes in place of which, group by group, and what the counts are worth.

`engine.triage.workings.substitution_counts` has O, E and n. Wrong results are no independent draws:
they count for as many as they are worth, by the rules of `engine.keywords.instead`, with clusters
of queries in place of queries, and sources in place of videos:

    worth = n / (d_sources + d_clusters − 1)
    d_sources   Σ m² / Σ m over the sources, each with m results: all of a source count as one
    d_clusters  1 + ICC · (ñ − 1), ñ = Σ n² / Σ n over the clusters, each with n results; or the
                variance of O − lift · E over the pair's own clusters, relative to that of
                independent results, if that is more; at most ñ: all of a cluster count as one

The ICC, how alike the results of one cluster are, is that of all pairs of the group together,
Σ (variance − independent) / Σ independent · (ñ − 1): the few clusters of one pair say little of it.

p is that of at least O of n where E are expected: P(B ≤ E/n), B ~ Beta(O, n − O + 1), with O and n
shortened to what they are worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.choices import Mode
from engine.stats.shares import bound_shares, compute_tail
from engine.triage.study import Study
from engine.triage.workings.substitution_counts import WrongResults, collect_wrong_results

FEWEST_RESULTS = 10
FEWEST_CLUSTERS = 3
"""Wrong results that a pair of keywords needs to be tested, and clusters of their queries."""


@dataclass(frozen=True, slots=True, eq=False)
class SubstitutionMatrix:
    """Asked × came instead, of one group and one mode; a pair that never was has n = 0.

    names     (g,) the keywords, as "group:name"
    places    (g,) their places among the chosen keywords
    queries   (g, g) queries that ask for the one, not for the other, and have a wrong result
    results   (g, g) n: their wrong results that lack the one
    observed  (g, g) O: those of them that have the other
    expected  (g, g) E
    clusters  (g, g) clusters of these queries
    worth     (g, g) as how many independent results the n count
    """

    mode: Mode
    group: str
    names: tuple[str, ...]
    places: Ints
    queries: Ints
    results: Floats
    observed: Floats
    expected: Floats
    clusters: Floats
    worth: Floats

    @property
    def lift(self) -> Floats:
        """(g, g) O / E; NaN where nothing is expected."""
        return _divide(self.observed, self.expected, np.nan)

    @property
    def tested(self) -> Bools:
        """(g, g) pairs of enough results and clusters, where some clip has the other."""
        enough: Bools = (self.results >= FEWEST_RESULTS) & (self.clusters >= FEWEST_CLUSTERS)
        return enough & (self.expected > 0)

    @property
    def p(self) -> Floats:
        """(g, g) p of no more than is expected; 1 where that is not tested."""
        share, base = self._shares
        p: Floats = np.where(self.tested, compute_tail(share * self.worth, self.worth, base), 1.0)
        return p

    def bound_lift(self, alpha: float) -> tuple[Floats, Floats]:
        """(g, g) the ends of the interval of each lift."""
        share, base = self._shares
        low, high = bound_shares(share * self.worth, self.worth, np.full(base.shape, alpha))
        return _divide(low, base, np.nan), _divide(high, base, np.nan)

    @property
    def _shares(self) -> tuple[Floats, Floats]:
        base = np.minimum(_divide(self.expected, self.results, 0.0), 1.0)
        return _divide(self.observed, self.results, 0.0), base


def measure_substitutions(study: Study) -> tuple[SubstitutionMatrix, ...]:
    """The matrices of all modes and of all groups with two keywords or more."""
    found = []
    for mode, asked in enumerate(study.asked):
        wrong = study.once(collect_wrong_results, mode)
        for group in study.groups:
            places = np.flatnonzero(np.isin(wrong.columns, study.columns_of(group)))
            if len(places) > 1:
                study.beat()
                found.append(_count_group(study, asked.clusters, wrong, asked.mode, group, places))
    return tuple(found)


def _count_group(
    study: Study, clusters: Ints, wrong: WrongResults, mode: Mode, group: str, places: Ints
) -> SubstitutionMatrix:
    asks, has = wrong.asks[:, places], wrong.has[:, places]
    free, lacks = (~asks).astype(np.float64), asks & ~has
    there, base = has * free, wrong.base[:, places] * free
    counts = lacks.T.astype(np.float64)
    observed, expected, results = counts @ there, counts @ base, counts @ free
    queries, number, alike, squares, shared = (np.zeros(results.shape) for _ in range(5))
    for asked in range(len(places)):
        rows = np.flatnonzero(lacks[:, asked])
        if not len(rows):
            continue
        rest = there[rows] - _divide(observed[asked], expected[asked], 0.0) * base[rows]
        own = _sum_by(clusters[wrong.query[rows]], free[rows])
        squares[asked] = (_sum_by(clusters[wrong.query[rows]], rest) ** 2).sum(axis=0)
        alike[asked] = (own**2).sum(axis=0)
        number[asked] = (own > 0).sum(axis=0)
        queries[asked] = (_sum_by(wrong.query[rows], free[rows]) > 0).sum(axis=0)
        times = np.bincount(study.sources[wrong.clip[rows]]).astype(np.float64)
        shared[asked] = (times**2).sum() / times.sum()
    size = _divide(alike, results, 1.0)
    together = _count_together(results, observed, number, size, squares)
    keywords = [study.truth.words.keywords[column] for column in wrong.columns[places].tolist()]
    return SubstitutionMatrix(
        mode=mode,
        group=group,
        names=tuple(map(str, keywords)),
        places=places,
        queries=queries.astype(np.int64),
        results=results,
        observed=observed,
        expected=expected,
        clusters=number,
        worth=_divide(results, np.maximum(shared, 1) + together - 1, 0.0),
    )


def _count_together(
    results: Floats, observed: Floats, clusters: Floats, size: Floats, squares: Floats
) -> Floats:
    """(g, g) d_clusters; `size`: ñ, `squares`: of O − lift · E, summed over clusters."""
    share = _divide(observed, results, 0.0)
    independent = results * share * (1 - share)
    variance = _divide(clusters, clusters - 1, 1.0) * squares
    known = (clusters > 1) & (independent > 0)
    above = (variance - independent)[known].sum()
    below = (independent * (size - 1))[known].sum()
    alike = min(1.0, max(0.0, above / below)) if below > 0 else 1.0
    own = np.where(known, _divide(variance, independent, 1.0), 1.0)
    found: Floats = np.minimum(size, np.maximum(1 + alike * (size - 1), own))
    return found


def _sum_by(labels: Ints, rows: Floats) -> Floats:
    """(labels, c) sums of the rows of each label."""
    distinct, which = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(distinct), rows.shape[1]))
    np.add.at(sums, which, rows)
    return sums


def _divide(above: Floats, below: Floats, otherwise: float) -> Floats:
    """One by the other, and another number where that is not above 0."""
    found = np.full(np.broadcast_shapes(np.shape(above), np.shape(below)), otherwise)
    np.divide(above, below, out=found, where=np.asarray(below) > 0)
    return found
