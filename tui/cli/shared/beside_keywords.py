"""What a text says beside the keywords that count, as commands print it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.look.safe import escape

if TYPE_CHECKING:
    from engine.text.mapping.mapper import KeywordMapping


def describe_beside(mapping: KeywordMapping) -> list[str]:
    """All that there is to say of a text beside its keywords."""
    lines = describe_outside(mapping), *describe_set_aside(mapping), describe_unexplained(mapping)
    return [line for line in lines if line]


def describe_unexplained(mapping: KeywordMapping) -> str:
    """What was not understood, and the keywords that come nearest; empty if all was."""
    from engine.keywords.not_understood import NOTHING_TO_READ, has_words, join_words, list_nearest

    if not mapping.unexplained:
        return "" if has_words(mapping.query) else NOTHING_TO_READ
    near = list_nearest(mapping)
    names = ", ".join(f'{item.keyword.name} ("{item.ngram}" {item.score:.2f})' for item in near)
    nearest = f"; nearest: {names}" if near else ""
    return escape(f"{join_words(mapping.unexplained)}{nearest}")


def describe_outside(mapping: KeywordMapping) -> str:
    """Keywords that the text names though their groups were not chosen; empty if there are none."""
    names = ", ".join(
        f'{item.keyword.name} ("{item.ngram}", {item.keyword.group})' for item in mapping.outside
    )
    return escape(f"not in the chosen groups: {names}") if names else ""


def describe_set_aside(mapping: KeywordMapping) -> list[str]:
    """What the text denies, and what never means a keyword."""
    return [escape(line) for line in mapping.set_aside.describe()]
