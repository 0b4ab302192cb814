"""The synonym table, compiled for one vocabulary."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from engine.errors import InputError
from engine.mapping.phrases import Phrase, parse_phrase
from engine.mapping.words import STOP_WORDS, reduce_form, split_words

EXACT, SYNONYM, LOOSE = 1.0, 0.95, 0.85
"""Scores of evidence that is read from words, not from similarity."""

_NEGATIVE_PREFIXES = ("non", "no", "not")


@dataclass(frozen=True, slots=True)
class Rule:
    """One phrase that is evidence for the keyword with this number in the vocabulary."""

    keyword: int
    phrase: Phrase
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Composite:
    """A keyword made of relation words only, found in any order: one stem set per word."""

    keyword: int
    parts: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything the mapper reads from words, for one vocabulary of (group, name) keywords."""

    rules: Mapping[str, tuple[Rule, ...]]
    composites: tuple[Composite, ...]
    prototypes: tuple[tuple[str, int], ...]
    opposite_of: Mapping[int, int]
    contrasts: Mapping[str, str]
    neutral: frozenset[str]
    spelling: Mapping[str, str]
    companions: frozenset[str]
    generic: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Concept:
    names: frozenset[str]
    phrases: tuple[str, ...]
    loose: tuple[str, ...]


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = files("engine.mapping").joinpath("synonyms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=1)
def _concepts() -> tuple[_Concept, ...]:
    entries = _table()["concept"]
    by_name = {normal_form(name): entry for entry in entries for name in entry["names"]}
    concepts = []
    for entry in entries:
        phrases = [*entry["names"], *entry.get("phrases", [])]
        for included in entry.get("includes", []):
            narrower = by_name[normal_form(included)]
            phrases += [*narrower["names"], *narrower.get("phrases", [])]
        names = frozenset(normal_form(name) for name in entry["names"])
        concepts.append(_Concept(names, tuple(phrases), tuple(entry.get("loose", []))))
    return tuple(concepts)


def normal_form(text: str) -> str:
    """Words reduced and joined, so that spellings of one name meet.

    >>> normal_form("Parking-Lots") == normal_form("parking lot")
    True
    """
    return " ".join(word.stem for word in split_words(text, _table()["spelling"]))


def compile_lexicon(
    names: Sequence[str], extra: Mapping[str, Sequence[str]] | None = None
) -> Lexicon:
    """The rules for a vocabulary; `extra` are a dataset's own synonyms by keyword."""
    table = _table()
    rules: list[Rule] = []
    prototypes: list[tuple[str, int]] = []
    for number, name in enumerate(names):
        rules += _rules_of(number, name)
        prototypes += _prototypes_of(number, name)
    rules += _extra_rules(names, extra or {})
    return Lexicon(
        rules=_by_first_word(rules),
        composites=tuple(_composites(names, table["relations"])),
        prototypes=tuple(dict.fromkeys(prototypes)),
        opposite_of=_opposites(names),
        contrasts=_contrasts(table["contrasts"]["pairs"]),
        neutral=frozenset(reduce_form(word) for word in table["neutral"]["words"]),
        spelling=table["spelling"],
        companions=frozenset(reduce_form(word) for word in table["generic"]["companions"]),
        generic=frozenset(n for n, name in enumerate(names) if name in table["generic"]["names"]),
    )


def alternatives(name: str) -> list[str]:
    """What a keyword with a slash stands for: itself, and each side.

    >>> alternatives("parking lot/depot")
    ['parking lot depot', 'parking lot', 'depot']
    """
    parts = [part.strip() for part in name.split("/") if part.strip()]
    return [name.replace("/", " "), *parts] if len(parts) > 1 else [name]


def _concepts_of(name: str) -> list[_Concept]:
    spellings = {normal_form(spelling) for spelling in alternatives(name)}
    return [concept for concept in _concepts() if concept.names & spellings]


def _rules_of(number: int, name: str) -> Iterable[Rule]:
    classes = _table()["classes"]
    for spelling in alternatives(name):
        if words := _plain(spelling):
            yield Rule(number, parse_phrase(words, {}), EXACT, "exact")
    for concept in _concepts_of(name):
        for phrases, score in ((concept.phrases, SYNONYM), (concept.loose, LOOSE)):
            for phrase in phrases:
                compiled = parse_phrase(_plain_keeping_marks(phrase), classes)
                yield Rule(number, compiled, score, "synonym")


def _extra_rules(names: Sequence[str], extra: Mapping[str, Sequence[str]]) -> Iterable[Rule]:
    classes = _table()["classes"]
    for keyword, phrases in extra.items():
        numbers = [n for n, name in enumerate(names) if normal_form(name) == normal_form(keyword)]
        for number in numbers:
            for phrase in phrases:
                compiled = parse_phrase(_plain_keeping_marks(phrase), classes)
                yield Rule(number, compiled, SYNONYM, "synonym")


def _plain(text: str) -> str:
    """A name as a phrase: its words alone, whatever marks the vocabulary has in it."""
    return " ".join(word.form for word in split_words(text, _table()["spelling"]))


def _plain_keeping_marks(phrase: str) -> str:
    return phrase.replace("-", " ").replace("/", " ")


def _prototypes_of(number: int, name: str) -> Iterable[tuple[str, int]]:
    """What a query's n-grams are compared with: the keyword and its plain synonyms."""
    for spelling in alternatives(name):
        if words := _plain(spelling):
            yield words, number
    for concept in _concepts_of(name):
        for phrase in concept.phrases:
            if not set(phrase) & set("|@?=.") and not phrase.startswith(_NEGATIVE_PREFIXES):
                yield _plain(phrase), number


def _by_first_word(rules: Iterable[Rule]) -> dict[str, tuple[Rule, ...]]:
    """Rules under every stem (or `=form`) that their first words can be, for a quick look-up."""
    index: dict[str, list[Rule]] = {}
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
    forms = {normal_form(name): number for number, name in enumerate(names)}
    for number, name in enumerate(names):
        words = [word.form for word in split_words(name, {})]
        if len(words) > 1 and words[0] in _NEGATIVE_PREFIXES:
            denied = forms.get(normal_form(" ".join(words[1:])))
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


def check_extra(extra: object) -> dict[str, list[str]]:
    """The `[synonyms]` table of a dataset, as lists of phrases by keyword."""
    if not isinstance(extra, Mapping):
        raise InputError("[synonyms] must be a table", hint='write "bicyclist" = ["velo"]')
    checked = {}
    for keyword, phrases in extra.items():
        if not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            raise InputError(
                f"[synonyms] {keyword!r} must be a list of phrases",
                hint=f'write "{keyword}" = ["…", "…"]',
            )
        for phrase in phrases:
            parse_phrase(_plain_keeping_marks(phrase), _table()["classes"])
        checked[str(keyword)] = list(phrases)
    return checked
