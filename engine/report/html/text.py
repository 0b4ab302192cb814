"""Texts that nobody vouches for, as HTML that shows them and does nothing else."""

from __future__ import annotations

from html import escape

from engine.base.visible import make_visible

LONGEST_USER_TEXT = 400
"""Characters of one text that are shown; the rest is counted."""


def to_html(value: str) -> str:
    """A text as it stands, on one line, with every hidden character made visible.

    >>> to_html('<b>"a"\\x1b')
    '&lt;b&gt;&quot;a&quot;\\\\x1b'
    """
    return escape(make_visible(value), quote=True)


def cut_html(value: str, longest: int = LONGEST_USER_TEXT) -> str:
    """As `to_html`; of a very long one the beginning, and how long it is.

    >>> cut_html("abcdef", longest=3)
    'abc … (6 characters)'
    """
    more = f" … ({len(value):,} characters)" if len(value) > longest else ""
    return to_html(type(value)(value[:longest])) + more


def escape_user(value: str, longest: int = LONGEST_USER_TEXT) -> str:
    """A user's text, cut if it is very long; its direction of writing turns nothing around it.

    >>> escape_user("rain")
    '<bdi>rain</bdi>'
    """
    return f"<bdi>{cut_html(value, longest)}</bdi>"
