"""What words do not say in the company they are in: "bus stop", "dark car", "ego waits"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.text.mapping.lexicon import ALONE, ANY_KEYWORD, ANYWHERE, Lexicon
from engine.text.mapping.phrases import find_phrase
from engine.text.mapping.query_words import Word


@dataclass(frozen=True, slots=True)
class ExceptionMatch:
    """Words that stand in a phrase of the table's exceptions, for one keyword or for any."""

    keyword: int
    positions: frozenset[int]

    def rules_out(self, keyword: int, positions: Iterable[int]) -> bool:
        """Whether a phrase that shares words with this one is no evidence for the keyword."""
        if self.keyword != ANY_KEYWORD:
            return self.keyword == keyword
        return not self.positions <= set(positions)  # a compound may itself be a keyword's phrase


def find_exceptions(words: Sequence[Word], lexicon: Lexicon) -> dict[int, list[ExceptionMatch]]:
    """The excepted phrases of a query, under each position that they cover."""
    found: dict[int, list[ExceptionMatch]] = {}
    for start, word in enumerate(words):
        for exception in (
            *lexicon.exceptions.get(word.stem, ()),
            *lexicon.exceptions.get(f"={word.form}", ()),
        ):
            positions = find_phrase(exception.phrase, words, start)
            if positions is None or _has_comma(positions, words):
                continue
            excepted = ExceptionMatch(exception.keyword, frozenset(positions))
            for position in positions:
                found.setdefault(position, []).append(excepted)
    return found


def _has_comma(positions: Sequence[int], words: Sequence[Word]) -> bool:
    return any(words[p].after_comma for p in range(positions[0] + 1, positions[-1] + 1))


class WordContext:
    """Which words stand together, and whether they are all about places, weather and time."""

    def __init__(
        self,
        words: Sequence[Word],
        lexicon: Lexicon,
        evidence: Iterable[tuple[int, Sequence[int]]],
    ) -> None:
        self._part_of = _parts(words)
        self._content: dict[int, list[int]] = {}
        self._foreign: dict[int, list[int]] = {}
        scenery = {p for keyword, own in evidence if keyword in lexicon.scenery for p in own}
        for position, word in enumerate(words):
            if word.is_stop_word or word.stem in lexicon.scenery_words:
                continue
            self._content.setdefault(self._part_of[position], []).append(position)
            if position not in scenery:
                self._foreign.setdefault(self._part_of[position], []).append(position)

    def allows(self, setting: str, positions: Sequence[int]) -> bool:
        """Whether a phrase at these positions counts if it needs this setting."""
        if setting == ANYWHERE:
            return True
        company = self._content if setting == ALONE else self._foreign
        return all(other in positions for other in company.get(self._part_of[positions[0]], ()))


def _parts(words: Sequence[Word]) -> list[int]:
    """For each word the number of the part it belongs to; commas and clauses part."""
    parts: list[int] = []
    for position, word in enumerate(words):
        begins = position == 0 or word.after_comma or words[position - 1].clause != word.clause
        parts.append((parts[-1] if parts else 0) + begins)
    return parts
