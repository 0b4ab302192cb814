"""The chance level of a metric: what it would be if every query's ranking were drawn at random.

The items that could be returned stand in a random order, every order as likely as any other; how
many there are, how many of them are relevant and how many are returned stays as it is. The level of
a mean is then its expected value. A median is taken over all queries in all orders.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.choices import NoRelevantPolicy, ShortListPolicy, TiePolicy
from engine.metrics.measure import Measure
from engine.metrics.random_tally import RandomTally, find_first_ranks
from engine.metrics.relevance import Relevance
from engine.metrics.tally import Tally

ALPHA = 0.05
"""A metric is above chance if random rankings would reach it at most this often."""

ABOVE, NOT_ABOVE = ": above chance", ": not above chance"

COUNTING = frozenset("P R TopK% Rcap Success F1 TP FP FN TN LabelScore".split())
"""Measures that follow from how many hits a query has among its first k."""

_NOISE = 1e-9
"""Sums of thousands of probabilities that differ by less are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class ChanceLevels:
    """What is expected of q queries for m measures if their rankings are random.

    values  (q, m) the mean over all rankings; NaN: the query does not count, or there is no level
    kinds   (q, 3) N, R and n of each query: items, relevant ones, and returned ones
    depth   how deep the rankings are
    """

    measures: tuple[Measure, ...]
    values: Floats
    kinds: Ints
    depth: int

    def level(self, measure: Measure, rows: Ints | None = None) -> float:
        """The number to put beside a reported one of these queries (None: all); NaN: there is none.

        Similarities have no chance level, nor have medians where ties are averaged.
        """
        chosen = slice(None) if rows is None else rows
        values = self.values[chosen, self.measures.index(measure)]
        counted = ~np.isnan(values)
        if not counted.any():
            return math.nan
        if measure.aggregate == "mean":
            return float(values[counted].mean())
        mass = np.zeros(self.depth + 2)  # by rank; what is not returned stands at depth + 1
        kinds, counts = np.unique(self.kinds[chosen][counted], axis=0, return_counts=True)
        for (items, relevant, returned), count in zip(kinds.tolist(), counts.tolist(), strict=True):
            if measure.aggregate == "median":
                ranks, weight = find_first_ranks(items, relevant, returned), float(count)
            else:
                ranks, weight = np.full(returned, 1.0 / items), float(count * relevant)
            mass[1 : returned + 1] += weight * ranks
            mass[-1] += weight * (1.0 - ranks.sum())
        return _find_median(mass)

    @classmethod
    def concat(cls, parts: Sequence[ChanceLevels]) -> ChanceLevels:
        """Several chunks of queries, as if they had been computed at once."""
        return cls(
            measures=parts[0].measures,
            values=np.concatenate([part.values for part in parts]),
            kinds=np.concatenate([part.kinds for part in parts]),
            depth=max(part.depth for part in parts),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ChanceTest:
    """How sure it is that measures are above chance.

    p         (m,) how often shuffled annotations do at least as well; NaN: that was not tested
    shuffles  of each measure: how often they were shuffled; 0: not tested
    queries   of each measure: how many of the queries that count were looked at; if these are not
              all, they were drawn at random
    """

    p: Floats
    shuffles: Sequence[int]
    queries: Sequence[int]


def compute_chance(
    relevance: Relevance,
    measures: Sequence[Measure],
    *,
    no_relevant: NoRelevantPolicy = "skip",
    ties: TiePolicy = "insertion",
) -> ChanceLevels:
    """The chance levels of judged rankings; of these, only their sizes matter.

    >>> of_ten = Relevance.of_hits([[0, 0, 0, 0, 0]], relevant=[2], collection=10)
    >>> five = [Measure.parse(text) for text in ("P@5", "R@5", "Success@5", "AvgSim@5")]
    >>> compute_chance(of_ten, five).values.round(3)
    array([[0.2  , 0.5  , 0.778,   nan]])
    """
    tally = RandomTally(relevance)
    values = np.full((len(relevance), len(measures)), np.nan)
    for column, measure in enumerate(measures):
        k = tally.depth if measure.cutoff is None else measure.cutoff
        if not has_chance_level(measure, ties):
            continue
        if measure.aggregate == "pooled":
            values[tally.relevant > 0, column] = 0.0  # counts; its level is no mean of values
        else:
            values[:, column] = measure.definition.compute(tally, k)
    if no_relevant == "skip":
        values[tally.relevant == 0] = np.nan
    rows, which = tally.kinds
    return ChanceLevels(tuple(measures), values, rows[which], tally.depth)


def has_chance_level(measure: Measure, ties: TiePolicy = "insertion") -> bool:
    """Whether a level can be told: similarities have none, and where ties are averaged a median
    depends on which results are tied."""
    return measure.needs_truth and (measure.aggregate == "mean" or ties != "expected")


def can_be_tested(measure: Measure, ties: TiePolicy = "insertion") -> bool:
    """Whether it is tested against chance: what has no level is not, nor are pooled ranks."""
    return has_chance_level(measure, ties) and measure.aggregate != "pooled"


def is_above_chance(p: float) -> bool | None:
    """Whether a metric is above chance, by how often random rankings reach it; None: not tested.

    >>> is_above_chance(find_p_of_hits(40, 2, 1, 1)), is_above_chance(0.0501)
    (True, False)
    """
    return None if math.isnan(p) else p <= ALPHA + _NOISE


def describe_chance(text: str, p: float = math.nan, sample: str = "") -> str:
    """A chance level and what it means for the number beside it, as it is said everywhere.

    text    the level as the number beside it is written; empty: there is none
    sample  what it was tested with, if not with all queries: what is not seen there may be so

    >>> describe_chance("0.053", 0.31), describe_chance("0.053", 0.001)
    ('chance 0.053: not above chance', 'chance 0.053: above chance')
    >>> describe_chance("0.053", 0.31, describe_sample(641, 4_000))
    'chance 0.053, tested with 641 of 4,000 queries: not above chance'
    >>> describe_chance("0.053"), describe_chance("")
    ('chance 0.053', 'no chance level')
    """
    if not text:
        return "no chance level"
    above = is_above_chance(p)
    if above is None:
        return f"chance {text}"
    if above:
        return f"chance {text}{ABOVE}"
    return f"chance {text}{f', {sample}' if sample else ''}{NOT_ABOVE}"


def describe_sample(tested: int, counted: int) -> str:
    """What a measure was tested with, if not with all queries that count; else empty.

    >>> describe_sample(641, 4_000), describe_sample(52, 52)
    ('tested with 641 of 4,000 queries', '')
    """
    return f"tested with {tested:,} of {counted:,} queries" if tested < counted else ""


def find_p_of_hits(items: int, relevant: int, drawn: int, hits: int) -> float:
    """How often a random order has at least so many relevant items among the first `drawn`.

    >>> round(find_p_of_hits(10, 2, 5, 1), 6), find_p_of_hits(10, 2, 5, 0)
    (0.777778, 1.0)
    """
    least, most = max(0, drawn - (items - relevant)), min(relevant, drawn)
    if hits <= least:
        return 1.0
    logs = [
        _log_comb(relevant, count)
        + _log_comb(items - relevant, drawn - count)
        - _log_comb(items, drawn)
        for count in range(hits, most + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, logs)))


