"""Text from a user's file, made harmless for a terminal."""

from __future__ import annotations

import re

CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters that speak to the terminal, or turn the writing around, in place of being shown."""


def safe(text: str, keep: str = "") -> str:
    """Text from a user's file on one line, with every control character made visible.

    >>> safe("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """

    def visible(match: re.Match[str]) -> str:
        character = match.group()
        return character if character in keep else character.encode("unicode_escape").decode()

    return CONTROL.sub(visible, text)
