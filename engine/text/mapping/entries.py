"""Words that WordNet lists together: "run over" is not running, a "dress rehearsal" no dress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.text.mapping.query_words import ARTICLES, Word
from engine.text.mapping.senses import KeywordSenses, relate_words
from engine.text.wordnet.lemmas import is_listed

LONGEST_ENTRY = 3

_PARTICLES = frozenset(
    "up out off away down over on in through by about around along after for into".split()
)
_DETERMINERS = ARTICLES | frozenset("my our your his her".split())


def is_entry(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether WordNet lists the words from `start` to before `end` as one.

    A particle makes an entry of a verb only where no object of its own follows: "run over at
    night", but not "running over the hill".
    """
    entry = words[start:end]
    if len(entry) < 2 or entry[0].clause != entry[-1].clause:
        return False
    if any(word.after_comma for word in entry[1:]):
        return False
    if entry[-1].form in _PARTICLES and end < len(words) and _is_object(words[end]):
        return False
    return is_listed([word.form for word in entry])


def _is_object(word: Word) -> bool:
    return word.form in _DETERMINERS or word.has_content


@dataclass(frozen=True, slots=True)
class EntriesAround:
    """What WordNet lists of the words around a keyword's: positions of entries that have to do with
    it ("timber wolf"), and whether there is one that has not ("dress rehearsal")."""

    related: frozenset[int]
    unrelated: bool


def find_entries_around(
    words: Sequence[Word], positions: Sequence[int], keyword: int, senses: KeywordSenses, count: int
) -> EntriesAround:
    """The longer entries in which the words that name a keyword stand."""
    related: set[int] = set()
    unrelated = False
    for start, end in _longer(words, positions[0], positions[-1] + 1):
        if is_entry(words, start, end):
            if relate_words(words[start:end], senses, count)[keyword]:
                related.update(range(start, end))
            else:
                unrelated = True
    return EntriesAround(frozenset(related), unrelated)


def _longer(words: Sequence[Word], first: int, after: int) -> Iterator[tuple[int, int]]:
    for start in range(max(0, after - LONGEST_ENTRY), first + 1):
        for end in range(after, min(len(words), start + LONGEST_ENTRY) + 1):
            if (start, end) != (first, after):
                yield start, end
