"""Phrases of the synonym table: how they are written, and where they stand in a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.text.mapping.query_words import Word, reduce_form

LONGEST_GAP = 3
"""How many words `...` may skip."""

MOST_SLOTS = 16
"""Parts of a phrase, at most."""

_AS_TYPED: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Slot:
    """One place of a phrase: any of these stems or forms. `gap` skips other words instead.

    A word that `leads` begins a clause or what a conjunction joins. A `beside` word must stand
    there but is not the phrase's own.
    """

    stems: frozenset[str] = frozenset()
    forms: frozenset[str] = frozenset()
    optional: bool = False
    gap: bool = False
    leads: bool = False
    beside: bool = False

    def accepts(self, word: Word) -> bool:
        if self.leads and not word.leads:
            return False
        return word.stem in self.stems or word.form in self.forms


Phrase = tuple[Slot, ...]


_MARKS = frozenset("()|?^@=")
_GRAMMAR = "write plain words, a|b for either, word? for optional, ... for a gap"


def parse_phrase(
    text: str, classes: Mapping[str, Sequence[str]], spelling: Mapping[str, str] = _AS_TYPED
) -> Phrase:
    """Compile one phrase of the table. `spelling`: words for which a query has others.

    >>> len(parse_phrase("turn left|right? across ... path", {}))
    5
    """
    slots: list[Slot] = []
    for part in text.split():
        if part == "...":
            slots.append(Slot(gap=True))
            continue
        slots.append(_parse_slot(part, classes, spelling, text))
    if not any(_must_stand(slot) for slot in slots) or len(slots) > MOST_SLOTS:
        raise InputError(
            f"the phrase {text!r} has no word that must stand, or more than {MOST_SLOTS} parts",
            hint=_GRAMMAR,
        )
    return tuple(slots)


def _must_stand(slot: Slot) -> bool:
    return not slot.optional and not slot.gap and not slot.beside


def _parse_slot(
    part: str, classes: Mapping[str, Sequence[str]], spelling: Mapping[str, str], phrase: str
) -> Slot:
    stems: set[str] = set()
    forms: set[str] = set()
    choice = part.removesuffix("?").removeprefix("^")
    beside = choice.startswith("(") and choice.endswith(")")
    for word in (choice[1:-1] if beside else choice).split("|"):
        _check_word(word, part, phrase)
        if word.startswith("@"):
            if word[1:] not in classes:
                raise InputError(
                    f"the phrase {phrase!r} names an unknown class {word!r}",
                    hint=f"known classes: {', '.join(sorted(classes))}",
                )
            stems.update(reduce_form(member) for member in classes[word[1:]])
        elif word.startswith("="):
            forms.update(_spell(word[1:], spelling))
        else:
            stems.update(map(reduce_form, _spell(word, spelling)))
    return Slot(
        frozenset(stems),
        frozenset(forms),
        optional=part.endswith("?"),
        leads=part.startswith("^"),
        beside=beside,
    )


def _check_word(word: str, part: str, phrase: str) -> None:
    """Refuse a mark of the grammar where it means nothing: the phrase would never be found."""
    plain = word[1:] if word[:1] in ("@", "=") else word
    if any(map(str.isalnum, plain)) and _MARKS.isdisjoint(plain):
        return
    wrong = f"{word!r} is no word" if word else f"{part!r} lacks a word"
    raise InputError(f"the phrase {phrase!r} cannot be read: {wrong}", hint=_GRAMMAR)


def _spell(word: str, spelling: Mapping[str, str]) -> set[str]:
    """The word, and what a query has in its place; "kerbs" stays as it is in a query."""
    form = word.casefold()
    return {form, spelling.get(form, form)}


def find_phrase(phrase: Phrase, words: Sequence[Word], start: int) -> tuple[int, ...] | None:
    """Positions of the words that the phrase covers if it begins at `start`; gaps are not its own.

    >>> from engine.text.mapping.query_words import split_words
    >>> words = split_words("cars turn right across the road", {})
    >>> find_phrase(parse_phrase("turn ... across road", {}), words, 1)
    (1, 3, 5)
    """
    match = _match(phrase, 0, words, start, words[start].clause, set())
    return match if match and match[0] == start else None


def _match(
    phrase: Phrase,
    at: int,
    words: Sequence[Word],
    position: int,
    clause: int,
    failed: set[tuple[int, int]],
) -> tuple[int, ...] | None:
    """What the phrase covers from its part `at` on, if that stands at the position.

    Gaps and optional words lead to the same place in many ways: what `failed` there once is not
    tried again.
    """
    if at == len(phrase):
        return ()
    if (at, position) in failed:
        return None
    slot, here = phrase[at], position
    if slot.gap:
        for skipped in range(LONGEST_GAP + 1):
            found = _match(phrase, at + 1, words, position + skipped, clause, failed)
            if found is not None:
                return found
        failed.add((at, position))
        return None
    # Articles between the words of a phrase mean nothing; before its first word they are not it.
    while at > 0 and here < len(words) and words[here].skippable and not slot.accepts(words[here]):
        here += 1
    if here < len(words) and words[here].clause == clause and slot.accepts(words[here]):
        rest = _match(phrase, at + 1, words, here + 1, clause, failed)
        if rest is not None:
            return rest if slot.beside else (here, *rest)
    if slot.optional:
        return _match(phrase, at + 1, words, position, clause, failed)
    failed.add((at, position))
    return None
