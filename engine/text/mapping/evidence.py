"""Evidence: which words of a query speak for which keyword, read from words alone; and what they do
not say in the company they are in: "bus stop", "dark car", "ego waits".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.text.mapping.denials import Denial, find_denials, is_denial
from engine.text.mapping.lexicon import (
    ALONE,
    ANY_KEYWORD,
    ANYWHERE,
    SYNONYM,
    Composite,
    Lexicon,
    WordException,
    compile_exceptions,
    compile_own_phrase,
)
from engine.text.mapping.phrases import find_phrase
from engine.text.mapping.query_words import EGO, STOP_WORDS, Word, split_words
from engine.text.mapping.table import load_table


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


def find_exceptions(
    words: Sequence[Word], exceptions: Mapping[str, Sequence[WordException]]
) -> dict[int, list[ExceptionMatch]]:
    """The excepted phrases of a query, under each position that they cover."""
    found: dict[int, list[ExceptionMatch]] = {}
    for start, word in enumerate(words):
        for exception in (
            *exceptions.get(word.stem, ()),
            *exceptions.get(f"={word.form}", ()),
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


WIDEST_COMPOSITE = 9
"""How many words a freely ordered keyword may spread over: "ahead in the right … lane"."""

_MOST_PLACES = 4  # of one part of a composite; more are repetitions that add nothing
_DETOUR = 0.01  # what each word in between costs a composite
_COMMA = 0.03


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words (by position) that speak for a keyword (by number)."""

    keyword: int
    positions: tuple[int, ...]
    score: float
    why: str
    setting: str = ANYWHERE

    def weight(self, words: Sequence[Word]) -> float:
        return self.score * sum(_weight_of(words[position]) for position in self.positions)


def _weight_of(word: Word) -> float:
    if word.stem == EGO:
        return 0.5
    return 0.2 if word.form in STOP_WORDS else 1.0


@dataclass(frozen=True, slots=True)
class QueryReading:
    """What a query's words say, all that are understood, if only as saying nothing, and denied.

    `vetoes` are positions that do not speak for a keyword, because the dataset says so.
    """

    evidence: list[Evidence]
    understood: set[int]
    denied: set[int]
    vetoes: frozenset[tuple[int, int]]


def read_evidence(words: Sequence[Word], lexicon: Lexicon) -> QueryReading:
    """All evidence of all keywords, overlapping as it may, after exceptions and denials."""
    found = [*_from_rules(words, lexicon), *_from_composites(words, lexicon)]
    understood = {position for evidence in found for position in evidence.positions}
    exceptions = find_exceptions(words, lexicon.exceptions)
    never = find_exceptions(words, lexicon.never)
    vetoes = frozenset((p, match.keyword) for p, matches in never.items() for match in matches)
    found = [
        evidence
        for evidence in found
        if not _is_excepted(evidence, exceptions) and not _is_vetoed(evidence, never)
    ]
    company = WordContext(words, lexicon, ((e.keyword, e.positions) for e in found))
    found = [e for e in found if company.allows(e.setting, e.positions)]
    found = _without_generic_words(found, words, lexicon)
    found, denied = _apply_denials(found, words, lexicon)
    spoken = {position for evidence in found for position in evidence.positions}
    understood = (understood - never.keys()) | exceptions.keys() | spoken
    return QueryReading(found, understood, denied, vetoes)


def _is_excepted(evidence: Evidence, exceptions: Mapping[int, Sequence[ExceptionMatch]]) -> bool:
    return any(
        excepted.rules_out(evidence.keyword, evidence.positions)
        for position in evidence.positions
        for excepted in exceptions.get(position, ())
    )


def _is_vetoed(evidence: Evidence, never: Mapping[int, Sequence[ExceptionMatch]]) -> bool:
    """Whether the dataset says that these words never mean the keyword.

    Words that say more than the phrase still do: where "fish" never means it, "grilled fish" may.
    """
    return any(
        match.keyword == evidence.keyword and match.positions >= set(evidence.positions)
        for match in never.get(evidence.positions[0], ())
    )


def is_vetoed(phrase: str, never: str) -> bool:
    """Whether a phrase cannot mean a keyword because another one never means it.

    >>> is_vetoed("old stag", "big|old stag"), is_vetoed("very old stag", "old stag")
    (True, False)
    """
    return bool(next(find_vetoes([phrase], [never])))


