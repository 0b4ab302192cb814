"""Which clips match a query, and how well: all of its keywords, any of them, or what share.

    all     the clip has all keywords of the query
    any     it has one of them at least
    graded  the same, and its gain is the share of the query's keywords that it has

A query without keywords matches nothing, and `NO_ITEM` (-1) in place of a row is no clip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.base.arrays import Bools, Floats, Ints
from engine.base.choices import RelevancePolicy
from engine.dataset.clip_set import BitWords, ClipSet, find_bits, find_distinct_rows
from engine.dataset.ground_truth import GroundTruth

_CELLS = 1 << 18
"""Words of columns that are looked at at once: 2 MB for each of a handful of arrays."""


def find_relevant(
    truth: GroundTruth, rows: Ints, query_bits: BitWords, relevance: RelevancePolicy
) -> Bools:
    """For rows (queries, depth): is the clip relevant to its query?

    >>> truth = GroundTruth.from_columns(["a", "b"], {"g": [["x", "y"], ["y"]]})
    >>> asked = truth.query_bits([["x", "y"]])
    >>> find_relevant(truth, np.array([[0, 1]]), asked, "all").tolist()
    [[True, False]]
    >>> find_relevant(truth, np.array([[0, 1]]), asked, "any").tolist()
    [[True, True]]
    """
    if relevance == "all":
        return truth.has_all(rows, query_bits)
    return count_matched(truth, rows, query_bits) > 0


def find_gains(
    truth: GroundTruth, rows: Ints, query_bits: BitWords, relevance: RelevancePolicy
) -> Bools | Floats:
    """What each clip of (queries, depth) rows is worth to its query: yes or no, or graded the share
    of the query's keywords that it has."""
    if relevance == "graded":
        return compute_shares(count_matched(truth, rows, query_bits), query_bits)
    return find_relevant(truth, rows, query_bits, relevance)


def compute_shares(matched: Ints, query_bits: BitWords) -> Floats:
    """Counts of matched keywords (queries, depth) as shares of those that the query has.

    >>> compute_shares(np.array([[3, 1]]), np.array([[7]], np.uint64)).round(3)
    array([[1.   , 0.333]])
    """
    return np.asarray(matched / np.maximum(1, count_keywords(query_bits))[:, None])


def count_keywords(query_bits: BitWords) -> Ints:
    """(q,) how many keywords each query has."""
    counts: Ints = np.bitwise_count(query_bits).sum(axis=1, dtype=np.int64)
    return counts


def count_matched(truth: GroundTruth, rows: Ints, query_bits: BitWords) -> Ints:
    """For rows (queries, depth): how many of its query's keywords the clip has.

    >>> truth = GroundTruth.from_columns(["a", "b"], {"g": [["x", "y"], ["y"]]})
    >>> count_matched(truth, np.array([[1, 0, -1]]), truth.query_bits([["x", "y"]])).tolist()
    [[1, 2, 0]]
    """
    counts = np.zeros(rows.shape, np.int64)
    # As in `GroundTruth.has_all`, only the words that hold keywords of a query are looked at.
    query, words = np.nonzero(query_bits)
    lengths = np.bincount(query, minlength=len(query_bits))
    starts = np.cumsum(lengths) - lengths
    for number in range(int(lengths.max(initial=0))):
        asking = np.flatnonzero(lengths > number)
        word = words[starts[asking] + number]
        own = truth.bits[rows[asking], word[:, None]] & query_bits[asking, word][:, None]
        counts[asking] += np.bitwise_count(own)
    counts[rows < 0] = 0
    return counts


def count_relevant_clips(
    truth: GroundTruth,
    query_bits: BitWords,
    relevance: RelevancePolicy,
    exclude_rows: Sequence[int] | Ints | None = None,
) -> Ints:
    """Number of clips that are relevant to each query; see `GroundTruth.relevant_counts`.

    >>> truth = GroundTruth.from_columns(["a", "b"], {"g": [["x", "y"], ["y"]]})
    >>> asked = truth.query_bits([["x", "y"], ["x"], []])
    >>> [count_relevant_clips(truth, asked, rule).tolist() for rule in ("all", "any")]
    [[1, 1, 0], [2, 1, 0]]
    """
    if relevance == "all":
        return truth.relevant_counts(query_bits, exclude_rows)
    found = _count_distinct(truth, query_bits, 1, _count_any)[:, 0]
    if exclude_rows is not None:
        own = np.asarray(exclude_rows, np.int64)[:, None]
        found = found - find_relevant(truth, own, query_bits, relevance)[:, 0]
    return found


