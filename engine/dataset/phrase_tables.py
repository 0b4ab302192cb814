"""`[synonyms]` and `[never_means]` of a TOML text: what they say, and how one phrase is added.

Everything else stays as it was typed: comments, order, the way in which lists are broken.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.base.errors import InputError

SYNONYMS, NEVER_MEANS = "synonyms", "never_means"

Table = Mapping[str, list[str]]
"""Phrases by keyword."""


@dataclass(frozen=True, slots=True)
class PhraseTables:
    """What phrases mean a keyword, and what phrases never do."""

    synonyms: Table = field(default_factory=dict)
    never_means: Table = field(default_factory=dict)

    def overlaid(self, later: PhraseTables) -> PhraseTables:
        """These and later ones; where they contradict each other, the later ones count.

        >>> first = PhraseTables({"truck": ["rig", "van"]})
        >>> first.overlaid(PhraseTables({"truck": ["lorry"]}, {"Truck": ["van"]}))
        PhraseTables(synonyms={'truck': ['rig', 'lorry']}, never_means={'Truck': ['van']})
        """
        return PhraseTables(
            _join(_without(self.synonyms, later.never_means), later.synonyms),
            _join(_without(self.never_means, later.synonyms), later.never_means),
        )


def _without(table: Table, contrary: Table) -> dict[str, list[str]]:
    said = {_say(keyword, phrase) for keyword, phrases in contrary.items() for phrase in phrases}
    kept = {
        keyword: [phrase for phrase in phrases if _say(keyword, phrase) not in said]
        for keyword, phrases in table.items()
    }
    return {keyword: phrases for keyword, phrases in kept.items() if phrases}


def _join(table: Table, more: Table) -> dict[str, list[str]]:
    joined = {keyword: list(phrases) for keyword, phrases in table.items()}
    first = {normalise_keyword(keyword): keyword for keyword in reversed(joined)}
    said = {_say(keyword, phrase) for keyword, phrases in table.items() for phrase in phrases}
    for keyword, phrases in more.items():
        own = joined.setdefault(first.setdefault(normalise_keyword(keyword), keyword), [])
        fresh = [phrase for phrase in phrases if _say(keyword, phrase) not in said]
        own += fresh
        said.update(_say(keyword, phrase) for phrase in fresh)
    return joined


def _say(keyword: str, phrase: str) -> tuple[str, str]:
    return normalise_keyword(keyword), normalise_phrase(phrase)


def normalise_keyword(name: str) -> str:
    """One form for all spellings of a keyword: the mapper takes them for the same."""
    from engine.text.mapping.table import normalise_words

    return normalise_words(name)


def normalise_phrase(text: str) -> str:
    """One form for all spellings of a plain phrase; another phrase as it is."""
    from engine.text.mapping.table import is_plain, normalise_words

    return normalise_words(text) if is_plain(text) else text


def _has(phrases: Sequence[str], phrase: str) -> bool:
    return any(normalise_phrase(other) == normalise_phrase(phrase) for other in phrases)


def find_keys(table: Mapping[str, Any], keyword: str) -> list[str]:
    """How a table spells a keyword; in more than one way, maybe."""
    wanted = normalise_keyword(keyword)
    return [key for key in table if normalise_keyword(key) == wanted]


def list_phrases(table: Mapping[str, Sequence[str]], keyword: str) -> list[str]:
    """What a table has for a keyword, by all its spellings.

    >>> list_phrases({"Truck": ["rig"], "trucks": ["lorry"]}, "truck")
    ['rig', 'lorry']
    """
    return [phrase for key in find_keys(table, keyword) for phrase in table[key]]


def gather_phrases(table: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What a table has for every keyword, by the one form of all its spellings: `list_phrases` for
    those who ask for many keywords.

    >>> gather_phrases({"Truck": ["rig"], "trucks": ["lorry"]})
    {'truck': ['rig', 'lorry']}
    """
    gathered: dict[str, list[str]] = {}
    for keyword, phrases in table.items():
        gathered.setdefault(normalise_keyword(keyword), []).extend(phrases)
    return gathered


def add_phrase(text: str, keyword: str, phrase: str, *, never: bool) -> str:
    """The TOML text in which the phrase means the keyword, or never does; it says the contrary no
    longer.

    >>> print(add_phrase("[synonyms]  # ours\\ntruck = ['rig']\\n", "truck", "lorry", never=False))
    [synonyms]  # ours
    truck = ['rig', "lorry"]
    <BLANKLINE>
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    name, contrary = (NEVER_MEANS, SYNONYMS) if never else (SYNONYMS, NEVER_MEANS)
    expected = tomllib.loads(text)
    try:
        _take_out(expected.get(contrary, {}), keyword, phrase)
        _put_in(expected.setdefault(name, {}), keyword, phrase)
        document = tomlkit.parse(text)
        _take_out(document.get(contrary, {}), keyword, phrase)
        if name not in document:
            document[name] = tomlkit.table()
        _put_in(document[name], keyword, phrase)
        changed = _end_lines_alike(tomlkit.dumps(document), text)
    except (TOMLKitError, TypeError, ValueError, AttributeError) as error:
        raise _cannot_change(name, keyword, phrase) from error
    # Whatever the text was like, it now says what it should, and nothing else has changed.
    if _loads(changed) != expected:
        raise _cannot_change(name, keyword, phrase)
    return changed


def _end_lines_alike(changed: str, text: str) -> str:
    """With the line ends of Windows, if all lines of the text end so."""
    if "\r\n" not in text or text.count("\n") != text.count("\r\n"):
        return changed
    return changed.replace("\r\n", "\n").replace("\n", "\r\n")


def _loads(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _cannot_change(name: str, keyword: str, phrase: str) -> InputError:
    return InputError(
        f"[{name}] is written in a way that cannot be added to",
        hint=f'write below [{name}]: "{keyword}" = ["{phrase}"]',
    )


def _take_out(table: Any, keyword: str, phrase: str) -> None:
    for key in find_keys(table, keyword):
        phrases = table[key]
        if not _has(phrases, phrase):
            continue
        for place in reversed(range(len(phrases))):
            if normalise_phrase(phrases[place]) == normalise_phrase(phrase):
                del phrases[place]
        if not phrases:
            del table[key]


def _put_in(table: Any, keyword: str, phrase: str) -> None:
    keys = find_keys(table, keyword)
    if not keys:
        table[keyword] = [phrase]
    elif not _has(list_phrases(table, keyword), phrase):
        table[keys[0]].append(phrase)
