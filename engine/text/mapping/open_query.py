"""A query that phrases have read, on its way to be weighed."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import chain

from engine.text.mapping.open_words import OpenWords
from engine.text.mapping.query_words import Word


@dataclass(frozen=True, slots=True)
class OpenQuery:
    """A query on its way: its words, what is open of them, and what was asked and found.

    groups   whose keywords are asked for
    found    the groups of which a phrase has found a keyword
    neutral  the words that say nothing about a keyword of the synonym table
    vetoes   words (by position) that never mean a keyword (by number)
    """

    words: Sequence[Word]
    open: OpenWords
    groups: Set[str]
    found: Set[str]
    neutral: Set[int]
    vetoes: Set[tuple[int, int]] = frozenset()

    def list_texts(self) -> list[str]:
        """The whole texts that are compared with keywords."""
        spared = (texts for _, texts in self.find_spared().values() if texts is not None)
        return [self.open.whole, self.open.rest, *chain.from_iterable(spared)]

    def find_spared(self) -> dict[int, tuple[frozenset[int], tuple[str, str] | None]]:
        """For each keyword of the vetoes its words, and `whole` and `rest` without them."""
        never: dict[int, set[int]] = {}
        for position, number in self.vetoes:
            never.setdefault(number, set()).add(position)
        return {
            number: (frozenset(words), self.open.write_without(self.words, words))
            for number, words in never.items()
        }
