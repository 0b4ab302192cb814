"""How many sources have a relevant clip: what R is where one clip of each source stays.

A source counts as relevant if any of its clips is, and as much as the one that is worth most:
that is what a ranking with one clip per source could return at best. The query's own source counts
for nothing, it is left out of such a ranking.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.choices import RelevancePolicy
from engine.base.messages import pluralise
from engine.dataset.clip_set import BitWords, find_distinct_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.matching import count_keywords, count_matched, list_relevant


def count_sources(truth: GroundTruth) -> int:
    """How many sources there are; a clip whose source is not known is one of its own."""
    return int(np.count_nonzero(truth.source_numbers == np.arange(len(truth))))


def describe_sources(truth: GroundTruth) -> str:
    """What a reader of numbers must know where one clip of each source stays.

    >>> truth = GroundTruth.from_columns(list("abc"), {"g": [[], [], []]}, ["1", "1", ""])
    >>> describe_sources(truth)
    'one clip of each of 2 sources is ranked, R and N count sources; of 1 clip the source is not \
known, it counts as its own; there are no chance levels'
    """
    unknown = len(truth) if truth.sources is None else truth.sources.count("")
    said = f"one clip of each of {count_sources(truth):,} sources is ranked, R and N count sources"
    if unknown:
        counts = "it counts as its own" if unknown == 1 else "each counts as its own"
        said += f"; of {pluralise(unknown, 'clip')} the source is not known, {counts}"
    return f"{said}; there are no chance levels"


def count_relevant_sources(
    truth: GroundTruth,
    query_bits: BitWords,
    relevance: RelevancePolicy,
    own_rows: Ints | None = None,
) -> Ints:
    """(q,) sources with a clip that is relevant to each query; `own_rows`: the row of each query
    clip, whose source does not count.

    >>> truth = GroundTruth.from_columns(list("abc"), {"g": [["x"], ["x"], ["x"]]}, ["1", "1", "2"])
    >>> asked = truth.query_bits([["x"], ["x"]])
    >>> count_relevant_sources(truth, asked, "all").tolist()
    [2, 2]
    >>> count_relevant_sources(truth, asked, "all", np.array([0, 2])).tolist()
    [1, 1]
    """
    numbers = truth.source_numbers
    counts = np.zeros(len(query_bits), np.int64)
    for queries, rows in _find_by_keywords(truth, query_bits, relevance):
        found = np.unique(numbers[rows])
        counts[queries] = len(found)
        if own_rows is not None:
            counts[queries] -= np.isin(numbers[own_rows[queries]], found)
    return counts


def weigh_relevant_sources(
    truth: GroundTruth, query_bits: BitWords, own_rows: Ints | None = None
) -> tuple[Ints, Floats]:
    """(q,) sources with a clip that has all keywords, as `count_relevant_sources`; and (q,) the
    mean over sources of the share of their clips that do: which share of results are hits where
    sources come in any order, and any clip of each.

    >>> truth = GroundTruth.from_columns(list("abc"), {"g": [["x"], [], ["x"]]}, ["1", "1", "2"])
    >>> asked = truth.query_bits([["x"], ["x"]])
    >>> [found.tolist() for found in weigh_relevant_sources(truth, asked)]
    [[2, 2], [0.75, 0.75]]
    >>> [found.tolist() for found in weigh_relevant_sources(truth, asked, np.array([0, 2]))]
    [[1, 1], [1.0, 0.5]]
    """
    numbers = truth.source_numbers
    sizes = np.bincount(numbers, minlength=len(truth))
    shares, counts = np.zeros(len(query_bits)), np.zeros(len(query_bits), np.int64)
    for queries, rows in _find_by_keywords(truth, query_bits, "all"):
        found, clips = np.unique(numbers[rows], return_counts=True)
        share = clips / sizes[found]
        shares[queries], counts[queries] = share.sum(), len(found)
        if own_rows is not None and len(found):
            own = numbers[own_rows[queries]]
            place = np.minimum(np.searchsorted(found, own), len(found) - 1)
            shares[queries] -= np.where(found[place] == own, share[place], 0.0)
            counts[queries] -= found[place] == own
    averages: Floats = shares / max(1, count_sources(truth) - (own_rows is not None))
    return counts, averages


def count_sources_by_matched(
    truth: GroundTruth, query_bits: BitWords, own_rows: Ints | None = None
) -> Ints:
    """(q, m) sources whose best clip has exactly 1, 2 … m of the keywords of each query.

    >>> truth = GroundTruth.from_columns(
    ...     list("abc"), {"g": [["x"], ["x", "y"], ["x"]]}, ["1", "1", "2"]
    ... )
    >>> count_sources_by_matched(truth, truth.query_bits([["x", "y"]])).tolist()
    [[1, 1]]
    """
    numbers, most = truth.source_numbers, int(count_keywords(query_bits).max(initial=0))
    counts = np.zeros((len(query_bits), most), np.int64)
    for queries, rows in _find_by_keywords(truth, query_bits, "any"):
        best = np.zeros(len(truth), np.int64)
        np.maximum.at(
            best, numbers[rows], count_matched(truth, rows[None], query_bits[queries[:1]])[0]
        )
        counts[queries] = np.bincount(best, minlength=most + 1)[1:]
        if own_rows is not None:
            own = best[numbers[own_rows[queries]]]
            counts[queries[own > 0], own[own > 0] - 1] -= 1
    return counts


def _find_by_keywords(
    truth: GroundTruth, query_bits: BitWords, relevance: RelevancePolicy
) -> Iterator[tuple[Ints, Ints]]:
    """Queries with the same keywords, and the rows of the clips that are relevant to them."""
    first, which = find_distinct_rows(query_bits)
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(first)))
    for queries, row in zip(np.split(order, ends[:-1]), first.tolist(), strict=True):
        if query_bits[row].any():
            yield queries, list_relevant(truth, query_bits[row], relevance)
