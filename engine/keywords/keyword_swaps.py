"""Sets of keywords that differ by one of a group which is swapped for another of the same group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Ints
from engine.dataset.clip_set import BitWords, find_bits, find_distinct_rows
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.vocabulary import Selection
from engine.keywords.instead_counts import number_groups

PARTNERS = 8
"""Where more keywords than one and these can stand in the same surroundings, each is paired with so
many others, drawn: of ten thousand labels all pairs in both orders were a hundred million."""

_NUMBERS_SEED = 20_240_229
"""Of the numbers by which sets are told apart; no result depends on it."""


@dataclass(frozen=True, slots=True, eq=False)
class KeywordSets:
    """The different sets of chosen keywords that clips have, and which clips have each.

    bits     (sets, words)
    clips    rows of clips, set by set; those of one set in an order that was drawn
    starts   (sets + 1,) where the clips of each set begin
    sources  (clips,) the same number for clips of one source, by row
    """

    bits: BitWords
    clips: Ints
    starts: Ints
    sources: Ints

    @classmethod
    def collect(
        cls, truth: GroundTruth, selection: Selection, random: np.random.Generator
    ) -> KeywordSets:
        chosen = truth.bits & selection.mask
        first, which = find_distinct_rows(chosen)
        order = random.permutation(len(truth))
        clips = order[np.argsort(which[order], kind="stable")].astype(np.int64)
        sizes = np.bincount(which, minlength=len(first))
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(chosen[first], clips, starts, truth.source_numbers)

    def __len__(self) -> int:
        return len(self.bits)

    def clips_of(self, number: int) -> Ints:
        return self.clips[self.starts[number] : self.starts[number + 1]]

    def have_two_sources(self) -> Bools:
        """Which sets have clips of two sources."""
        own = self.sources[self.clips]
        begins = self.starts[:-1]
        several: Bools = np.maximum.reduceat(own, begins) > np.minimum.reduceat(own, begins)
        return several


@dataclass(frozen=True, slots=True, eq=False)
class KeywordSwaps:
    """Swaps in an order: numbers of two `KeywordSets`, and the bit columns of the two keywords."""

    right_set: Ints
    wrong_set: Ints
    right_keyword: Ints
    wrong_keyword: Ints

    def __len__(self) -> int:
        return len(self.right_set)

    def take(self, some: Ints | Bools) -> KeywordSwaps:
        return KeywordSwaps(
            self.right_set[some],
            self.wrong_set[some],
            self.right_keyword[some],
            self.wrong_keyword[some],
        )


def find_keyword_swaps(
    sets: KeywordSets, truth: GroundTruth, random: np.random.Generator
) -> KeywordSwaps:
    """Every swap in both of its orders, balanced: each beginning of the list has the groups equally
    often, and within a group the swaps of two keywords.

    For every set and every keyword of it, what is left without the keyword is hashed, and the group
    with it: sets are a swap of each other where that is the same. No set is compared with another.
    """
    numbers = np.random.default_rng(_NUMBERS_SEED)
    of_keyword = _draw_numbers(numbers, len(truth.words.keywords))
    of_group = _draw_numbers(numbers, len(truth.words.groups))
    own_set, column = find_bits(sets.bits)
    whole = np.zeros(len(sets), np.uint64)
    np.bitwise_xor.at(whole, own_set, of_keyword[column])
    group = number_groups(truth)[column]
    rest = whole[own_set] ^ of_keyword[column] ^ of_group[group]
    member, partner = _pair_within(rest, random)
    found = KeywordSwaps(own_set[member], own_set[partner], column[member], column[partner])
    canonical = (found.wrong_set, found.right_set, found.wrong_keyword, found.right_keyword)
    found = found.take(np.lexsort(canonical))
    return found.take(_order_balanced(found, truth, random))


def _draw_numbers(random: np.random.Generator, count: int) -> BitWords:
    return random.integers(0, 1 << 64, size=count, dtype=np.uint64)


def _pair_within(keys: BitWords, random: np.random.Generator) -> tuple[Ints, Ints]:
    """The places of every two equal keys, in both orders; of many equal ones `PARTNERS` for each.

    >>> found = _pair_within(np.uint64([7, 5, 7]), np.random.default_rng(0))
    >>> sorted(zip(*(places.tolist() for places in found)))
    [(0, 2), (2, 0)]
    """
    order = np.lexsort((random.random(len(keys)), keys))
    place = _count_before(keys[order])
    _, start, number, size = np.unique(
        keys[order], return_index=True, return_inverse=True, return_counts=True
    )
    start, size = start[number], size[number]
    members, partners = [], []
    for step in range(1, PARTNERS + 1):
        some = np.flatnonzero(size > step)
        members.append(order[some])
        partners.append(order[start[some] + (place[some] + step) % size[some]])
    return np.concatenate(members), np.concatenate(partners)


def _order_balanced(swaps: KeywordSwaps, truth: GroundTruth, random: np.random.Generator) -> Ints:
    """Swaps one after the other: of each group the first, then the second …; within a group of
    every two keywords the first, then the second …"""
    drawn = random.permutation(len(swaps))
    right, wrong = swaps.right_keyword[drawn], swaps.wrong_keyword[drawn]
    turn = _count_before(right * len(truth.words.keywords) + wrong)
    drawn = drawn[np.argsort(turn, kind="stable")]
    group = number_groups(truth)[swaps.right_keyword[drawn]]
    order: Ints = drawn[np.lexsort((group, _count_before(group)))]
    return order


def _count_before(keys: npt.NDArray[Any]) -> Ints:
    """For each key how many equal ones stand before it.

    >>> _count_before(np.array([4, 2, 4, 4])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(keys, kind="stable")
    _, start, number = np.unique(keys[order], return_index=True, return_inverse=True)
    counts = np.empty(len(keys), np.int64)
    counts[order] = np.arange(len(keys)) - start[number]
    return counts
