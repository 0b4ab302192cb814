"""Texts that nobody vouches for, as HTML that shows them and does nothing else."""

from __future__ import annotations

import re
from html import escape

from engine.base.messages import visible

LONGEST = 400
"""Characters of one text that are shown; the rest is counted."""

_HIDDEN = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
_UNSEEN = "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060\ufeff" + "".join(
    map(chr, range(0xE0000, 0xE0080))
)


def text(value: str) -> str:
    """A text as it stands, on one line, with every control character made visible.

    >>> text('<b>"a"\\x1b')
    '&lt;b&gt;&quot;a&quot;\\\\x1b'
    """
    return escape("".join(visible(c, _HIDDEN, _UNSEEN) for c in value), quote=True)


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
