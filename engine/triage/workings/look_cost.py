"""What looks cost: wrong results that look more like the query clip than what was missed.

Of a query clip q with the wrong results W among its first k and the missed relevant clips M:

    e(w) = the share of M that look less like q than w does, ties half
    c(w) = the same of clips that are as wrong as w, and were drawn: not relevant to q, and sharing
           as much with q, group by group: nearest in the sum of the differences of Jaccard
    points(q) = min(1, |M| / |W|) · Σ_w (e(w) − c(w)) / k

Places that went to clips which look more alike than others do that share as much meaning: points
of m that could be regained at most, were looks worth nothing. Clips of q's own source, which look
alike as they are one recording, are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.ranking import NO_ITEM
from engine.stats import sign_flip
from engine.triage.effect import Effect
from engine.triage.mode_queries import ModeQueries
from engine.triage.study import Reference, Study
from engine.triage.workings.look_balance import LOOK_TESTS, compare_keywords

_MOST_QUERIES = 300
_MOST_MISSED = 20
_POOL = 600
_CONTROLS = 10


@dataclass(frozen=True, slots=True, eq=False)
class LookCost:
    """Over the query clips whose look is known.

    points    (q,) points of m of every query of the mode; NaN: not looked at
    by_group  (q, groups) the part of them that went to results without a keyword of the group
    nearer    the mean of e, and `chance` that of c, over wrong results; NaN if there are none
    lost      the mean of the points, with p of no place that went to looks, one-sided
    misled    queries with points, most first, each with the wrong results that look most alike
    """

    asked: ModeQueries
    points: Floats
    by_group: Floats
    nearer: float
    chance: float
    lost: Effect
    p: float
    misled: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Comparison:
    """One query's wrong results: rows, e and c of each, and how much a place is worth."""

    query: int
    wrong: Ints
    nearer: Floats
    chance: Floats
    worth: float

    @property
    def points(self) -> Floats:
        return self.worth * (self.nearer - self.chance)


def measure_look_cost(study: Study) -> LookCost | None:
    """None without a look, or without clips that ask."""
    asked = next((one for one in study.asked if one.mode == "video"), None)
    if asked is None or asked.queries.rows is None or study.visual is None:
        return None
    compare = _Comparer(study, study.visual, asked)
    groups = study.groups
    points, by_group = np.full(len(asked), np.nan), np.full((len(asked), len(groups)), np.nan)
    every: list[_Comparison] = []
    misled: list[tuple[float, int, int]] = []
    for number, query in enumerate(compare.choose_queries().tolist()):
        if number % 50 == 0:
            study.beat()
        found = compare(query)
        if found is None:
            continue
        every.append(found)
        points[query] = found.points.sum()
        by_group[query] = compare.lacks(query, found.wrong).T @ found.points
        if points[query] > 0:
            misled.append((-points[query], query, int(found.wrong[np.argmax(found.points)])))
    units = join_directions(points, asked.queries.rows, every)
    return LookCost(
        asked,
        points,
        by_group,
        _average([one.nearer for one in every]),
        _average([one.chance for one in every]),
        study.resamples(asked).mean(units),
        _test_points(study, asked, units),
        tuple((query, clip) for _, query, clip in sorted(misled)),
    )


def join_directions(points: Floats, own: Ints, every: Sequence[_Comparison]) -> Floats:
    """(q,) the points, those of two clips that find each other put down to one of the two.

    Such clips look as alike from either side: what they lose is one event and not two.

    >>> one = _Comparison(0, np.array([7]), np.ones(1), np.zeros(1), 0.2)
    >>> other = _Comparison(1, np.array([5]), np.ones(1), np.zeros(1), 0.2)
    >>> join_directions(np.array([0.2, 0.2]), np.array([5, 7]), [one, other]).tolist()
    [0.0, 0.4]
    """
    query_of = {int(clip): query for query, clip in enumerate(own.tolist())}
    lost = {
        (one.query, query_of[clip]): share
        for one in every
        for clip, share in zip(one.wrong.tolist(), one.points.tolist(), strict=True)
        if clip in query_of
    }
    found = points.copy()
    for (query, other), share in lost.items():
        if (other, query) not in lost:
            continue
        larger, smaller = max(query, other), min(query, other)
        if query == (smaller if (larger + smaller) % 2 else larger):
            found[query] -= share
            found[other] += share
    return found


def _average(parts: list[Floats]) -> float:
    values = np.concatenate([np.empty(0), *parts])
    return float(values.mean()) if len(values) else float("nan")


def _test_points(study: Study, asked: ModeQueries, points: Floats) -> float:
    """Were looks worth nothing, the points of each cluster of queries could as well be lost."""
    known = np.isfinite(points)
    if not known.any():
        return float("nan")
    test = sign_flip(
        points[known].round(9),
        resamples=study.choose_permutations(LOOK_TESTS),
        seed=int(study.make_rng("looks signs").integers(2**31)),
        alternative="greater",
        clusters=asked.clusters[known],
    )
    return test.p