def count_by_matched(
    truth: GroundTruth,
    query_bits: BitWords,
    exclude_rows: Sequence[int] | Ints | None = None,
) -> Ints:
    """(q, m) how many clips have exactly 1, 2 … m of the keywords of each query, m being the most
    that a query has; without the one row of each query in `exclude_rows`, if it is not -1.

    >>> truth = GroundTruth.from_columns(list("abc"), {"g": [["x", "y"], ["y"], ["z"]]})
    >>> count_by_matched(truth, truth.query_bits([["x", "y"], ["z"]])).tolist()
    [[1, 1], [1, 0]]
    """
    most = int(count_keywords(query_bits).max(initial=0))
    found = _count_distinct(truth, query_bits, most, _count_exactly)
    if exclude_rows is not None:
        own = np.asarray(exclude_rows, np.int64)[:, None]
        has = count_matched(truth, own, query_bits)[:, 0]
        some = np.flatnonzero(has)
        found[some, has[some] - 1] -= 1
    return found


def list_relevant(truth: GroundTruth, query_bits: BitWords, relevance: RelevancePolicy) -> Ints:
    """The rows of the clips that are relevant to one query, by its (words,) bits, ascending."""
    asked = find_bits(query_bits[None])[1]
    if relevance == "all" or not len(asked):
        return truth.relevant(truth.words.named(query_bits)).indices()
    return ClipSet(np.bitwise_or.reduce(truth.columns[asked], axis=0), len(truth)).indices()


def _count_distinct(
    truth: GroundTruth, query_bits: BitWords, width: int, count: Callable[[BitWords], Ints]
) -> Ints:
    """(q, width) counts of each query, which those with the same keywords share. `count` gets the
    columns (queries, keywords, words) of some that have as many keywords."""
    first, which = find_distinct_rows(query_bits)
    counts = np.zeros((len(first), width), np.int64)
    for some, columns in _split_by_length(query_bits[first], truth.columns.shape[1]):
        found = count(truth.columns[columns])
        counts[some, : found.shape[1]] = found
    return counts[which]


def _split_by_length(queries: BitWords, words: int) -> Iterator[tuple[Ints, Ints]]:
    """Queries with as many keywords, so many at once that their columns fit in memory: which they
    are, and the columns of each."""
    query, column = find_bits(queries)
    lengths = np.bincount(query, minlength=len(queries))
    starts = np.cumsum(lengths) - lengths
    for length in np.unique(lengths[lengths > 0]).tolist():
        alike = np.flatnonzero(lengths == length)
        step = max(1, _CELLS // (length * words))
        for begin in range(0, len(alike), step):
            some = alike[begin : begin + step]
            yield some, column[starts[some, None] + np.arange(length)]


def _count_any(columns: BitWords) -> Ints:
    """(q, 1) clips that are in one column at least."""
    union = np.bitwise_or.reduce(columns, axis=1)
    counts: Ints = np.bitwise_count(union).sum(axis=1, dtype=np.int64)
    return counts[:, None]


def _count_exactly(columns: BitWords) -> Ints:
    """(q, m) clips that are in exactly 1, 2 … m of m columns.

    The columns are added digit by digit for 64 clips at once; `digits[0]` has the lowest of each.
    """
    length = columns.shape[1]
    digits = [np.zeros_like(columns[:, 0]) for _ in range(length.bit_length())]
    for number in range(length):
        carry = columns[:, number]
        for place in range((number + 1).bit_length()):
            digits[place], carry = digits[place] ^ carry, digits[place] & carry
    counts = np.empty((len(columns), length), np.int64)
    for sum_ in range(1, length + 1):
        # The set digits first: beyond the last clip all are unset.
        order = sorted(range(len(digits)), key=lambda place: not sum_ >> place & 1)
        exactly = digits[order[0]].copy()
        for place in order[1:]:
            exactly &= digits[place] if sum_ >> place & 1 else ~digits[place]
        counts[:, sum_ - 1] = np.bitwise_count(exactly).sum(axis=1, dtype=np.int64)
    return counts
