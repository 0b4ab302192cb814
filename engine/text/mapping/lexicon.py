"""The synonym table, compiled for one vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.base.errors import InputError
from engine.text.mapping.phrases import MOST_SLOTS, Phrase, parse_phrase
from engine.text.mapping.query_words import EGO, STOP_WORDS, reduce_form, split_words
from engine.text.mapping.table import (
    find_concepts,
    is_plain,
    load_table,
    load_word_classes,
    normalise_words,
    split_alternatives,
)

EXACT, OWN_SYNONYM, SYNONYM, LOOSE = 1.0, 0.97, 0.95, 0.85
"""Scores of evidence that is read from words, not from similarity. What the dataset itself says of
a phrase counts for more than what the table says of it."""

ANYWHERE, IN_SCENERY, ALONE = "anywhere", "in scenery", "alone"
"""Where a phrase counts: in any company, beside words of places and weather, or with nothing."""

ANY_KEYWORD = -1
"""Whom an exception concerns that is no keyword's own: a compound like "bus stop"."""

_NEGATIVE_PREFIXES = ("non", "no", "not")


@dataclass(frozen=True, slots=True)
class Rule:
    """One phrase that is evidence for the keyword with this number in the vocabulary."""

    keyword: int
    phrase: Phrase
    score: float
    why: str
    setting: str = ANYWHERE


@dataclass(frozen=True, slots=True)
class WordException:
    """A phrase whose words do not speak for this keyword one by one."""

    keyword: int
    phrase: Phrase


@dataclass(frozen=True, slots=True)
class Composite:
    """A keyword made of relation words only, found in any order: one stem set per word."""

    keyword: int
    parts: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything the mapper reads from words, for one vocabulary of (group, name) keywords."""

    rules: Mapping[str, tuple[Rule, ...]]
    exceptions: Mapping[str, tuple[WordException, ...]]
    never: Mapping[str, tuple[WordException, ...]]
    composites: tuple[Composite, ...]
    opposite_of: Mapping[int, int]
    contrasts: Mapping[str, str]
    neutral: frozenset[str]
    spelling: Mapping[str, str]
    companions: frozenset[str]
    generic: frozenset[int]
    scenery: frozenset[int]
    scenery_words: frozenset[str]


def compile_lexicon(
    names: Sequence[str],
    extra: Mapping[str, Sequence[str]] | None = None,
    never: Mapping[str, Sequence[str]] | None = None,
    *,
    compounds: bool = True,
) -> Lexicon:
    """The rules for a vocabulary.

    `extra` are a dataset's own synonyms by keyword, `never` phrases that do not mean the keyword.
    `compounds`: whether the table's compounds are read as such, as they are where it knows the
    field.
    """
    entries = load_table()
    rules: list[Rule] = []
    exceptions: list[WordException] = []
    if compounds:
        exceptions += [_exception(ANY_KEYWORD, p) for p in entries["compounds"]["phrases"]]
    for number, name in enumerate(names):
        rules += _rules_of(number, name)
        for concept in find_concepts(name):
            exceptions += [_exception(number, phrase) for phrase in concept.unless]
    rules += _extra_rules(names, extra or {})
    return Lexicon(
        rules=_by_first_word(rules),
        exceptions=_by_first_word(exceptions),
        never=compile_exceptions(_by_keyword(names, never or {})),
        composites=tuple(_composites(names, entries["relations"])),
        opposite_of=_opposites(names),
        contrasts=_contrasts(entries["contrasts"]["pairs"]),
        neutral=frozenset(reduce_form(word) for word in entries["neutral"]["words"]),
        spelling=entries["spelling"],
        companions=frozenset(reduce_form(word) for word in entries["generic"]["companions"]),
        generic=frozenset(n for n, name in enumerate(names) if name in entries["generic"]["names"]),
        scenery=frozenset(n for n, name in enumerate(names) if _is_scenery(name)),
        scenery_words=frozenset(reduce_form(word) for word in entries["scenery"]["words"]),
    )


def _is_scenery(name: str) -> bool:
    return any(concept.kind in ("place", "scene") for concept in find_concepts(name))


def _rules_of(number: int, name: str) -> Iterable[Rule]:
    for spelling in split_alternatives(name):
        words = _plain(spelling)
        if 0 < len(words.split()) <= MOST_SLOTS:  # nobody types a longer name word for word
            yield Rule(number, parse_phrase(words, {}), EXACT, "exact")
            for phrase in _say_absence(words.split()):
                yield Rule(number, parse_phrase(phrase, {}), SYNONYM, "synonym")
    for concept in find_concepts(name):
        for phrases, score, setting in (
            (concept.phrases, SYNONYM, ANYWHERE),
            (concept.loose, LOOSE, ANYWHERE),
            (concept.in_scenery, SYNONYM, IN_SCENERY),
            (concept.alone, SYNONYM, ALONE),
        ):
            for phrase in phrases:
                yield Rule(number, _compile(phrase), score, "synonym", setting)


def _say_absence(words: Sequence[str]) -> Iterable[str]:
    """How else a keyword is said that names what is not there: "sugar-free" is "no sugar"."""
    if not 1 < len(words) < MOST_SLOTS - 1:
        return
    if words[-1] == "free":
        missing = " ".join(words[:-1])
    elif words[0] in _NEGATIVE_PREFIXES:
        missing = " ".join(words[1:])
    else:
        return
    yield f"no|without|zero|non|not added|extra? {missing}"
    yield f"{missing} free"
    yield f"free of|from {missing}"


def _compile(phrase: str, spelling: Mapping[str, str] | None = None) -> Phrase:
    parted = phrase.replace("-", " ").replace("/", " ")
    return parse_phrase(parted, load_word_classes(), spelling or {})


def compile_own_phrase(phrase: str) -> Phrase:
    """A phrase that a dataset gives; plain words are read as those of a query are.

    >>> compile_own_phrase("Past OUR car, on-wheels") == compile_own_phrase("past ego on wheel")
    True
    """
    if is_plain(phrase):
        words = split_words(phrase, {})
        phrase = " ".join(EGO if word.stem == EGO else word.written for word in words) or phrase
    return _compile(phrase, load_table()["spelling"])


def compile_exceptions(
    phrases: Iterable[tuple[int, str]],
) -> dict[str, tuple[WordException, ...]]:
    """A dataset's phrases that never mean the keyword of this number, by their first words."""
    return _by_first_word(
        [WordException(number, compile_own_phrase(phrase)) for number, phrase in phrases]
    )


