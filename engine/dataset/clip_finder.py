"""Finding clips by what one remembers of them: a part of the id, or keywords."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import methodcaller

import numpy as np

from engine.base.arrays import Bools, Ints
from engine.base.progress import split_range
from engine.dataset.ground_truth import GroundTruth

_CHUNK = 20_000
"""Ids that are looked at between two looks at whether anybody still waits."""

_LONGEST = 200
"""Characters of what is typed that count."""


@dataclass(frozen=True, slots=True, eq=False)
class ClipMatches:
    """The best of the clips that match.

    rows   at most as many as were asked for, the best first
    total  how many match
    """

    typed: str
    rows: Ints
    total: int


@dataclass(frozen=True, eq=False)
class ClipFinder:
    """Finds clips by words, each of which must be in the id or in a keyword of the clip.

    Ids that begin with what is typed come first, then ids that hold all words, then the others.
    Where nothing holds a word, its letters may stand apart: ub2 finds urban_bike_0002. In a keyword
    the first of them begins a word: lnx finds lane exit.

    >>> truth = GroundTruth.from_columns(
    ...     ["urban_1", "rural_1", "bus_7"], {"object": [["car"], ["car", "bus"], ["car"]]}
    ... )
    >>> finder = ClipFinder(truth)
    >>> [truth.ids[row] for row in finder.find("bus").rows]
    ['bus_7', 'rural_1']
    >>> [truth.ids[row] for row in finder.find("u1 car").rows]
    ['urban_1', 'rural_1']
    """

    truth: GroundTruth

    def find(
        self, typed: str, most: int = 200, check: Callable[[], None] = lambda: None
    ) -> ClipMatches:
        """The clips that match; `check` may raise to end a search that nobody waits for."""
        text = typed[:_LONGEST].strip().casefold()
        matching, in_id = np.ones(len(self.truth), np.bool_), np.ones(len(self.truth), np.bool_)
        for word in text.split():
            holds = methodcaller("__contains__", word)
            own = self._in_ids(holds, check)
            either = own | self._has_keyword(holds)
            if not either.any():
                own = self._in_ids(_spread(word), check)
                either = own | self._has_keyword(_spread_from_a_beginning(word))
            matching &= either
            in_id &= own
        rows = np.flatnonzero(matching)
        begins = [self._folded[row].startswith(text) for row in rows.tolist()]
        rank = np.where(begins, 0, np.where(in_id[rows], 1, 2))
        best = np.argsort(rank, kind="stable")[:most]
        return ClipMatches(typed, rows[best], len(rows))

    @cached_property
    def _folded(self) -> list[str]:
        return [name.casefold() for name in self.truth.ids]

    def _in_ids(self, matches: Callable[[str], object], check: Callable[[], None]) -> Bools:
        found = np.zeros(len(self.truth), np.bool_)
        for part in split_range(len(self.truth), _CHUNK):
            check()
            found[part] = [bool(matches(name)) for name in self._folded[part]]
        return found

    def _has_keyword(self, matches: Callable[[str], object]) -> Bools:
        words = self.truth.words
        names = (keyword.name.casefold() for keyword in words.keywords)
        columns = [number for number, name in enumerate(names) if matches(name)]
        if not columns:
            return np.zeros(len(self.truth), np.bool_)
        mask = words.mask(np.array(columns, np.int64))
        used = np.flatnonzero(mask)
        return np.asarray((self.truth.bits[:, used] & mask[used]).any(axis=1))


def _spread(word: str) -> Callable[[str], object]:
    """Whether the letters of a word stand in a name in this order."""

    def stand_in(name: str) -> bool:
        after = 0  # taking the first of each is enough, and takes no second look
        for letter in word:
            after = name.find(letter, after) + 1
            if not after:
                return False
        return True

    return stand_in


_BEGINNING = re.compile(r"\b\w")


def _spread_from_a_beginning(word: str) -> Callable[[str], object]:
    """The same, from where a word of the name begins."""
    stand_in = _spread(word)

    def begin_in(name: str) -> bool:
        begins = (found.start() for found in _BEGINNING.finditer(name))
        return any(name[at] == word[0] and stand_in(name[at:]) for at in begins)

    return begin_in