class _Comparer:
    """Compares the wrong results of one query with what it missed, and with drawn clips."""

    def __init__(self, study: Study, visual: Reference, asked: ModeQueries) -> None:
        assert asked.queries.rows is not None
        self._study, self._visual, self._asked = study, visual, asked
        self._own = asked.queries.rows
        self._rng = study.make_rng("looks cost")
        known = np.flatnonzero(visual.known)
        size = min(_POOL, len(known))
        self._pool = np.sort(study.make_rng("looks pool").choice(known, size, replace=False))
        self._columns = [study.columns_of(group) for group in study.groups]
        self._pool_has = [study.unpack(columns, self._pool) for columns in self._columns]
        self._k = study.settings.k

    def choose_queries(self) -> Ints:
        able = np.flatnonzero(self._asked.counted & self._visual.known[self._own])
        if len(able) <= _MOST_QUERIES:
            return able
        drawn = self._study.make_rng("looks queries").choice(able, _MOST_QUERIES, replace=False)
        return np.sort(drawn)

    def __call__(self, query: int) -> _Comparison | None:
        """None where nothing can be compared; without a wrong result, one of no results."""
        study, own = self._study, int(self._own[query])
        top, hits = (part[query] for part in self._asked.top(self._k))
        found = top != NO_ITEM
        missed = int(self._asked.judged.relevant[query]) - int(np.count_nonzero(hits & found))
        wrong = top[found & ~hits]
        if not len(wrong) or not missed:
            return _Comparison(query, np.empty(0, np.int64), np.empty(0), np.empty(0), 0.0)
        worth = min(1.0, missed / len(wrong)) / self._k
        wrong = self._keep(wrong, own)
        words = study.truth.words.named(self._asked.queries.bits[query])
        relevant = study.truth.relevant(words).indices()
        rest = self._find_missed(relevant, top, hits & found, own)
        bits = self._asked.queries.bits[[query]]
        control = ~study.truth.has_all(self._pool[None], np.broadcast_to(bits, (1, bits.shape[1])))
        control = control[0] & (study.sources[self._pool] != study.sources[own])
        if not len(wrong) or not len(rest) or not control.any():
            return None
        if len(rest) > _MOST_MISSED:
            rest = self._rng.choice(rest, _MOST_MISSED, replace=False)
        beyond = np.sort(self._look(own, rest))
        drawn = self._match(own, wrong, control)
        chance = _share_below(beyond, self._look(own, self._pool))[drawn].mean(axis=1)
        return _Comparison(
            query, wrong, _share_below(beyond, self._look(own, wrong)), chance, worth
        )

    def _find_missed(self, relevant: Ints, top: Ints, hits: Bools, own: int) -> Ints:
        """Relevant clips that are no result; where sources are ranked one of each that is no hit,
        drawn at random."""
        study = self._study
        rest = self._keep(np.setdiff1d(relevant, top), own)
        if study.one_per == "clip":
            return rest
        rest = self._keep(relevant, own)
        rest = rest[~np.isin(study.sources[rest], study.sources[top[hits]])]
        drawn = self._rng.permutation(rest)
        return np.sort(drawn[np.unique(study.sources[drawn], return_index=True)[1]])

    def lacks(self, query: int, wrong: Ints) -> Floats:
        """(wrong, groups) whether a result lacks a keyword of each group that the query has."""
        study, bits = self._study, self._asked.queries.bits[[query]]
        missing = bits & ~study.truth.bits[wrong]
        masks = [study.truth.words.mask(columns) for columns in self._columns]
        columns = [(missing & mask).any(axis=1) for mask in masks]
        return np.column_stack(columns).astype(np.float64) if columns else np.zeros((len(wrong), 0))

    def _keep(self, clips: Ints, own: int) -> Ints:
        """Those whose look is known, of other sources."""
        study = self._study
        kept: Ints = clips[self._visual.known[clips] & (study.sources[clips] != study.sources[own])]
        return kept

    def _look(self, own: int, clips: Ints) -> Floats:
        vectors = self._visual.vectors
        alike: Floats = vectors[clips].astype(np.float64) @ vectors[own].astype(np.float64)
        return alike.round(9)

    def _match(self, own: int, wrong: Ints, control: Bools) -> Ints:
        """(wrong, n) places in the pool of clips that share about as much with the query clip."""
        apart = np.zeros((len(wrong), len(self._pool)))
        for columns, offered in zip(self._columns, self._pool_has, strict=True):
            has = self._study.unpack(columns, np.array([own, *wrong]))
            shared = compare_keywords(has[1:], has[:1])
            apart += np.abs(compare_keywords(offered, has[:1])[:, 0] - shared)
        apart += 1e-6 * self._rng.random(len(self._pool))  # of equal ones any
        apart[:, ~control] = np.inf
        count = min(_CONTROLS, int(np.count_nonzero(control)))
        nearest: Ints = np.argpartition(apart, count - 1, axis=1)[:, :count]
        return nearest


def _share_below(ordered: Floats, values: Floats) -> Floats:
    """Which share of the ordered numbers is below each value, ties half.

    >>> _share_below(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 2.0, 9.0])).tolist()
    [0.0, 0.375, 1.0]
    """
    below = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    found: Floats = below / (2 * len(ordered))
    return found