def _exception(keyword: int, phrase: str) -> WordException:
    return WordException(keyword, _compile(phrase))


def _extra_rules(names: Sequence[str], extra: Mapping[str, Sequence[str]]) -> Iterable[Rule]:
    for number, phrase in _by_keyword(names, extra):
        yield Rule(number, compile_own_phrase(phrase), OWN_SYNONYM, "synonym")


def _by_keyword(
    names: Sequence[str], phrases: Mapping[str, Sequence[str]]
) -> Iterable[tuple[int, str]]:
    """Phrases that a dataset gives by keyword, each with the keyword's number."""
    if not phrases:
        return
    numbers: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        numbers.setdefault(normalise_words(name), []).append(number)
    for keyword, listed in phrases.items():
        for number in numbers.get(normalise_words(keyword), ()):
            yield from ((number, phrase) for phrase in listed)


def _plain(text: str) -> str:
    """A name as a phrase: its words alone, whatever marks the vocabulary has in it."""
    return " ".join(word.written for word in split_words(text, load_table()["spelling"]))


_R = TypeVar("_R", Rule, WordException)


def _by_first_word(rules: Iterable[_R]) -> dict[str, tuple[_R, ...]]:
    """Rules under every stem (or `=form`) that their first words can be, for a quick look-up."""
    index: dict[str, list[_R]] = {}
    for rule in rules:
        for key in _first_keys(rule.phrase):
            index.setdefault(key, []).append(rule)
    return {key: tuple(found) for key, found in index.items()}


def _first_keys(phrase: Phrase) -> set[str]:
    keys: set[str] = set()
    for slot in phrase:
        keys |= slot.stems | {f"={form}" for form in slot.forms}
        if not slot.optional and not slot.gap:
            return keys
    return keys


def _composites(
    names: Sequence[str], relations: Mapping[str, Sequence[str]]
) -> Iterable[Composite]:
    members = {reduce_form(word): {reduce_form(m) for m in ms} for word, ms in relations.items()}
    for number, name in enumerate(names):
        stems = [word.stem for word in split_words(name, {}) if word.form not in STOP_WORDS]
        if len(stems) > 1 and all(stem in members for stem in stems):
            yield Composite(number, tuple(frozenset(members[stem]) for stem in stems))


def _opposites(names: Sequence[str]) -> dict[int, int]:
    """From a keyword to the one that says it does not hold: intersection → non-intersection."""
    found = {}
    forms = {normalise_words(name): number for number, name in enumerate(names)}
    for number, name in enumerate(names):
        words = [word.form for word in split_words(name, {})]
        if len(words) > 1 and words[0] in _NEGATIVE_PREFIXES:
            denied = forms.get(normalise_words(" ".join(words[1:])))
            if denied is not None:
                found[denied] = number
                found[number] = denied
    return found


def _contrasts(pairs: Sequence[Sequence[str]]) -> dict[str, str]:
    both = {}
    for one, other in pairs:
        both[reduce_form(one)] = reduce_form(other)
        both[reduce_form(other)] = reduce_form(one)
    return both


def check_phrases(table: object, name: str) -> dict[str, list[str]]:
    """A dataset's `[synonyms]` or `[never_means]`, as lists of phrases by keyword."""
    if not isinstance(table, Mapping):
        raise InputError(f"[{name}] must be a table", hint='write "bicyclist" = ["velo"]')
    checked = {}
    for keyword, phrases in table.items():
        if not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            raise InputError(
                f"[{name}] {keyword!r} must be a list of phrases",
                hint=f'write "{keyword}" = ["…", "…"]',
            )
        for phrase in phrases:
            try:
                compile_own_phrase(phrase)
            except InputError as error:
                raise InputError(
                    f"[{name}] {keyword!r}: {error.message}", hint=error.hint
                ) from error
        checked[str(keyword)] = list(phrases)
    return checked
