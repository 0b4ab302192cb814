"""Curves of saved results: a metric by its cut-off, and the similarities of hits and of misses.

>>> from engine.metrics import find_profile
>>> from engine.results.results import number_queries
>>> one = Results(
...     "a",
...     find_profile("ir"),
...     (Measure.parse("P@2"),),
...     number_queries(["text"], ["rain"]),
...     np.array([[0.5]]),
...     ((),),
...     np.array([4]),
...     (KeptResults(("x", "y"), (0.9, 0.4), (1.0, 0.0)),),
... )
>>> compute_metric_by_k(one, "text", ["P@k", "R@k"]).values.tolist()
[[1.0, 0.5], [0.25, 0.25]]
>>> found = count_similarities(one, "text", [0, 0.5, 1])
>>> found.hits.tolist(), found.misses.tolist()
([0, 1], [1, 0])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats, Ints
from engine.metrics import Measure, Relevance, score
from engine.results.results import KeptResults, Results

FAMILIES = ("P@k", "R@k", "Success@k", "nDCG@k")
"""The metrics that are drawn by k, as id patterns."""

MOST_CUTOFFS = 60
"""Cut-offs that are computed; of deeper rankings some are left out, evenly."""

_WITHOUT_R = frozenset(("P", "LabelScore", "Success", "RR"))
"""Metrics that are known of a query even where its R is not."""


@dataclass(frozen=True, eq=False)
class MetricByK:
    """Means over the queries that count, at every cut-off.

    families  (m) id patterns
    ks        (k,) cut-offs, ascending
    values    (m, k) means; NaN where no query counts
    n         (m,) queries that count
    """

    families: tuple[str, ...]
    ks: Ints
    values: Floats
    n: Ints

    def of(self, family: str) -> Floats:
        """(k,) the means of one family."""
        row: Floats = self.values[self.families.index(family)]
        return row


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many hits and how many misses have a similarity within each bin.

    edges  (b + 1,) ascending; a bin holds its lower edge, the last one also its upper
    """

    edges: Floats
    hits: Ints
    misses: Ints


def compute_metric_by_k(
    results: Results,
    mode: str,
    measures: Sequence[str] = FAMILIES,
    *,
    min_similarity: float | None = None,
) -> MetricByK:
    """The metrics at k = 1 … K, where K is the depth to which results were kept.

    Computed from the kept results in their order: a gain above 0 is a hit. A query counts if any
    of its saved values does. Where R is not known (or is less than the hits that were found), the
    query counts only for metrics without R; nDCG is left out of graded results, whose ideal order
    is not kept. Of rankings deeper than 60 some cut-offs are left out, evenly. Results below
    `min_similarity` count as not retrieved.
    """
    own = _counted(results, mode)
    hits, scores, lengths = _arrays(own.ranked)
    depth = hits.shape[1]
    ks = np.unique(np.rint(np.linspace(1, depth, min(depth, MOST_CUTOFFS))).astype(np.int64))
    found = hits.sum(axis=1)
    known = own.relevant >= found  # −1 is unknown; fewer than were found cannot be true
    graded = results.relevance == "graded" or any(
        gain not in (0.0, 1.0) for ranked in own.ranked for gain in ranked.gains
    )
    least = -np.inf if min_similarity is None else min_similarity
    relevance = Relevance(
        gains=hits,
        scores=np.zeros(hits.shape, np.float32),  # the order is that of the list
        returned=np.minimum(lengths, (scores >= least).sum(axis=1)),
        relevant=np.where(known, own.relevant, found),
        collection=0,
        short=results.short,
    )
    values = np.full((len(measures), len(ks)), np.nan)
    n = np.zeros(len(measures), np.int64)
    for row, family in enumerate(measures):
        at = [Measure.parse(family.replace("@k", f"@{k}")) for k in ks.tolist()]
        if not at or (graded and at[0].name == "nDCG"):
            continue
        counts = known | (at[0].name in _WITHOUT_R)
        n[row] = np.count_nonzero(counts)
        if n[row]:
            values[row] = score(relevance, at, no_relevant="zero").values[counts].mean(axis=0)
    return MetricByK(tuple(measures), ks, values, n)


def count_similarities(results: Results, mode: str, bins: int | npt.ArrayLike = 20) -> Histogram:
    """The similarities of the kept results, hits and misses apart.

    `bins` are edges, or about how many bins of a round width there should be.
    """
    own = _counted(results, mode)
    scores = np.array([s for ranked in own.ranked for s in ranked.scores], np.float64)
    hit = np.array([g > 0 for ranked in own.ranked for g in ranked.gains], np.bool_)
    if isinstance(bins, int):
        low, high = (scores.min(), scores.max()) if len(scores) else (0.0, 1.0)
        edges = choose_round_steps(float(low), float(high), bins)
    else:
        edges = np.asarray(bins, np.float64)
    return Histogram(
        edges,
        hits=np.histogram(scores[hit], edges)[0].astype(np.int64),
        misses=np.histogram(scores[~hit], edges)[0].astype(np.int64),
    )


def choose_round_steps(low: float, high: float, about: int) -> Floats:
    """Ascending multiples of 1, 2 or 5 · 10^n from `low` or below to `high` or above.

    >>> choose_round_steps(0.12, 0.78, 4).tolist()
    [0.0, 0.2, 0.4, 0.6, 0.8]
    >>> choose_round_steps(3.0, 3.0, 5).tolist()
    [2.0, 3.0, 4.0]
    """
    size = max(1.0, abs(low), abs(high))
    if high / 2 - low / 2 < 1e-9 * size:  # one value: a step to either side of it
        step = 10.0 ** max(0, math.floor(math.log10(size)) - 6)
        return np.array([(round(low / step) + n) * step for n in (-1, 0, 1)], np.float64)
    wish = high / max(1, about) - low / max(1, about)  # never overflows
    power = 10.0 ** math.floor(math.log10(wish))
    step = power * min((1, 2, 5, 10), key=lambda m: abs(math.log(m * power / wish)))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, 1 - math.floor(math.log10(step)))
    # The multiples as they are rounded: a limit that is one of them needs no further step.
    first -= bool(np.round(first * step, digits) > low)
    last += bool(np.round(last * step, digits) < high)
    return np.round(np.arange(first, last + 1) * step, digits)


def _counted(results: Results, mode: str) -> Results:
    """The queries of a mode that count for any measure, if their results were kept."""
    own = results.of_mode(mode)
    rows = np.flatnonzero(~np.isnan(own.values).all(axis=1))
    return own.only(rows if own.ranked else [])


def _arrays(ranked: Sequence[KeptResults]) -> tuple[npt.NDArray[np.bool_], Floats, Ints]:
    """Hits and scores, queries × depth, and how long each list is."""
    lengths = np.array([len(one) for one in ranked], np.int64)
    shape = len(ranked), int(lengths.max(initial=0))
    hits, scores = np.zeros(shape, np.bool_), np.full(shape, -np.inf)
    for row, one in enumerate(ranked):
        hits[row, : len(one)] = np.array(one.gains) > 0
        scores[row, : len(one)] = one.scores
    return hits, scores, lengths
