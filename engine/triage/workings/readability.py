"""Readability: how well linear probes read each keyword out of vectors that they did not learn
from, and how much of that is more than chance.

    selectivity = AUC − AUC of probes that learned from shuffled labels, and are tried on those

AUC is the share of pairs of a clip with the keyword and one without in which the probe scores the
first higher (ties count half), averaged over the held-out halves. Its uncertainty is that of the
clips (LeDell, Petersen and van der Laan, 2015): with V_i the share of the other kind that clip i is
on the right side of, clip i moves an AUC by e_i = (V_i − AUC) / n of its kind; what clips of one
source do is added up. Halves that take turns do not err independently: labels that by chance go
with a direction in both are read in both. At worst they err alike, which doubles the variance; in
simulations of what is hardly readable, that is what they do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.stats import Interval
from engine.stats.distributions import t_cdf, t_quantiles
from engine.stats.resampling import draw_counts
from engine.triage.effect import Effect
from engine.triage.study import Study
from engine.triage.workings.learned_halves import (
    LearnedHalves,
    find_group_places,
    measure_halves,
)

FEWEST_KEYWORD_SOURCES = 10
"""Sources with and without a keyword, below which nothing is said of it."""

_ALIKE = math.sqrt(2)
"""By how much two halves that err alike err more than two that do not."""


@dataclass(frozen=True, slots=True, eq=False)
class ProbeResults:
    """Of several keywords, or of several groups.

    auc       out of fold
    control   the same of shuffled labels
    support   clips that have the keyword; of a group: one of those that were measured
    pull      (sources, n) by how much each source moves the selectivity
    freedom   (n,) degrees of freedom of its error: the sources that have a keyword, or those that
              lack it, whichever are fewer, less one; of a group: the mean of its keywords
    draws     (resamples, n) the selectivity when sources are drawn anew
    by_split  (splits, n) the selectivity of each split
    level     of the intervals
    """

    auc: Floats
    control: Floats
    support: Ints
    pull: Floats
    freedom: Floats
    draws: Floats
    by_split: Floats
    level: float

    @property
    def selectivity(self) -> Floats:
        return self.auc - self.control

    @property
    def measured(self) -> Bools:
        """Of which there were enough sources."""
        found: Bools = np.isfinite(self.selectivity) & (self.freedom >= FEWEST_KEYWORD_SOURCES - 1)
        return found

    @property
    def errors(self) -> Floats:
        """The standard errors of the selectivity, drawn from few sources as they may be."""
        few = (self.freedom + 1) / np.maximum(self.freedom, 1)
        found: Floats = np.sqrt((self.pull**2).sum(axis=0) * few)
        return found

    def interval(self, place: int) -> Interval:
        return self.effect(place).interval

    def effect(self, place: int) -> Effect:
        """The selectivity of one of them."""
        return Effect.of_draws(float(self.selectivity[place]), self.draws[:, place], self.level)

    def test_below(self, limit: float) -> Floats:
        """p of: the selectivity is the limit or more; NaN where nothing was measured."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (self.selectivity - limit) / self.errors
        return np.array(
            [
                t_cdf(freedom, value) if known and not math.isnan(value) else math.nan
                for known, freedom, value in zip(
                    self.measured, self.freedom.tolist(), t.tolist(), strict=True
                )
            ]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Readability:
    """What linear probes can read.

    columns   (k,) bit columns of the keywords
    keywords  in the order of `columns`
    groups    their names
    by_group  in the order of `groups`: means of their measured keywords, by how many clips have
              each
    clips     how many were looked at
    """

    columns: Ints
    keywords: ProbeResults
    groups: tuple[str, ...]
    by_group: ProbeResults
    clips: int


def measure_readability(study: Study) -> Readability:
    """Probe every keyword of the selection."""
    learned = study.once(measure_halves)
    keywords = _probe_keywords(study, learned)
    places = [find_group_places(study, group) for group in study.groups]
    return Readability(
        columns=study.selection.columns,
        keywords=keywords,
        groups=study.groups,
        by_group=_average(study, keywords, places, learned),
        clips=len(learned.clips),
    )


def _probe_keywords(study: Study, learned: LearnedHalves) -> ProbeResults:
    splits, k = len(learned.halves) // 2, learned.labels.shape[1]
    aucs = np.full((2, splits, 2, k), math.nan)
    pulls = np.zeros((2, len(learned.clips), k))
    for number, half in enumerate(learned.halves):
        study.beat()
        vectors = study.vectors[learned.clips[half.held]].astype(np.float64)
        tried = ((half.probes, learned.labels), (half.controls, half.shuffled))
        for kind, (probes, labels) in enumerate(tried):
            own = labels[half.held] > 0
            right = place_scores(vectors @ probes, own)
            auc, pull = weigh_places(right, own)
            aucs[kind, number // 2, number % 2] = auc
            pulls[kind][half.held] += pull
    counted = np.maximum(1, np.isfinite(aucs).sum(axis=(1, 2)))
    auc, control = np.where(np.isfinite(aucs), aucs, 0.0).sum(axis=(1, 2)) / counted
    measured = np.isfinite(aucs).any(axis=(1, 2)).all(axis=0)
    pull = sum_by_source(pulls[0] / counted[0] - pulls[1] / counted[1], learned.sources)
    pull *= _ALIKE
    freedom = _count_fewest_sources(learned) - 1.0
    freedom[~measured] = 0.0
    return _draw(
        study,
        np.where(measured, auc, math.nan),
        np.where(measured, control, math.nan),
        learned.labels.sum(axis=0).astype(np.int64),
        np.where(measured, pull, math.nan),
        freedom,
        (aucs[0] - aucs[1]).mean(axis=1),
    )


def _average(
    study: Study, keywords: ProbeResults, places: Sequence[Ints], learned: LearnedHalves
) -> ProbeResults:
    """Of groups: each keyword counts by the clips that have it."""
    weights = np.zeros((len(keywords.auc), len(places)))
    for number, own in enumerate(places):
        weights[own, number] = keywords.support[own] * keywords.measured[own]
    totals = weights.sum(axis=0)
    shares = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    known = np.where(keywords.measured, 1.0, 0.0)
    none = np.where(totals > 0, 0.0, math.nan)

    def average(values: Floats) -> Floats:
        found: Floats = np.where(known > 0, values, 0.0) @ shares + none
        return found

    support = [
        int(learned.labels[:, weights[:, g] > 0].any(axis=1).sum()) for g in range(len(places))
    ]
    return _draw(
        study,
        average(keywords.auc),
        average(keywords.control),
        np.array(support, np.int64),
        average(keywords.pull),
        np.nan_to_num(average(keywords.freedom)),
        average(keywords.by_split),
    )


def _draw(
    study: Study,
    auc: Floats,
    control: Floats,
    support: Ints,
    pull: Floats,
    freedom: Floats,
    by_split: Floats,
) -> ProbeResults:
    """Add the draws: sources are drawn anew, and what few of them do not show is made up for by
    Student's t."""
    settings = study.settings
    wider = compute_widening(freedom, settings.level)
    seed = int(study.make_rng("sources").integers(2**31))
    drawn, moving = [], pull.astype(np.float32)
    for part in draw_counts(len(pull), settings.resamples, seed):
        study.beat()
        drawn.append(part.astype(np.float32) @ moving)
    moved = np.concatenate(drawn).astype(np.float64) * wider
    return ProbeResults(
        auc, control, support, pull, freedom, auc - control + moved, by_split, settings.level
    )


def compute_widening(freedom: Floats, level: float) -> Floats:
    """By how much Student's quantile is larger than the normal one, and a standard deviation than
    one that divides by all.

    >>> compute_widening(np.array([9.0, 1e9]), 0.95).round(3).tolist()
    [1.217, 1.0]
    """
    upper = np.full(len(freedom), (1 + level) / 2)
    few = np.maximum(freedom, 1.0)
    ratio: Floats = t_quantiles(few, upper) / t_quantiles(np.full(len(few), 1e9), upper)
    return ratio * np.sqrt((few + 1) / few)


def _count_fewest_sources(learned: LearnedHalves) -> Floats:
    """(k,) how many sources have each keyword, or lack it, whichever are fewer."""
    having = sum_by_source(learned.labels, learned.sources) > 0
    lacking = sum_by_source(1 - learned.labels, learned.sources) > 0
    fewest: Floats = np.minimum(having.sum(axis=0), lacking.sum(axis=0)).astype(np.float64)
    return fewest


def sum_by_source(values: Floats, sources: Ints) -> Floats:
    """(sources, n) of (clips, n), in the order of the sources' numbers."""
    order = np.argsort(sources, kind="stable")
    starts = np.flatnonzero(np.diff(sources[order], prepend=-1))
    found: Floats = np.add.reduceat(values[order], starts, axis=0)
    return found


def place_scores(scores: Floats, own: Bools) -> Floats:
    """(n, k) which share of the clips of the other kind each clip is on the right side of: those
    with the keyword above, those without below; ties count half. NaN where there is no other kind.

    >>> place_scores(np.array([[3.0], [1.0], [2.0], [1.0]]), np.array([[1], [1], [0], [0]]) > 0)
    array([[1.  ],
           [0.25],
           [0.5 ],
           [0.75]])
    """
    n, k = scores.shape
    order = np.argsort(scores, axis=0, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=0)
    with_it = np.take_along_axis(own, order, axis=0)
    new = np.ones((n + 1, k), np.bool_)
    new[1:-1] = ordered[1:] != ordered[:-1]
    at = np.arange(n)[:, None]
    first = np.maximum.accumulate(np.where(new[:-1], at, 0), axis=0)
    last = np.minimum.accumulate(np.where(new[1:], at + 1, n)[::-1], axis=0)[::-1]
    before = np.zeros((n + 1, k))
    np.cumsum(with_it, axis=0, out=before[1:])
    below, upto = (np.take_along_axis(before, place, axis=0) for place in (first, last))
    total = before[-1]
    above_share = (total - (below + upto) / 2) / np.where(total > 0, total, math.nan)
    others = n - total
    below_share = ((first + last - below - upto) / 2) / np.where(others > 0, others, math.nan)
    found = np.empty((n, k))
    np.put_along_axis(found, order, np.where(with_it, below_share, above_share), axis=0)
    return found


def weigh_places(right: Floats, own: Bools) -> tuple[Floats, Floats]:
    """(k,) the AUC, and (n, k) by how much each clip moves it: 0 where there is none."""
    having = own.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        auc = np.where(own, right, 0.0).sum(axis=0) / having
        pull = (right - auc) / np.where(own, having, len(own) - having)
    return auc, np.where(np.isfinite(pull), pull, 0.0)
