"""Retrieved instead: what stands in for a keyword that was asked for and that results lack.

Of the top K of the queries that ask for a keyword q, those results are looked at that lack q:

    share(w) = results that have w / results that lack q      w: another keyword of q's group
    base(w)  = clips that lack q and have w / clips that lack q
    lift(w)  = share(w) / base(w)

The base is that of the clips which lack q, as the results do: of all clips, those with q would
pull it down wherever clips rarely have both. A query that asks for w as well says nothing about w.

Results are no independent draws: the clips of one source are alike, one clip is a result of many
queries, and one query's results are alike. They count for as many as they are worth,
n / (1 + (d_sources − 1) + (d_queries − 1)), with

    d_sources  Σ m² / Σ m over the sources, each with m results: all those of a source count as one
    d_queries  Σ n² / Σ n over the queries, each with n results: all results of a query count as one

How alike one query's results are can be seen in how much the queries differ. Where the sources are
known, so that no two of them are the same, another count is tried, and the larger one is used:

    d_queries  the variance of the share over queries, relative to that of independent results; ≥ 1
    times      (t of n − 1 degrees of freedom / t of queries − 1)²: few queries say little of how
               much queries differ (Korn and Graubard, 1998)

One query says nothing of that: its results may all be of one scene, and are worth nothing.

The interval holds for all other keywords of the group together (Bonferroni), so that on data
without any stand-in few of the asked keywords get one; docs/metrics.md has what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.keyword import Keyword
from engine.dataset.clip_set import unpack_bits
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.evaluate import Evaluation
from engine.keywords.instead_counts import InsteadCounts, KeyedSums, count_instead, number_groups
from engine.keywords.judge import JudgedRanking
from engine.metrics import Profile
from engine.stats.shares import bound_shares, compute_tail, discount_few

STAND_IN_ALPHA = 0.05
"""The chance that an asked keyword gets a stand-in where there is none."""

FEW_CLIPS = 10
"""Below so many different clips nothing is said to stand in."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """A keyword that results have which lack the asked one.

    results    those that have it
    of         those that lack the asked one, of queries that do not ask for this one as well
    queries    how many queries have such a result
    base       share of the clips without the asked keyword that have this one
    low, high  95 % interval of the lift, for all keywords of the group together
    p          of a lift of 1, adjusted alike: below 0.05 exactly where `low` is above 1
    """

    keyword: Keyword
    results: int
    of: int
    queries: int
    base: float
    low: float
    high: float
    p: float

    @property
    def share(self) -> float:
        return self.results / self.of

    @property
    def lift(self) -> float:
        return self.share / self.base


@dataclass(frozen=True, slots=True)
class Absence:
    """The results that lack one keyword which their queries ask for.

    queries    that ask for it
    retrieved  their results, with the keyword or without
    results    those without it
    clips      how many different clips these are
    bare       those that have no keyword of the group at all
    stand_ins  the other keywords that they have, first those that are proven; then by the lower end
               of the lift if all results were independent, not by the lift
    """

    keyword: Keyword
    queries: int
    retrieved: int
    results: int
    clips: int
    bare: int
    stand_ins: tuple[StandIn, ...]

    @property
    def is_few(self) -> bool:
        """Whether there are too few clips to say what stands in."""
        return self.clips < FEW_CLIPS

    @property
    def proven(self) -> tuple[StandIn, ...]:
        """The keywords that stand in more often than clips without the asked one have them."""
        if self.is_few:
            return ()
        return tuple(one for one in self.stand_ins if one.low > 1)


def choose_looked_at(evaluation: Evaluation, language: Profile) -> int:
    """How many results of each query of an evaluation are looked at: as many as its main measure
    looks at."""
    depth = evaluation.judged.ranking.depth
    return min(language.main(evaluation.scores.measures).cutoff or depth, depth)


def find_absences(
    truth: GroundTruth,
    judged: JudgedRanking,
    *,
    k: int | None = None,
    rows: Ints | None = None,
    own_rows: Ints | None = None,
) -> tuple[Absence, ...]:
    """What the first `k` results have in place of each keyword that is asked for, in the order of
    the vocabulary.

    rows      the queries to look at; None: all
    own_rows  for every query of `judged` the row of its own clip, where that was removed from its
              results: it is then no clip that could be found either

    >>> from engine.base.ranking import Ranking
    >>> from engine.keywords.judge import judge
    >>> truth = GroundTruth.from_columns(list("abcd"), {"way": [["on"], ["off"], ["off"], ["up"]]})
    >>> ranking = Ranking(np.array([[1, 2]]), np.array([[0.9, 0.8]], np.float32))
    >>> (absence,) = find_absences(truth, judge(ranking, truth, truth.query_bits([["on"]])))
    >>> absence.results, [(one.keyword.name, one.share, one.lift) for one in absence.stand_ins]
    (2, [('off', 1.0, 1.5)])
    >>> absence.is_few, absence.proven
    (True, ())
    """
    queries = np.arange(len(judged.query_bits)) if rows is None else rows
    if not judged.query_bits[queries].any():
        return ()
    counts = count_instead(truth, judged, k or judged.ranking.depth, queries, own_rows)
    groups = number_groups(truth)
    return tuple(
        _describe(truth, counts, groups == groups[asked], asked, totals)
        for asked, totals in zip(counts.totals.keys.tolist(), counts.totals.sums, strict=True)
    )


def find_evaluation_absences(
    truth: GroundTruth, evaluation: Evaluation, *, k: int, rows: Ints | None = None
) -> tuple[Absence, ...]:
    """The same of an evaluation. Where one clip of each source stays, results are no draw from all
    clips, a share of which could be their base: nothing is said there."""
    if evaluation.policies.one_per == "source":
        return ()
    return find_absences(truth, evaluation.judged, k=k, rows=rows)


def _describe(
    truth: GroundTruth, counts: InsteadCounts, group: Bools, asked: int, totals: Floats
) -> Absence:
    """What is known of one asked keyword; `group`: which keywords are of its group."""
    clips = counts.clips.between(asked * len(truth), (asked + 1) * len(truth))
    n, _, _, retrieved, bare, queries = totals.tolist()
    return Absence(
        keyword=truth.words.keywords[asked],
        queries=int(queries),
        retrieved=int(retrieved),
        results=int(n),
        clips=len(clips.keys),
        bare=int(bare),
        stand_ins=_find_stand_ins(
            truth, counts, group, asked, totals, _count_by_source(truth, clips)
        ),
    )


def _find_stand_ins(
    truth: GroundTruth,
    counts: InsteadCounts,
    group: Bools,
    asked: int,
    totals: Floats,
    by_source: Floats,
) -> tuple[StandIn, ...]:
    """`by_source`: how many results of each source lack the keyword."""
    size = len(truth.words.keywords)
    pairs = counts.pairs.between(asked * size, (asked + 1) * size)
    if not len(pairs.keys):
        return ()
    n, nn, queries = (totals[:3] - counts.beside.at(pairs.keys)).T
    x, having = pairs.sums[:, 0], pairs.sums[:, 3]
    others = pairs.keys - asked * size
    base = _compute_base(truth, counts.own[counts.own[:, 0] == asked], asked, float(totals[0]))
    candidates = np.count_nonzero(base[group])
    base = base[others]
    share = x / n
    alpha = np.full(len(x), STAND_IN_ALPHA / candidates)
    sources = float((by_source**2).sum() / by_source.sum()) - 1
    worth = np.where(queries > 1, n / (sources + nn / n), 0.0)
    if truth.sources is not None:
        estimated = n / (sources + _compare_queries(pairs, n, nn, queries))
        worth = np.maximum(worth, estimated * discount_few(n, queries, alpha))
    low, high = bound_shares(share * worth, worth, alpha)
    p = np.minimum(1.0, 2 * candidates * compute_tail(share * worth, worth, base))
    # What is worth little proves little of anything: that would leave the commonest first.
    independent, _ = bound_shares(x, n, alpha)
    order = np.lexsort((others, -share, -independent / base, low <= base))
    return tuple(
        StandIn(
            keyword=truth.words.keywords[int(others[at])],
            results=int(x[at]),
            of=int(n[at]),
            queries=int(having[at]),
            base=float(base[at]),
            low=float(low[at] / base[at]),
            high=float(high[at] / base[at]),
            p=float(p[at]),
        )
        for at in order.tolist()
    )


def _compute_base(truth: GroundTruth, own: Ints, asked: int, n: float) -> Floats:
    """The share of every keyword among the clips that lack the asked one.

    own  of queries whose own clip is among those and cannot be found: q, n and row of each
    """
    having = truth.counts - truth.counts_with([truth.words.keywords[asked]])
    lacking = len(truth) - int(truth.counts[asked])
    base = having / max(1, lacking)
    if not len(own) or lacking < 2:
        return base
    _, times, rows = own.T
    others = (n - times.sum()) * base
    has = unpack_bits(truth.bits[rows])[:, : len(having)]
    of_own = (times[:, None] * (having - has)).sum(axis=0) / (lacking - 1)
    return np.asarray((others + of_own) / n)


def _count_by_source(truth: GroundTruth, clips: KeyedSums) -> Floats:
    """How often each source is found, of clips that are; how often each clip is, without."""
    if truth.sources is None:
        return clips.sums[:, 0]
    return KeyedSums.of(truth.source_numbers[clips.keys % len(truth)], clips.sums[:, 0]).sums[:, 0]


def _compare_queries(pairs: KeyedSums, n: Floats, nn: Floats, queries: Floats) -> Floats:
    """By how much the shares of queries differ more than those of independent results would; at
    least 1. Where that cannot be seen, because all results have the keyword, as if each query's
    were all of one scene.

    n, nn, queries  n and n² summed over the queries that have results, and how many these are
    """
    x, xx, xn, _ = pairs.sums.T
    share = x / n
    independent = share * (1 - share)
    squares = np.maximum(0.0, xx - 2 * share * xn + share**2 * nn)
    known = (queries > 1) & (independent > 0)
    correction = queries / np.maximum(1, queries - 1)
    ratio = correction * squares / n / np.where(known, independent, 1)
    return np.maximum(1.0, np.where(known, ratio, nn / n))