def find_p_of_value(
    measure: Measure,
    value: float,
    *,
    items: int,
    relevant: int,
    returned: int,
    short: ShortListPolicy = "fixed",
) -> float:
    """How often a random ranking of one query scores at least as well as this value, if the measure
    follows from its hits among the first k; NaN if it does not, or has no value.

    One hit is as good as two for a measure that asks for any: what counts is the fewest hits that
    score so well.

    >>> sizes = {"items": 10, "relevant": 2, "returned": 10}
    >>> for text, value in (("P@5", 0.4), ("Success@5", 1.0)):
    ...     print(round(find_p_of_value(Measure.parse(text), value, **sizes), 6))
    0.222222
    0.777778
    """
    if measure.name not in COUNTING or measure.cutoff is None or math.isnan(value):
        return math.nan
    drawn = min(measure.cutoff, returned)
    counts = np.arange(max(0, drawn - (items - relevant)), min(drawn, relevant) + 1)
    every = Relevance.of_hits(
        np.arange(drawn) < counts[:, None],
        relevant=np.full(len(counts), relevant),
        collection=items,
        short=short,
    )
    values = measure.definition.compute(Tally(every), measure.cutoff)
    worse = values - value if measure.lower_is_better else value - values
    return find_p_of_hits(items, relevant, drawn, int(counts[np.argmax(worse <= _NOISE)]))


def _log_comb(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _find_median(mass: Floats) -> float:
    """The median of the numbers 0, 1, 2 … with these weights; the mean of two where half of the
    weight lies on either side."""
    share = np.cumsum(mass) / mass.sum()
    lower = int(np.argmax(share >= 0.5 - _NOISE))
    upper = int(np.argmax(share > 0.5 + _NOISE))
    return (lower + upper) / 2
