"""What was not understood, in the words that every command, screen and document uses for it, and
which keywords are offered for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.text.mapping.unexplained import UnexplainedWords

if TYPE_CHECKING:
    from engine.text.mapping.mapper import KeywordMapping, MappedKeyword

NOT_UNDERSTOOD = "not understood"
NOTHING_TO_READ = f"{NOT_UNDERSTOOD}: nothing in this text can be read, as it has no words"

_NAMED_WORDS = 5


def has_words(text: str) -> bool:
    """Whether anything of a text can be read; in pictures and punctuation alone nothing can.

    >>> has_words("a car"), has_words("🚗 !")
    (True, False)
    """
    from engine.text.mapping.query_words import split_words

    return bool(split_words(text, {}))


def list_nearest(mapping: KeywordMapping) -> tuple[MappedKeyword, ...]:
    """The keywords that come nearest to words which were not understood, the nearest first.

    One that is near to words of other keywords alone is not among them.
    """
    from engine.text.mapping.query_words import split_words

    left = set(mapping.unexplained)

    def says_what_is_left(item: MappedKeyword) -> bool:
        words = split_words(item.ngram, {})
        return any(item.ngram[word.start : word.end] in left for word in words)

    return tuple(item for item in mapping.near if says_what_is_left(item))


def join_words(words: Sequence[str], between: str = " · ") -> str:
    """The words as they are listed.

    >>> join_words(["red", "roof"])
    'not understood: red · roof'
    """
    return f"{NOT_UNDERSTOOD}: {between.join(words)}"


def describe_share(found: UnexplainedWords) -> str:
    """In how many of the mapped queries something was not understood, and which words most often.

    >>> describe_share(UnexplainedWords(8, 2, (("red", 2), ("roof", 1))))
    'not understood in 2 of 8 mapped queries (25%): red (2), roof (1)'
    """
    words = ", ".join(f"{word} ({count:,})" for word, count in found.words[:_NAMED_WORDS])
    more = len(found.words) - _NAMED_WORDS
    rest = f" and {more:,} more" if more > 0 else ""
    share = f"{found.queries:,} of {found.mapped:,} mapped queries ({found.share:.0%})"
    return f"{NOT_UNDERSTOOD} in {share}: {words}{rest}"
