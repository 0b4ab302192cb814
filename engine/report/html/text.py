"""Texts that nobody vouches for, as HTML that shows them and does nothing else."""

from __future__ import annotations

import re
import unicodedata
from html import escape

LONGEST = 400
"""Characters of one text that are shown; the rest is counted."""

_TURNING = frozenset("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())
_HIDDEN = "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060\ufeff"


def text(value: str) -> str:
    """A text as it stands, on one line, with every control character made visible.

    >>> text('<b>"a"\\x1b')
    '&lt;b&gt;&quot;a&quot;\\\\x1b'
    """
    return escape("".join(map(_visible, value)), quote=True)


def short(value: str, longest: int = LONGEST) -> str:
    """As `text`; of a very long one the beginning, and how long it is.

    >>> short("abcdef", longest=3)
    'abc … (6 characters)'
    """
    more = f" … ({len(value):,} characters)" if len(value) > longest else ""
    return text(value[:longest]) + more


def user(value: str, longest: int = LONGEST) -> str:
    """A user's text, cut if it is very long; its direction of writing turns nothing around it.

    >>> user("rain")
    '<bdi>rain</bdi>'
    """
    return f"<bdi>{short(value, longest)}</bdi>"


def slug(value: str) -> str:
    """A text as an id of an element.

    >>> slug("Text queries: P@5")
    'text-queries-p-5'
    """
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-") or "part"


def shortened(value: str, most: int) -> str:
    """A name in at most so many characters, its end kept: that is where names differ.

    >>> shortened("alfa-0.1", 12), shortened("a-very-long-model-name-v2", 12)
    ('alfa-0.1', 'a-ver…ame-v2')
    """
    if len(value) <= most:
        return value
    end = most // 2
    return f"{value[: most - end - 1]}…{value[-end:]}"


def _visible(character: str) -> str:
    """What is not seen, or turns the writing around, spelt out."""
    hidden = (
        unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
        or unicodedata.bidirectional(character) in _TURNING
        or character in _HIDDEN
        or "\U000e0000" <= character <= "\U000e007f"
    )
    return character.encode("unicode_escape").decode() if hidden else character
