"""The synonym table as it is written: concepts, their names, and classes of words."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from engine.text.mapping.query_words import STOP_WORDS, split_words


@dataclass(frozen=True, slots=True)
class Concept:
    """What a keyword may mean: how it is called, and by which phrases it is said."""

    names: frozenset[str]
    kind: str
    phrases: tuple[str, ...]
    loose: tuple[str, ...]
    in_scenery: tuple[str, ...]
    alone: tuple[str, ...]
    unless: tuple[str, ...]


@lru_cache(maxsize=1)
def load_table() -> dict[str, Any]:
    text = files("engine.text.mapping").joinpath("synonyms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=1)
def _concepts() -> tuple[Concept, ...]:
    entries = load_table()["concept"]
    by_name = {normalise_words(name): entry for entry in entries for name in entry["names"]}
    concepts = []
    for entry in entries:
        phrases = [*entry["names"], *entry.get("phrases", [])]
        for included in entry.get("includes", []):
            narrower = by_name[normalise_words(included)]
            phrases += [*narrower["names"], *narrower.get("phrases", [])]
        concepts.append(
            Concept(
                names=frozenset(normalise_words(name) for name in entry["names"]),
                kind=entry.get("kind", ""),
                phrases=tuple(phrases),
                loose=tuple(entry.get("loose", [])),
                in_scenery=tuple(entry.get("in_scenery", [])),
                alone=tuple(entry.get("alone", [])),
                unless=tuple(entry.get("unless", [])),
            )
        )
    return tuple(concepts)


@lru_cache(maxsize=1)
def load_word_classes() -> dict[str, list[str]]:
    """The word classes of the table; @actor and @place also hold what their concepts are called."""
    classes = {name: list(words) for name, words in load_table()["classes"].items()}
    for concept in _concepts():
        if concept.kind in classes:
            last_words = (phrase.split()[-1] for phrase in concept.phrases if is_plain(phrase))
            classes[concept.kind] += [word for word in last_words if word not in STOP_WORDS]
    return classes


def is_plain(phrase: str) -> bool:
    return not set(phrase) & set("|@?=.^()")


def normalise_words(text: str) -> str:
    """Words reduced and joined, so that spellings of one name meet.

    >>> normalise_words("Parking-Lots") == normalise_words("parking lot")
    True
    """
    return " ".join(word.stem for word in split_words(text, load_table()["spelling"]))


def split_alternatives(name: str) -> list[str]:
    """What a keyword with a slash stands for: itself, and each side.

    >>> split_alternatives("parking lot/depot")
    ['parking lot depot', 'parking lot', 'depot']
    """
    parts = [part.strip() for part in name.split("/") if part.strip()]
    return [name.replace("/", " "), *parts] if len(parts) > 1 else [name]


@lru_cache(maxsize=1)
def _concepts_by_name() -> dict[str, list[Concept]]:
    named: dict[str, list[Concept]] = {}
    for concept in _concepts():
        for name in concept.names:
            named.setdefault(name, []).append(concept)
    return named


@lru_cache(maxsize=50_000)
def find_concepts(name: str) -> tuple[Concept, ...]:
    """What a keyword of this name means to the table; nothing if it does not know it."""
    spellings = dict.fromkeys(normalise_words(spelling) for spelling in split_alternatives(name))
    found = (concept for s in spellings for concept in _concepts_by_name().get(s, ()))
    return tuple(dict.fromkeys(found))
