"""Nouns: what the things of a dataset are called. Labelled embeddings have no clips.

Sentences are written for clips with keywords, once; `spell` says them of items with labels. It is
for our own words alone: what comes from a user's file stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset

_WORD = re.compile(r"\b(a )?(embedding )?(clip|keyword|model|video)(s?)\b", re.IGNORECASE)
_MEASURE: Final = "Recall@5"


def spell_group(group: str) -> str:
    """A group of keywords, as a screen names it; files and options have an underscore.

    >>> spell_group("object_type")
    'object type'
    """
    return group.replace("_", " ")


class Nouns(NamedTuple):
    """The words of a kind of dataset.

    has_labels  every item has one label of each group
    others      what is said in place of each word
    measure     the measure that examples name
    """

    has_labels: bool = False
    others: Mapping[str, str] = MappingProxyType({})
    measure: str = _MEASURE

    def spell(self, text: str) -> str:
        """A sentence of ours in these words.

        >>> OF_ITEMS.spell("Search with a clip. Keywords of 3 video queries, two models")
        'Search with an item. Labels of 3 item queries, two directions'
        >>> OF_CLIPS.spell("a clip")
        'a clip'
        """
        if not self.others:
            return text
        return _WORD.sub(self._other, text).replace(_MEASURE, self.measure)

    def _other(self, found: re.Match[str]) -> str:
        article, _, noun, plural = found.groups()
        other = self.others[noun.lower()]
        if noun[0].isupper():
            other = other.upper() if noun.isupper() else other.capitalize()
        if article and other[0].lower() in "aeiou":
            article = f"{article[0]}n "
        return f"{article or ''}{other}{plural}"


OF_CLIPS: Final = Nouns()
OF_ITEMS: Final = Nouns(
    has_labels=True,
    others={"clip": "item", "video": "item", "keyword": "label", "model": "direction"},
    measure="LabelScore@10",
)


def choose_nouns(dataset: Dataset) -> Nouns:
    """The words for a dataset."""
    if not dataset.has_labels:
        return OF_CLIPS
    return Nouns(True, OF_ITEMS.others, f"LabelScore@{min(dataset.ks)}")


def find_nouns(app: object) -> Nouns:
    """The words of the dataset that an app shows."""
    return getattr(app, "nouns", OF_CLIPS)
