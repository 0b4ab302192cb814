"""Texts that nobody vouches for, for files and logs that other programs read line by line."""

from __future__ import annotations

import unicodedata

LONGEST = 200
"""Characters of a user's text that a message quotes."""

_TURNING = frozenset("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def one_line(text: str, longest: int = LONGEST) -> str:
    """The text on one line, shortened, with every character spelt out that a terminal or an XML
    parser would trip over, or that is not seen at all.

    >>> one_line("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    >>> one_line("abcdef", longest=4)
    'abc…'
    """
    shown = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return "".join(map(_visible, shown))


def _visible(character: str) -> str:
    no_character = ord(character) & 0xFFFE == 0xFFFE
    hidden = no_character or unicodedata.category(character) in _HIDDEN
    turning = unicodedata.bidirectional(character) in _TURNING
    return character.encode("unicode_escape").decode() if hidden or turning else character
