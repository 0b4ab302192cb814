"""Text from a user's file, made harmless for a terminal."""

from __future__ import annotations

import re

CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters that speak to the terminal, turn the writing around, or are not seen at all, in place
of being shown."""


def escape(text: str, keep: str = "") -> str:
    """Text from a user's file on one line, with every control character made visible.

    >>> escape("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """

    def visible(match: re.Match[str]) -> str:
        character = match.group()
        return character if character in keep else character.encode("unicode_escape").decode()

    return CONTROL.sub(visible, text)
