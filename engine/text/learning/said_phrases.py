"""The phrases that labelled queries say, as their words reduced, and where each is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from engine.base.errors import InputError
from engine.text.learning.labelled import LabelledMapping
from engine.text.learning.literal_phrases import write_literal
from engine.text.mapping.reading import Interpretation

Stems = tuple[str, ...]
"""A phrase: its words reduced, without articles."""

LONGEST_SAID = 5


class SaidPhrases:
    """Which queries say a phrase without denying it."""

    def __init__(self, mapped: Sequence[LabelledMapping]) -> None:
        self._queries: dict[Stems, list[int]] = {}
        for one in mapped:
            for phrase in set(_list_phrases(one.reading)):
                self._queries.setdefault(phrase, []).append(one.number)

    def where(self, phrase: Stems, among: Set[int]) -> list[int]:
        """The queries that say it, of these."""
        return [number for number in self._queries.get(phrase, ()) if number in among]


def _list_phrases(reading: Interpretation) -> Iterator[Stems]:
    """Every stretch of up to five words within a clause, articles left out."""
    for start in range(len(reading.words)):
        phrase: list[str] = []
        for position in range(start, len(reading.words)):
            word = reading.words[position]
            parted = position > start and word.clause != reading.words[start].clause
            if parted or position in reading.denied or len(phrase) == LONGEST_SAID:
                break
            if not word.skippable:
                phrase.append(word.stem)
                yield tuple(phrase)


def reduce_span(reading: Interpretation, positions: Sequence[int]) -> Stems:
    """The phrase that these words say."""
    words = (reading.words[position] for position in positions)
    return tuple(word.stem for word in words if not word.skippable)


def write_span(reading: Interpretation, positions: Sequence[int]) -> str:
    """How the phrase is written in a dataset; empty if it cannot be one."""
    first, last = reading.words[positions[0]], reading.words[positions[-1]]
    try:
        return write_literal(reading.query[first.start : last.end])
    except InputError:
        return ""
