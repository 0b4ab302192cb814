"""Minimal pairs: two clips, or two texts, that differ by one keyword and by nothing else.

Two clips are one if their chosen keywords are equal but for one of a group that is swapped for
another of the same group: right = R + r, wrong = R + w. A keyword that only one of the two has
makes no pair: what annotations do not say need not be absent.

    clips  a third clip with exactly the keywords of the right one asks; the right one should be
           more similar to it than the wrong one
    texts  a text that names r asks, and the same text with w in place of it stands against it

A model that knows nothing of the keyword is right half of the time. No two clips of a pair are of
one source, which would be alike anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from engine.base.arrays import Ints
from engine.base.errors import InputError
from engine.base.keyword import Keyword
from engine.dataset.clip_set import WORD, BitWords, set_bit
from engine.dataset.ground_truth import GroundTruth
from engine.dataset.query_set import QuerySet
from engine.dataset.vocabulary import Selection
from engine.keywords.instead_counts import number_groups
from engine.keywords.keyword_swaps import (
    KeywordSets,
    KeywordSwaps,
    find_keyword_swaps,
)
from engine.keywords.literal_queries import LiteralQueries

PairKind: TypeAlias = Literal["clips", "texts"]

_TRIES = 32
"""Clips that are looked at for one of another source."""

_NO_CLIP = -1


@dataclass(frozen=True, slots=True, eq=False)
class MinimalPairs:
    """Pairs in the order in which they were drawn; clips are rows of the ground truth.

    right, wrong   (p,) the clips
    group          (p,) the number of the group in the vocabulary's `groups`
    right_keyword  (p,) the bit column of r, which the right clip has and the wrong one has not
    wrong_keyword  (p,) that of w
    anchors        (p,) the clips that ask; -1 where texts do
    asked          (p, words) the keywords of each text, or of each clip that asks
    possible       (groups,) how many swaps there were to draw from, each of maybe many clips
    texts          the texts that name r; none where clips ask
    swapped        the same texts with w in its place
    """

    kind: PairKind
    right: Ints
    wrong: Ints
    group: Ints
    right_keyword: Ints
    wrong_keyword: Ints
    anchors: Ints
    asked: BitWords
    possible: Ints
    texts: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.right)

    @property
    def swapped_asked(self) -> BitWords:
        """The keywords of each swapped text."""
        bits, pair = self.asked.copy(), np.arange(len(self))
        bits[pair, self.right_keyword // WORD] &= ~set_bit(self.right_keyword)
        bits[pair, self.wrong_keyword // WORD] |= set_bit(self.wrong_keyword)
        return bits

    def list_shared(self, truth: GroundTruth, selection: Selection) -> list[tuple[Keyword, ...]]:
        """For every pair the chosen keywords that both of its clips have."""
        both = truth.bits[self.right] & truth.bits[self.wrong] & selection.mask
        return [truth.words.named(row) for row in both]


class _Pair(NamedTuple):
    """One pair before it stands in arrays: the number of its swap, and what was chosen for it."""

    swap: int
    right: int
    wrong: int
    anchor: int = _NO_CLIP
    query: int = 0


def find_clip_pairs(
    truth: GroundTruth, selection: Selection, *, limit: int, seed: int = 0
) -> MinimalPairs:
    """At most `limit` pairs of clips with a third one that asks, balanced over groups and swaps.

    >>> groups = {"object": [["car"], ["car"], ["bus"]], "scene": [["city"]] * 3}
    >>> truth = GroundTruth.from_columns("abc", groups)
    >>> found = find_clip_pairs(truth, truth.words.select(), limit=1)
    >>> sorted((*found.anchors.tolist(), *found.right.tolist())), found.wrong.tolist()
    ([0, 1], [2])
    """
    random = _seed(limit, seed)
    sets = KeywordSets.collect(truth, selection, random)
    swaps = find_keyword_swaps(sets, truth, random)
    swaps = swaps.take(sets.have_two_sources()[swaps.right_set])

    def choose(number: int, turn: int) -> _Pair | None:
        own = sets.clips_of(int(swaps.right_set[number]))
        other = sets.clips_of(int(swaps.wrong_set[number]))
        if turn >= len(own):
            return None
        right = int(own[turn])
        anchor = _find_other_source(sets, own, turn + 1, (right,))
        if anchor is None:
            return None
        wrong = _find_other_source(sets, other, turn, (right, anchor))
        return None if wrong is None else _Pair(number, right, wrong, anchor)

    pairs = _draw(len(swaps), limit, choose)
    return _build("clips", truth, sets, swaps, pairs, None)


def find_text_pairs(
    truth: GroundTruth,
    selection: Selection,
    *,
    limit: int,
    seed: int = 0,
    queries: QuerySet | None = None,
) -> MinimalPairs:
    """At most `limit` pairs of texts, each with a clip that it describes, balanced likewise.

    A text is the names of all keywords of the right clip; or, if there are `queries`, one of these
    that says the name of r once, as whole words, of which the right clip has all keywords.

    >>> groups = {"object": [["car"], ["bus"]], "scene": [["city"], ["city"]]}
    >>> truth = GroundTruth.from_columns("ab", groups)
    >>> found = find_text_pairs(truth, truth.words.select(), limit=9)
    >>> sorted(zip(found.texts, found.swapped))
    [('bus city', 'car city'), ('car city', 'bus city')]
    """
    random = _seed(limit, seed)
    sets = KeywordSets.collect(truth, selection, random)
    swaps = find_keyword_swaps(sets, truth, random)
    spoken = None if queries is None else LiteralQueries(queries, truth, selection)
    if spoken is not None:
        swaps = swaps.take(spoken.cover(swaps, sets))

    def choose(number: int, turn: int) -> _Pair | None:
        own = sets.clips_of(int(swaps.right_set[number]))
        other = sets.clips_of(int(swaps.wrong_set[number]))
        if turn >= len(own):
            return None
        right = int(own[turn])
        wrong = _find_other_source(sets, other, turn, (right,))
        query = 0 if spoken is None else spoken.find(swaps, sets, number, turn)
        return None if wrong is None or query is None else _Pair(number, right, wrong, query=query)

    pairs = _draw(len(swaps), limit, choose)
    return _build("texts", truth, sets, swaps, pairs, spoken)


def _seed(limit: int, seed: int) -> np.random.Generator:
    if limit < 1:
        raise InputError(f"the limit is {limit}", hint="ask for at least one pair")
    if seed < 0:
        raise InputError(f"the seed is {seed}", hint="a seed is 0 or more")
    return np.random.default_rng(seed)


def _draw(swaps: int, limit: int, choose: Callable[[int, int], _Pair | None]) -> list[_Pair]:
    """Of every swap in turn one pair, then of every one that has more a second, and so on."""
    found: list[_Pair] = []
    left, turn = list(range(swaps)), 0
    while left and len(found) < limit:
        kept = []
        for number in left:
            pair = choose(number, turn)
            if pair is not None:
                found.append(pair)
                kept.append(number)
            if len(found) == limit:
                break
        left, turn = kept, turn + 1
    return found


def _find_other_source(
    sets: KeywordSets, clips: Ints, begin: int, beside: tuple[int, ...]
) -> int | None:
    """The first clip from a place on, and round, that is of another source than some clips."""
    taken = {int(sets.sources[row]) for row in beside}
    for step in range(min(_TRIES, len(clips))):
        row = int(clips[(begin + step) % len(clips)])
        if int(sets.sources[row]) not in taken:
            return row
    return None


def _build(
    kind: PairKind,
    truth: GroundTruth,
    sets: KeywordSets,
    swaps: KeywordSwaps,
    pairs: list[_Pair],
    spoken: LiteralQueries | None,
) -> MinimalPairs:
    table = np.array(pairs, np.int64).reshape(-1, len(_Pair._fields))
    chosen = swaps.take(table[:, 0])
    query, of_column = table[:, 4], number_groups(truth)
    asked = sets.bits[chosen.right_set] if spoken is None else spoken.queries.bits[query]
    found = MinimalPairs(
        kind=kind,
        right=table[:, 1],
        wrong=table[:, 2],
        group=of_column[chosen.right_keyword],
        right_keyword=chosen.right_keyword,
        wrong_keyword=chosen.wrong_keyword,
        anchors=table[:, 3],
        asked=asked,
        possible=np.bincount(of_column[swaps.right_keyword], minlength=len(truth.words.groups)),
    )
    if kind == "clips":
        return found
    both = [
        _name_keywords(found, truth, number)
        if spoken is None
        else spoken.write(int(query[number]), right, wrong)
        for number, (right, wrong) in enumerate(_list_swapped(found, truth))
    ]
    return replace(
        found,
        texts=tuple(text for text, _ in both),
        swapped=tuple(swapped for _, swapped in both),
    )


def _list_swapped(pairs: MinimalPairs, truth: GroundTruth) -> list[tuple[Keyword, Keyword]]:
    words = truth.words.keywords
    both = zip(pairs.right_keyword.tolist(), pairs.wrong_keyword.tolist(), strict=True)
    return [(words[right], words[wrong]) for right, wrong in both]


def _name_keywords(pairs: MinimalPairs, truth: GroundTruth, number: int) -> tuple[str, str]:
    """The names of the keywords in column order, and the same with w where r stood."""
    right, wrong = (
        truth.words.keywords[int(column)]
        for column in (pairs.right_keyword[number], pairs.wrong_keyword[number])
    )
    own = truth.words.named(pairs.asked[number])
    swapped = (wrong if keyword == right else keyword for keyword in own)
    return " ".join(word.name for word in own), " ".join(word.name for word in swapped)
