"""Texts that nobody vouches for, as HTML that shows them and does nothing else."""

from __future__ import annotations

from html import escape

from engine.base.messages import make_visible

LONGEST_USER_TEXT = 400
"""Characters of one text that are shown; the rest is counted."""

_HIDDEN = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
_UNSEEN = "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060\ufeff" + "".join(
    map(chr, range(0xE0000, 0xE0080))
)


def to_html(value: str) -> str:
    """A text as it stands, on one line, with every control character made visible.

    >>> to_html('<b>"a"\\x1b')
    '&lt;b&gt;&quot;a&quot;\\\\x1b'
    """
    return escape("".join(make_visible(c, _HIDDEN, _UNSEEN) for c in value), quote=True)


def cut_html(value: str, longest: int = LONGEST_USER_TEXT) -> str:
    """As `to_html`; of a very long one the beginning, and how long it is.

    >>> cut_html("abcdef", longest=3)
    'abc … (6 characters)'
    """
    more = f" … ({len(value):,} characters)" if len(value) > longest else ""
    return to_html(value[:longest]) + more


def escape_user(value: str, longest: int = LONGEST_USER_TEXT) -> str:
    """A user's text, cut if it is very long; its direction of writing turns nothing around it.

    >>> escape_user("rain")
    '<bdi>rain</bdi>'
    """
    return f"<bdi>{cut_html(value, longest)}</bdi>"


def shorten_name(value: str, most: int) -> str:
    """A name in at most so many characters, its end kept: that is where names differ.

    >>> shorten_name("alfa-0.1", 12), shorten_name("a-very-long-model-name-v2", 12)
    ('alfa-0.1', 'a-ver…ame-v2')
    """
    if len(value) <= most:
        return value
    end = most // 2
    return f"{value[: most - end - 1]}…{value[-end:]}"
