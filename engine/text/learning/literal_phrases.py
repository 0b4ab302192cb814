"""Phrases that mean exactly their words, written in the grammar of the synonym table."""

from __future__ import annotations

from collections.abc import Sequence

from engine.base.errors import InputError
from engine.text.mapping.query_words import EGO, REQUEST_WORDS, Word, split_words
from engine.text.mapping.table import is_plain, load_table

LONGEST_LITERAL = 8
"""Words; whoever teaches a longer phrase will hardly ever meet it again."""


def write_literal(text: str) -> str:
    """The phrase that stands for these words, as they were typed, but for marks and capitals.

    Articles mean nothing in a phrase and are left out. Raises `InputError` for a text that no
    query can say as one phrase.

    >>> write_literal("The articulated LORRY?"), write_literal("behind our car")
    ('articulated lorry', 'behind our car')
    """
    spelling = load_table()["spelling"]
    words = [word for word in split_words(text, spelling) if not word.skippable]
    if not _says_something(words):
        raise InputError(f'"{text}" has no word that says something', hint="name what is meant")
    if len(words) > LONGEST_LITERAL:
        raise InputError(
            f"the phrase has {len(words)} words", hint=f"name at most {LONGEST_LITERAL} of them"
        )
    written = " ".join(_as_typed(word, text) for word in words)
    parted = any(word.after_comma or word.clause != words[0].clause for word in words[1:])
    stems = [word.stem for word in words]
    again = [word.stem for word in split_words(written, spelling)]
    if parted or not is_plain(written) or again != stems:
        raise InputError(
            f'"{text}" is not one phrase', hint="name words that stand together in one sentence"
        )
    return written


def _as_typed(word: Word, text: str) -> str:
    """In lower case, before it is taken for another: for "curb", or for "ego"."""
    said = text[word.start : word.end]
    return " ".join(said.casefold().split()) if word.stem == EGO else split_words(said, {})[0].form


def _says_something(words: Sequence[Word]) -> bool:
    """A word of content does; one that says where or when ("behind us") in company only."""
    telling = (not word.is_stop_word and word.form not in REQUEST_WORDS for word in words)
    return any(word.has_content for word in words) or (len(words) > 1 and any(telling))
