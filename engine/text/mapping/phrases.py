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


def parse_phrase(text: str, classes: Mapping[str, Sequence[str]]) -> Phrase:
    """Compile one phrase of the table.

    >>> len(parse_phrase("turn left|right? across ... path", {}))
    5
    """
    slots: list[Slot] = []
    for part in text.split():
        if part == "...":
            slots.append(Slot(gap=True))
            continue
        slots.append(_parse_slot(part, classes, text))
    if not any(_must_stand(slot) for slot in slots) or len(slots) > MOST_SLOTS:
        raise InputError(
            f"the phrase {text!r} has no word that must stand, or more than {MOST_SLOTS} parts",
            hint="write plain words, a|b for either, word? for optional, ... for a gap",
        )
    return tuple(slots)


def _must_stand(slot: Slot) -> bool:
    return not slot.optional and not slot.gap and not slot.beside


def _parse_slot(part: str, classes: Mapping[str, Sequence[str]], phrase: str) -> Slot:
    stems: set[str] = set()
    forms: set[str] = set()
    choice = part.removesuffix("?").removeprefix("^")
    beside = choice.startswith("(") and choice.endswith(")")
    for word in choice.strip("()").split("|"):
        if word.startswith("@"):
            if word[1:] not in classes:
                raise InputError(
                    f"the phrase {phrase!r} names an unknown class {word!r}",
                    hint=f"known classes: {', '.join(sorted(classes))}",
                )
            stems.update(reduce_form(member) for member in classes[word[1:]])
        elif word.startswith("="):
            forms.add(word[1:].casefold())
        else:
            stems.add(reduce_form(word.casefold()))
    return Slot(
        frozenset(stems),
        frozenset(forms),
        optional=part.endswith("?"),
        leads=part.startswith("^"),
        beside=beside,
    )


def find_phrase(phrase: Phrase, words: Sequence[Word], start: int) -> tuple[int, ...] | None:
    """Positions of the words that the phrase covers if it begins at `start`; gaps are not its own.

    >>> from engine.text.mapping.query_words import split_words
    >>> words = split_words("cars turn right across the road", {})
    >>> find_phrase(parse_phrase("turn ... across road", {}), words, 1)
    (1, 3, 5)
    """
    match = _match(phrase, 0, words, start, words[start].clause)
    return match if match and match[0] == start else None


def _match(
    phrase: Phrase, at: int, words: Sequence[Word], position: int, clause: int
) -> tuple[int, ...] | None:
    if at == len(phrase):
        return ()
    slot = phrase[at]
    if slot.gap:
        return _match_after_gap(phrase, at + 1, words, position, clause)
    here = position
    # Articles between the words of a phrase mean nothing; before its first word they are not it.
    while at > 0 and here < len(words) and words[here].skippable and not slot.accepts(words[here]):
        here += 1
    if here < len(words) and words[here].clause == clause and slot.accepts(words[here]):
        rest = _match(phrase, at + 1, words, here + 1, clause)
        if rest is not None:
            return rest if slot.beside else (here, *rest)
    return _match(phrase, at + 1, words, position, clause) if slot.optional else None


def _match_after_gap(
    phrase: Phrase, at: int, words: Sequence[Word], position: int, clause: int
) -> tuple[int, ...] | None:
    for skipped in range(LONGEST_GAP + 1):
        match = _match(phrase, at, words, position + skipped, clause)
        if match is not None:
            return match
    return None
