"""What is counted to see which keywords results have in place of those that were asked for.

Only what occurs is held, so that memory grows with the results and not with keywords².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.base.arrays import Floats, Ints
from engine.base.progress import split_range
from engine.dataset.clip_set import WORD, BitWords, find_bits, set_bit
from engine.dataset.ground_truth import GroundTruth
from engine.keywords.judge import JudgedRanking

_CELLS = 1 << 22
"""Words of bits that are looked at at once."""


class KeyedSums(NamedTuple):
    """Sums by key: keys ascending, and one row of sums for each.

    >>> found = KeyedSums.of(np.array([7, 3, 7]), np.array([1.0, 2.0, 4.0]))
    >>> found.keys.tolist(), found.at(np.array([7, 8])).tolist()
    ([3, 7], [[5.0], [0.0]])
    """

    keys: Ints
    sums: Floats

    @classmethod
    def of(cls, keys: Ints, *values: Floats) -> KeyedSums:
        distinct, place = np.unique(keys, return_inverse=True)
        sums = np.zeros((len(distinct), len(values)))
        for column, value in enumerate(values):
            sums[:, column] = np.bincount(place, value, minlength=len(distinct))
        return cls(distinct, sums)

    @classmethod
    def merge(cls, parts: list[KeyedSums]) -> KeyedSums:
        keys = np.concatenate([part.keys for part in parts])
        return cls.of(keys, *np.concatenate([part.sums for part in parts]).T)

    def at(self, keys: Ints) -> Floats:
        """The sums of some keys, 0 where there are none."""
        if not len(self.keys):
            return np.zeros((len(keys), self.sums.shape[1]))
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where((self.keys[place] == keys)[:, None], self.sums[place], 0.0)

    def between(self, first: int, end: int) -> KeyedSums:
        """Those whose keys are at least `first` and below `end`."""
        start, stop = np.searchsorted(self.keys, (first, end))
        return KeyedSums(self.keys[start:stop], self.sums[start:stop])


@dataclass(frozen=True, slots=True, eq=False)
class InsteadCounts:
    """Sums over the queries, n the results of one that lack the keyword q it asks for, and x those
    of them that have w, which it does not ask for. q, w and clips are column and row numbers.

    totals  by q: n, n², queries with n > 0, all results, results without a keyword of the group,
            queries
    pairs   by q · keywords + w: x, x², x · n, queries with x > 0
    beside  by the same key, of queries that ask for both: n, n², queries with n > 0
    clips   by q · clips + clip: how often it is a result that lacks q
    own     query by query q, n and the row of a query clip that was removed and lacks q itself
    """

    totals: KeyedSums
    pairs: KeyedSums
    beside: KeyedSums
    clips: KeyedSums
    own: Ints


def count_instead(
    truth: GroundTruth, judged: JudgedRanking, k: int, queries: Ints, own_rows: Ints | None
) -> InsteadCounts:
    """Count over the first `k` results of some queries."""
    place, asked = find_bits(judged.query_bits[queries])
    query = queries[place]
    size = max(1, _CELLS // (k * truth.words.words))
    parts = [
        _count_part(truth, judged, k, asked[part], query[part], own_rows)
        for part in [*split_range(len(asked), size)] or [slice(0)]
    ]
    return InsteadCounts(
        totals=KeyedSums.merge([part.totals for part in parts]),
        pairs=KeyedSums.merge([part.pairs for part in parts]),
        beside=KeyedSums.merge([part.beside for part in parts]),
        clips=KeyedSums.merge([part.clips for part in parts]),
        own=np.concatenate([part.own for part in parts]),
    )


def _count_part(
    truth: GroundTruth,
    judged: JudgedRanking,
    k: int,
    asked: Ints,
    query: Ints,
    own_rows: Ints | None,
) -> InsteadCounts:
    """The counts of some of the asked keywords, each with all results of its query."""
    size = len(truth.words.keywords)
    clips = judged.ranking.indices[query, :k]
    there = judged.retrieved[query, :k] & (clips >= 0)
    bit, word = set_bit(asked), asked // WORD
    lacks = there & (truth.bits[clips, word[:, None]] & bit[:, None] == 0)
    at, rank = np.nonzero(lacks)
    found = clips[at, rank]
    n = lacks.sum(axis=1).astype(np.float64)
    some = (n > 0).astype(np.float64)
    group = mask_groups(truth)[number_groups(truth)[asked]]
    own = truth.bits[found] & group[at]
    bare = np.bincount(at, ~own.any(axis=1), minlength=len(asked)).astype(np.float64)
    # What the query asks for as well is not there instead.
    result, other = find_bits(own & ~judged.query_bits[query[at]])
    each = KeyedSums.of(at[result] * size + other, np.ones(len(result)))
    which, other = np.divmod(each.keys, max(1, size))
    x = each.sums[:, 0]
    pair = asked[which] * size + other
    both = judged.query_bits[query] & group
    both[np.arange(len(asked)), word] &= ~bit
    with_other, also = find_bits(both)
    beside = asked[with_other] * size + also
    ones = np.ones(len(asked))
    results = there.sum(axis=1).astype(np.float64)
    return InsteadCounts(
        totals=KeyedSums.of(asked, n, n**2, some, results, bare, ones),
        pairs=KeyedSums.of(pair, x, x**2, x * n[which], np.ones(len(x))),
        beside=KeyedSums.of(beside, n[with_other], n[with_other] ** 2, some[with_other]),
        clips=KeyedSums.of(asked[at] * len(truth) + found, np.ones(len(found))),
        own=_find_own(truth, asked, n, None if own_rows is None else own_rows[query]),
    )


def _find_own(truth: GroundTruth, asked: Ints, n: Floats, own: Ints | None) -> Ints:
    """Query clips that lack what they ask for: only where keywords were chosen by hand."""
    if own is None:
        return np.zeros((0, 3), np.int64)
    lacks = (own >= 0) & (truth.bits[own, asked // WORD] & set_bit(asked) == 0)
    found: Ints = np.stack([asked, n.astype(np.int64), own], axis=1)[lacks]
    return found


def mask_groups(truth: GroundTruth) -> BitWords:
    """(groups, words) the bits of each group."""
    return np.stack([truth.words.select([group]).mask for group in truth.words.groups])


def number_groups(truth: GroundTruth) -> Ints:
    """(keywords,) the number of each keyword's group."""
    numbers = {group: number for number, group in enumerate(truth.words.groups)}
    return np.array([numbers[word.group] for word in truth.words.keywords], np.int64)
