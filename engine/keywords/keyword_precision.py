"""How well each keyword is found by itself: P@k of the keyword alone, whatever else a query asks.

Over the queries that ask for the keyword w:

    value   mean of results with w among the first k / k
    chance  mean of min(k, n) / k · clips with w / N, what random rankings would score

The query clip is none of those clips where it is removed from its results. It does not matter what
makes a clip relevant to a whole query. Results are looked at in the order in which they were kept,
ties too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.keyword import Keyword
from engine.base.progress import split_range
from engine.dataset.clip_set import WORD, BitWords, find_bits, set_bit
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.relevant_sources import count_relevant_sources
from engine.keywords.judge import JudgedRanking
from engine.metrics.policies import KEYWORD_POLICIES, Policies
from engine.metrics.tally import divide

_CELLS = 1 << 22
"""Results that are looked at at once."""


@dataclass(frozen=True, slots=True)
class KeywordPrecision:
    """One keyword at every cut-off.

    queries  that ask for it and count: some clip that they could find has it, unless queries
             without a relevant clip count 0
    clips    how many clips have it
    values   P@k of it alone, at every cut-off
    chance   what random rankings would score there; NaN: one clip of each source stays, and that is
             not known
    """

    keyword: Keyword
    queries: int
    clips: int
    values: tuple[float, ...]
    chance: tuple[float, ...]


def measure_keywords(
    truth: GroundTruth,
    judged: JudgedRanking,
    ks: Sequence[int],
    *,
    own_rows: Ints | None = None,
    policies: Policies = KEYWORD_POLICIES,
) -> tuple[KeywordPrecision, ...]:
    """Every keyword that is asked for, in the order of the vocabulary; one that no query counts for
    is left out. `own_rows`: the query clips, where they were removed from their results.

    >>> from engine.base.ranking import Ranking
    >>> from engine.keywords.judge import judge
    >>> truth = GroundTruth.from_columns(list("abcd"), {"g": [["x"], ["x", "y"], [], []]})
    >>> ranking = Ranking(np.array([[1, 2, 0]]), np.array([[0.9, 0.8, 0.7]], np.float32))
    >>> judged = judge(ranking, truth, truth.query_bits([["x", "y"]]))
    >>> for one in measure_keywords(truth, judged, (1, 2)):
    ...     print(one.keyword.name, one.queries, one.clips, one.values, one.chance)
    x 1 2 (1.0, 0.5) (0.5, 0.5)
    y 1 1 (1.0, 0.5) (0.25, 0.25)
    """
    query, asked = find_bits(judged.query_bits)
    by_source = policies.one_per == "source"
    own = None if own_rows is None else own_rows[query]
    if by_source:
        having = count_relevant_sources(truth, _ask_alone(truth, asked), "all", own)
    else:
        having = truth.counts[asked]
        if own is not None:
            having = having - _has(truth, own[:, None], asked)[:, 0]
    if policies.no_relevant != "zero":
        counts = having > 0
        query, asked, having = query[counts], asked[counts], having[counts]
    size = len(truth.words.keywords)
    values, chance = np.zeros((2, size, len(ks)))
    for part in split_range(len(query), max(1, _CELLS // max(ks))):
        found = _find_hits(truth, judged, query[part], asked[part], ks)
        returned = np.minimum(judged.retrieved[query[part]].sum(axis=1)[:, None], ks)
        divisor = returned if policies.fewer_than_k == "adaptive" else np.array(ks)[None]
        share = divide(having[part], judged.collection[query[part]])[:, None]
        np.add.at(values, asked[part], divide(found, divisor))
        level = np.full_like(share, np.nan) if by_source else share
        np.add.at(chance, asked[part], divide(returned, divisor) * level)
    queries = np.bincount(asked, minlength=size)
    return tuple(
        KeywordPrecision(
            keyword=truth.words.keywords[column],
            queries=int(queries[column]),
            clips=int(truth.counts[column]),
            values=tuple((values[column] / queries[column]).tolist()),
            chance=tuple((chance[column] / queries[column]).tolist()),
        )
        for column in np.flatnonzero(queries).tolist()
    )


def _find_hits(
    truth: GroundTruth, judged: JudgedRanking, query: Ints, asked: Ints, ks: Sequence[int]
) -> Floats:
    """(p, ks) how many of the first k results of each query have the keyword it is paired with."""
    rows = judged.ranking.indices[query, : max(ks)]
    has = _has(truth, rows, asked) & judged.retrieved[query, : max(ks)]
    return np.stack([has[:, :k].sum(axis=1, dtype=np.float64) for k in ks], axis=1)


def _ask_alone(truth: GroundTruth, asked: Ints) -> BitWords:
    """(p, words) queries for one keyword each."""
    bits = np.zeros((len(asked), truth.words.words), np.uint64)
    bits[np.arange(len(asked)), asked // WORD] = set_bit(asked)
    return bits


def _has(truth: GroundTruth, rows: Ints, asked: Ints) -> Bools:
    """(p, d) whether the clips of each row of `rows` have its keyword; -1 is no clip."""
    own = truth.bits[rows, (asked // WORD)[:, None]] & set_bit(asked)[:, None]
    has: Bools = (own != 0) & (rows >= 0)
    return has
