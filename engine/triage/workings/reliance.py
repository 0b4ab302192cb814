"""Reliance: how much of what a similarity does for a group of keywords it owes to what the vectors
say of that group, linearly.

A group is erased from the vectors by what one half of the clips teaches; then each clip of the
other half searches among those. Per group, a result is a hit if it has all that the query clip has
of it (where sources are ranked, one clip of each other source is a result), and

    drop     = P@k before − P@k after the group was erased
    control  = P@k before − P@k after the same was done with shuffled labels
    reliance = drop − control

Halves take turns. With θ_A and θ_B what they say, the estimate of a split is their mean, and
(θ_A − θ_B) / 2 is what it errs by: McCarthy's balanced half-samples (1969), which also see that a
clip is query and result at once, as a bootstrap of queries does not. The error is the root of the
mean square over splits, with

    min(splits, sources − 1)

degrees of freedom, as splits of few sources are the same few over and over; draws mix the same
contrasts at random. An error is never taken to be less than one query that counts, 1 / queries:
halves that happen to agree are no proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, Floats, Ints, Vectors
from engine.stats.distributions import normal_quantile, t_cdf, t_quantile
from engine.triage.effect import Effect
from engine.triage.study import Study
from engine.triage.workings.learned_halves import (
    LearnedHalf,
    LearnedHalves,
    find_group_places,
    measure_halves,
)
from engine.triage.workings.source_blocks import SourceBlocks, find_fitting

_MOST_SEARCHED = 500
"""Clips of a half that search and are searched: all if there are no more."""

_LEAST_QUERIES = 10


@dataclass(frozen=True, slots=True, eq=False)
class Reliance:
    """Of groups g that were erased, on groups h that were measured.

    groups    in the order of all that follows
    before    (h,) P@k of each group, before anything was erased
    chance    (h,) of results in any order
    ceiling   (h,) of the best order
    drop      (g, h) `before` less what is left when g was erased
    control   (g, h) the same, of shuffled labels
    halves    (splits, 2, g, h) the reliance that each half shows
    level     of the intervals
    mixing    (resamples, splits) how the draws mix the splits: the same for every model
    queries   (h,) clips that count as queries in the first split
    clips     how many were searched in it
    sources   of the clips that were split
    """

    groups: tuple[str, ...]
    before: Floats
    chance: Floats
    ceiling: Floats
    drop: Floats
    control: Floats
    halves: Floats
    level: float
    mixing: Floats
    queries: Ints
    clips: int
    sources: int

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the errors."""
        return min(len(self.halves), self.sources - 1)

    @property
    def reliance(self) -> Floats:
        """(g, h)"""
        return self.drop - self.control

    @property
    def own(self) -> Floats:
        """(g,) on the group itself that was erased."""
        return np.diagonal(self.reliance).copy()

    @property
    def possible(self) -> Floats:
        """(h,) what a similarity that is perfect for a group could owe to it."""
        return self.ceiling - self.chance

    def limits_of(self, share: float) -> Floats:
        """(h,) a share of what is possible."""
        found: Floats = share * self.possible
        return found

    @property
    def errors(self) -> Floats:
        """(g, h) standard errors of the reliance."""
        found: Floats = np.sqrt((self._contrasts**2).mean(axis=0))
        return found

    @property
    def _contrasts(self) -> Floats:
        """(splits, g, h) what each split errs by; none less than one query."""
        found: Floats = (self.halves[:, 0] - self.halves[:, 1]) / 2
        if not len(found):
            return found
        least = 1 / np.maximum(self.queries, 1)
        small = np.sqrt((found**2).mean(axis=0)) < least
        return np.where(small, least, found)

    def effect(self, erased: int, measured: int) -> Effect:
        """The reliance of one group on another, or on itself."""
        contrasts = self._contrasts[:, erased, measured]
        splits = len(contrasts)
        value = float(self.reliance[erased, measured])
        if not splits:
            return Effect.of_draws(value, np.full(len(self.mixing), math.nan), self.level)
        upper = (1 + self.level) / 2
        wider = t_quantile(self.freedom, upper) / normal_quantile(upper) / math.sqrt(splits)
        return Effect.of_draws(value, value + wider * (self.mixing @ contrasts), self.level)

    def test_below(self, limits: Floats) -> Floats:
        """(g,) p of: a group owes to itself its limit or more; NaN where nothing was measured."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (self.own - limits) / np.diagonal(self.errors)
        return np.array(
            [math.nan if math.isnan(one) else t_cdf(self.freedom, one) for one in t.tolist()]
        )


def measure_reliance(study: Study) -> Reliance:
    """Erase every group of the selection, and search again."""
    learned = study.once(measure_halves)
    groups, splits = study.groups, len(learned.halves) // 2
    places = [find_group_places(study, group) for group in groups]
    tried = [_try_half(study, learned, half, places) for half in learned.halves]
    size = len(groups)
    if not tried:
        none = np.full(size, math.nan)
        empty = np.full((size, size), math.nan)
        return Reliance(
            groups, none, none, none, empty, empty, np.empty((0, 2, size, size)),
            study.settings.level, np.empty((study.settings.resamples, 0)),
            np.zeros(size, np.int64), 0, 0,
        )  # fmt: skip
    before, chance, ceiling, queries = (
        np.array([getattr(one, name) for one in tried])
        for name in ("before", "chance", "ceiling", "queries")
    )
    erased, sham = (np.array([getattr(one, name) for one in tried]) for name in ("erased", "sham"))
    mixing = study.make_rng("splits").standard_normal((study.settings.resamples, splits))
    return Reliance(
        groups=groups,
        before=before.mean(axis=0),
        chance=chance.mean(axis=0),
        ceiling=ceiling.mean(axis=0),
        drop=(before[:, None] - erased).mean(axis=0),
        control=(before[:, None] - sham).mean(axis=0),
        halves=(sham - erased).reshape(splits, 2, size, size),
        level=study.settings.level,
        mixing=mixing,
        queries=queries[:2].sum(axis=0),
        clips=sum(one.clips for one in tried[:2]),
        sources=int(learned.sources.max()) + 1,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _TriedHalf:
    """P@k by group among the clips of one half: before, (h,), and after each erasure, (g, h)."""

    before: Floats
    erased: Floats
    sham: Floats
    chance: Floats
    ceiling: Floats
    queries: Ints
    clips: int


def _try_half(
    study: Study, learned: LearnedHalves, half: LearnedHalf, places: list[Ints]
) -> _TriedHalf:
    held = half.held
    if len(held) > _MOST_SEARCHED:
        drawn = study.make_rng(f"searched {half.split}").permutation(len(held))[:_MOST_SEARCHED]
        held = held[np.sort(drawn)]
    vectors = study.vectors[learned.clips[held]]
    own = [learned.labels[np.ix_(held, columns)].astype(np.float32) for columns in places]
    sources = learned.sources[held] if study.one_per == "source" else np.arange(len(held))
    blocks = SourceBlocks.of(sources)
    fitting = [find_fitting(labels) for labels in own]
    relevant = [blocks.count(fits) for fits in fitting]
    by_chance = [blocks.average(fits) for fits in fitting]
    k = min(study.settings.k, len(blocks) - 1)

    def measure(changed: AnyFloats) -> Floats:
        study.beat()
        top = find_nearest(study, changed, k, blocks)
        pairs = zip(own, relevant, strict=True)
        return np.array([compute_group_precision(top, labels, r) for labels, r in pairs])

    counted = [r[r > 0] for r in relevant]
    chances = [chance[r > 0] for chance, r in zip(by_chance, relevant, strict=True)]
    return _TriedHalf(
        before=measure(vectors),
        erased=np.array([measure(one.erase(vectors)) for one in half.erasers]),
        sham=np.array([measure(one.erase(vectors)) for one in half.sham]),
        chance=np.array([_mean(one) for one in chances]),
        ceiling=np.array([_mean(np.minimum(r, k) / k) for r in counted]),
        queries=np.array([len(r) for r in counted]),
        clips=len(held),
    )


def find_nearest(study: Study, vectors: AnyFloats, k: int, blocks: SourceBlocks) -> Ints:
    """(n, k) the rows of the nearest others of each row, in no order, by the similarity of the
    study; of each other source one."""
    metric = study.collection.model.metric
    x: Vectors = vectors.astype(np.float32)
    squares = np.vecdot(x, x)
    if metric == "cosine":
        x = x / np.sqrt(np.maximum(squares, np.finfo(np.float32).tiny))[:, None]
    scores = x @ x.T
    if metric == "l2":
        scores = 2 * scores - squares
    if len(blocks) < len(x):
        return blocks.find_nearest(scores, k)
    np.fill_diagonal(scores, -np.inf)
    found: Ints = np.argpartition(scores, -k, axis=1)[:, -k:].astype(np.int64)
    return found


def compute_group_precision(top: Ints, labels: AnyFloats, relevant: Ints) -> float:
    """The mean P@k of the rows to which some other is relevant; NaN for a handful of them."""
    rows = np.flatnonzero(relevant)
    if len(rows) < _LEAST_QUERIES:
        return math.nan
    own = labels[rows]
    shared = np.vecdot(labels[top[rows]], own[:, None])
    return float((shared >= own.sum(axis=1)[:, None] - 0.5).mean())


def _mean(values: AnyFloats) -> float:
    return float(values.mean()) if len(values) else math.nan
