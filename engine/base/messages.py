"""Words that messages, reports and screens share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from difflib import get_close_matches


def pluralise(count: int, noun: str) -> str:
    """A number with its noun.

    >>> pluralise(1, "model"), pluralise(1200, "clip"), pluralise(2, "query"), pluralise(0, "key")
    ('1 model', '1,200 clips', '2 queries', '0 keys')
    """
    if count == 1:
        return f"1 {noun}"
    ends_in_y = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{count:,} {noun[:-1]}ies" if ends_in_y else f"{count:,} {noun}s"


def suggest(name: str, options: Iterable[str]) -> str:
    """`did you mean "…"?`, or nothing if no option is near."""
    near = get_close_matches(name, list(options), 1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else ""


def list_names(names: Iterable[str], limit: int = 30) -> str:
    """Names for a message, cut aloud after `limit`.

    >>> list_names(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    names = list(names)
    rest = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {rest:,} more" if rest > 0 else "")


def quote(key: str, limit: int = 60) -> str:
    """A key as it may stand in a message: quoted, control characters escaped, not too long.

    >>> quote("clip\\x1b[2J")
    "'clip\\\\x1b[2J'"
    """
    return repr(key if len(key) <= limit else key[: limit - 1] + "…")


LONGEST_LINE = 200
"""Characters of a user's text that a message quotes."""

_TURNING = frozenset("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())

_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def fit_on_line(text: str, longest: int = LONGEST_LINE) -> str:
    """The text on one line, shortened, with every character spelt out that a terminal or an XML
    parser would trip over, or that is not seen at all.

    >>> fit_on_line("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    >>> fit_on_line("abcdef", longest=4)
    'abc…'
    """
    shown = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return "".join(map(_visible, shown))


def _visible(character: str) -> str:
    no_character = ord(character) & 0xFFFE == 0xFFFE
    return make_visible(character, _HIDDEN, also=character if no_character else "")


def make_visible(character: str, categories: Collection[str], also: str = "") -> str:
    """The character; spelt out if it turns the writing around, is of these categories of Unicode,
    or is `also` not to be shown.

    >>> make_visible("a", ["Cc"]), make_visible("\\x1b", ["Cc"]), make_visible("\\u202e", [])
    ('a', '\\\\x1b', '\\\\u202e')
    """
    hidden = unicodedata.category(character) in categories or character in also
    turning = unicodedata.bidirectional(character) in _TURNING
    return character.encode("unicode_escape").decode() if hidden or turning else character


def format_percentage(share: float) -> str:
    """A share in whole per cent; something is never shown as nothing, nor less than all as all.

    >>> [format_percentage(share) for share in (0.336, 0.004, 0.996, 1.0, 0.0)]
    ['34', '<1', '>99', '100', '']
    """
    if share <= 0:
        return ""
    whole = round(100 * float(f"{share:.2f}"))  # as a mean of two decimals is rounded
    if whole == 0:
        return "<1"
    return ">99" if whole >= 100 and share < 1 else str(whole)


def make_slug(value: str) -> str:
    """A text as the id of an element of HTML, or as a label of LaTeX.

    >>> make_slug("Text queries: P@5"), make_slug("summary-a_b}c")
    ('text-queries-p-5', 'summary-a-b-c')
    """
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-") or "part"
