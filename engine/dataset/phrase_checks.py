"""What a dataset's phrases say that its author may not have meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.base.keyword import Keyword
from engine.base.messages import list_names
from engine.dataset.phrase_tables import (
    NEVER_MEANS,
    SYNONYMS,
    PhraseTables,
    gather_phrases,
    normalise_keyword,
    normalise_phrase,
)


def check_phrase_tables(tables: PhraseTables, keywords: Sequence[Keyword]) -> Iterator[str]:
    """What to know of the tables of a vocabulary, a sentence for each.

    >>> deer = Keyword("animal", "deer")
    >>> list(check_phrase_tables(PhraseTables({"deer": ["stag"]}, {"Deer": ["stags"]}), [deer]))
    ['"stag" is a synonym of "deer" that [never_means] forbids by "stags"']
    """
    yield from _find_unknown(tables, keywords)
    for name, table in ((SYNONYMS, tables.synonyms), (NEVER_MEANS, tables.never_means)):
        yield from _find_repeated_keywords(name, table)
    yield from _find_shared(tables.synonyms, keywords)
    yield from _find_vetoed(tables)


def _find_unknown(tables: PhraseTables, keywords: Sequence[Keyword]) -> Iterator[str]:
    known = {normalise_keyword(keyword.name) for keyword in keywords}
    for name in dict.fromkeys((*tables.synonyms, *tables.never_means)):
        if normalise_keyword(name) not in known:
            yield f"{name!r} is no keyword of the annotations: its phrases are never used"


def _find_repeated_keywords(name: str, table: Mapping[str, Sequence[str]]) -> Iterator[str]:
    spellings: dict[str, list[str]] = {}
    for keyword in table:
        spellings.setdefault(normalise_keyword(keyword), []).append(keyword)
    for same in spellings.values():
        if len(same) > 1:
            listed = list_names(f'"{keyword}"' for keyword in same)
            yield f"[{name}] has one keyword as {listed}: their phrases count together"


def _find_shared(table: Mapping[str, Sequence[str]], keywords: Sequence[Keyword]) -> Iterator[str]:
    """The phrases of two keywords of one group: a word speaks for one of them only."""
    owners: dict[tuple[str, str], dict[Keyword, str]] = {}
    phrases = gather_phrases(table)
    for keyword in keywords if phrases else ():
        for phrase in phrases.get(normalise_keyword(keyword.name), ()):
            key = (keyword.group, normalise_phrase(phrase))
            owners.setdefault(key, {}).setdefault(keyword, phrase)
    for (group, _), said in owners.items():
        if len(said) > 1:
            names = list_names(f'"{keyword.name}"' for keyword in said)
            phrase = next(iter(said.values()))
            yield f'"{phrase}" is a synonym of {names} in {group}: it can mean only one of them'


def _find_vetoed(tables: PhraseTables) -> Iterator[str]:
    from engine.text.mapping.evidence import find_vetoes

    forbidden = gather_phrases(tables.never_means)
    for keyword, phrases in tables.synonyms.items() if forbidden else ():
        never = forbidden.get(normalise_keyword(keyword), [])
        same: dict[str, set[int]] = {}
        for place, phrase in enumerate(never):
            same.setdefault(normalise_phrase(phrase), set()).add(place)
        for phrase, vetoes in zip(phrases, find_vetoes(phrases, never), strict=True):
            for place in sorted(vetoes | same.get(normalise_phrase(phrase), set())):
                said = f'"{phrase}" is a synonym of "{keyword}"'
                yield f'{said} that [{NEVER_MEANS}] forbids by "{never[place]}"'
