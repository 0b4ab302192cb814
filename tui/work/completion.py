"""Completion of what is typed: queries asked before, keywords of the vocabulary, clip ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Completer(NamedTuple):
    """What can be completed; `clips` are sorted.

    >>> completer = Completer.of(["entering ego path", "bicyclist"], ["urban_1", "test_2"])
    >>> completer.text("bicyclist ent"), completer.clip("ur"), completer.text("zebra")
    ('bicyclist entering ego path', 'urban_1', None)
    """

    keywords: tuple[str, ...]
    clips: tuple[str, ...]

    @classmethod
    def of(cls, keywords: Iterable[str], clips: Iterable[str]) -> Completer:
        return cls(tuple(sorted(set(keywords))), tuple(sorted(clips)))

    def text(self, typed: str, history: Sequence[str] = ()) -> str | None:
        """The whole query that the typed text is the beginning of.

        The newest query that begins so; else the keyword that its last words begin, the most
        words first.
        """
        if not typed.strip():
            return None
        for query in reversed(history):
            if query.startswith(typed) and query != typed:
                return query
        words = typed.split(" ")
        for start in range(len(words)):
            begun = " ".join(words[start:])
            found = _find_first(self.keywords, begun.lower()) if begun.strip() else None
            if found is not None and found != begun.lower():
                return " ".join([*words[:start], begun + found[len(begun.lower()) :]])
        return None

    def clip(self, typed: str) -> str | None:
        """The first clip id that begins so."""
        return _find_first(self.clips, typed) if typed else None


def _find_first(names: Sequence[str], begun: str) -> str | None:
    """The first of sorted names that begins so."""
    place = bisect_left(names, begun)
    return names[place] if place < len(names) and names[place].startswith(begun) else None


NOTHING_YET = Completer((), ())
