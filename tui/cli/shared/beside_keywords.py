"""What a text says beside the keywords that count, as commands print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.look.safe import escape

if TYPE_CHECKING:
    from engine.text.mapping.mapper import KeywordMapping


def describe_unexplained(mapping: KeywordMapping) -> str:
    """The words, and the keywords that come nearest to them; empty if all are understood."""
    if not mapping.unexplained:
        return ""
    from engine.text.mapping.query_words import split_words

    def words_of(text: str) -> set[str]:
        return {text[word.start : word.end] for word in split_words(text, {})}

    near = [item for item in mapping.near if words_of(item.ngram) & set(mapping.unexplained)]
    names = ", ".join(f'{item.keyword.name} ("{item.ngram}" {item.score:.2f})' for item in near)
    nearest = f"; nearest: {names}" if near else ""
    return escape(f"not understood: {' · '.join(mapping.unexplained)}{nearest}")


def describe_outside(mapping: KeywordMapping) -> str:
    """Keywords that the text names though their groups were not chosen; empty if there are none."""
    names = ", ".join(
        f'{item.keyword.name} ("{item.ngram}", {item.keyword.group})' for item in mapping.outside
    )
    return escape(f"not in the chosen groups: {names}") if names else ""