def find_vetoes(phrases: Iterable[str], never: Sequence[str]) -> Iterator[set[int]]:
    """For each phrase the places in `never` of those because of which it cannot mean a keyword.

    >>> list(find_vetoes(["old stag", "doe"], ["doe", "fawn", "old|big stag", "doe"]))
    [{2}, {0, 3}]
    """
    forbidden = compile_exceptions(enumerate(never))
    for phrase in phrases:
        words = split_words(phrase, load_table()["spelling"])
        said = find_phrase(compile_own_phrase(phrase), words, 0) if words else None
        found = find_exceptions(words, forbidden).get(said[0], ()) if said else ()
        yield {match.keyword for match in found if match.positions >= set(said or ())}


def _from_rules(words: Sequence[Word], lexicon: Lexicon) -> Iterable[Evidence]:
    best: dict[tuple[int, tuple[int, ...]], Evidence] = {}
    for start, word in enumerate(words):
        for rule in (
            *lexicon.rules.get(word.stem, ()),
            *lexicon.rules.get(f"={word.form}", ()),
        ):
            positions = find_phrase(rule.phrase, words, start)
            if positions is None:
                continue
            key = (rule.keyword, positions)
            if key not in best or best[key].score < rule.score:
                best[key] = Evidence(rule.keyword, positions, rule.score, rule.why, rule.setting)
    return best.values()


def _from_composites(words: Sequence[Word], lexicon: Lexicon) -> Iterable[Evidence]:
    clauses: dict[int, list[int]] = {}
    for position, word in enumerate(words):
        clauses.setdefault(word.clause, []).append(position)
    for clause in clauses.values():
        for composite in lexicon.composites:
            places = [_places(part, clause, words) for part in composite.parts]
            for combination in itertools.product(*places):
                if evidence := _composite_at(composite, combination, words):
                    yield evidence


def _places(part: frozenset[str], clause: Sequence[int], words: Sequence[Word]) -> list[int]:
    found = (position for position in clause if words[position].stem in part)
    return list(itertools.islice(found, _MOST_PLACES))


def _composite_at(
    composite: Composite, combination: tuple[int, ...], words: Sequence[Word]
) -> Evidence | None:
    positions = tuple(sorted(set(combination)))
    first, last = positions[0], positions[-1]
    if len(positions) < len(combination) or last - first >= WIDEST_COMPOSITE:
        return None
    detour = last - first + 1 - len(positions)
    commas = sum(words[position].after_comma for position in range(first + 1, last + 1))
    score = SYNONYM - _DETOUR * detour - _COMMA * commas
    return Evidence(composite.keyword, positions, score, "synonym")


def _without_generic_words(
    found: list[Evidence], words: Sequence[Word], lexicon: Lexicon
) -> list[Evidence]:
    """ "the other car" is not the keyword "other"; "other" or "other object" is."""
    stems = {word.stem for word in words if not word.is_stop_word}

    def meant(evidence: Evidence) -> bool:
        if evidence.keyword not in lexicon.generic:
            return True
        own = {words[position].stem for position in evidence.positions}
        return stems - own <= lexicon.companions

    return [evidence for evidence in found if meant(evidence)]


def _apply_denials(
    found: list[Evidence], words: Sequence[Word], lexicon: Lexicon
) -> tuple[list[Evidence], set[int]]:
    """What is not denied, and the positions that are: a keyword may name what is not there."""
    said = {position for evidence in found for position in evidence.positions}
    denials = [denial for denial in find_denials(words) if said.isdisjoint(denial.cue)]
    denied = {position for denial in denials for position in (*denial.cue, *denial.scope)}
    kept = [
        evidence
        for evidence in found
        if denied.isdisjoint(evidence.positions) or _has_denial(evidence, words)
    ]
    kept += _turned(found, denials, lexicon)
    denied -= {position for evidence in kept for position in evidence.positions}
    return kept, denied


def _turned(
    found: Sequence[Evidence], denials: Sequence[Denial], lexicon: Lexicon
) -> Iterable[Evidence]:
    """What is denied speaks for its contrary, if that is a keyword: for "non-intersection"."""
    for denial in denials:
        for evidence in found:
            opposite = lexicon.opposite_of.get(evidence.keyword)
            if opposite is not None and set(evidence.positions) <= set(denial.scope):
                yield Evidence(opposite, (*denial.cue, *evidence.positions), SYNONYM, "synonym")


def _has_denial(evidence: Evidence, words: Sequence[Word]) -> bool:
    return any(is_denial(words[position]) for position in evidence.positions)
