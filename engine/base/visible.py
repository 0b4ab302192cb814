r"""Text that nobody vouches for, made visible: what is not seen by itself is spelt out.

Hidden is a character that speaks to the terminal, turns the writing around, or leaves no mark of
its own: two ids that differ by it alone would look the same. Which those are follows from the
properties of Unicode, in this one place.

Its spelling is that of Python: `\x1b`, `\u200b`, `\U000e0041`, `\n`.
"""

from __future__ import annotations

import re
from functools import cache

_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Default_Ignorable_Code_Point of Unicode: drawn as nothing where they are not understood. Python
has no table of it; its ranges are kept for good, also for what is not assigned yet."""

_BLANK = "\u2800\ufffc\U00013441-\U00013442\U00016fe4\U0001d159"
"""Letters and symbols without ink, which no property tells: a Braille cell without dots, what
stands for an object, blanks of hieroglyphs, a filler, a note without a head."""

_SEEN_SPACE = "\u3000"
"""The space of Chinese and Japanese, two cells wide. Any other but " " looks like that one."""

_UNSEEN = re.compile(f"[{_IGNORABLE}{_BLANK}]")

_BACKSLASHES = re.compile(r"\\+")
_SPELLING = re.compile(r"[ntr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}")
"""What follows the backslash."""


class Visible(str):
    """A text that was made visible, by itself: made so again, it stays as it is."""

    __slots__ = ()


def is_hidden(character: str) -> bool:
    r"""Whether a character is not seen by itself.

    Hidden are the general categories Cc, Cf, Cs, Co, Cn, Zl, Zp and Zs (of which " " and U+3000 are
    seen), what Unicode calls ignorable, and what has no ink.

    >>> [is_hidden(one) for one in ("a", "é", " ", "\t", "\u200d", "\u00a0", "\u3164", "日")]
    [False, False, False, True, True, True, True, False]
    """
    shown = character.isprintable() or character in _SEEN_SPACE
    return not shown or _UNSEEN.match(character) is not None


def spell_hidden(text: str, keep: str = "") -> str:
    r"""The text with every hidden character spelt out, but for those to `keep`.

    What was spelt stays as it is, so this may stand behind anything else. It cannot tell a hidden
    character from its spelling in the text itself: `make_visible` can.

    >>> spell_hidden("a\x1b[31mb\n", keep="\n")
    'a\\x1b[31mb\n'
    """
    if text.isprintable() and (text.isascii() or not _UNSEEN.search(text)):
        return text
    return text.translate(_make_table(keep))


def make_visible(text: str, keep: str = "") -> str:
    r"""A text from a user on one line: no two different ones look the same.

    Where the text itself holds what looks like the spelling of a hidden character, the backslashes
    before it are doubled.

    >>> print(make_visible("a\x1b[2J"), make_visible("a\\x1b[2J"), make_visible("C:\\data"))
    a\x1b[2J a\\x1b[2J C:\data
    >>> make_visible(make_visible("a\n")) == make_visible("a\n")
    True
    """
    if isinstance(text, Visible):
        return text
    if "\\" not in text:
        spelt = spell_hidden(text, keep)
        return text if spelt == text else Visible(spelt)

    def double(run: re.Match[str]) -> str:
        after = run.end()
        next_one = text[after : after + 1]
        hidden = next_one not in keep and is_hidden(next_one)
        return run.group() * (2 if hidden or _SPELLING.match(text, after) else 1)

    shown = spell_hidden(_BACKSLASHES.sub(double, text), keep)
    return text if shown == text else Visible(shown)


def spell_message(text: str) -> str:
    r"""A message in which the texts of users are visible already. Made visible as a whole it would
    have their backslashes doubled: here only what is still hidden is spelt, and then it stays so.

    >>> said = f"no prototype: {make_visible('a' + chr(0x200d))}"
    >>> print(spell_message(said), make_visible(spell_message(said)), make_visible(said), sep="; ")
    no prototype: a\u200d; no prototype: a\u200d; no prototype: a\\u200d
    """
    return Visible(spell_hidden(text))


class _Spelling(dict[int, str]):
    """How each character is shown, found out when it first comes."""

    most = 1 << 16
    """Characters that are remembered."""

    def __missing__(self, code: int) -> str:
        one = chr(code)
        shown = one.encode("unicode_escape").decode("ascii") if is_hidden(one) else one
        if len(self) < self.most:
            self[code] = shown
        return shown


@cache
def _make_table(keep: str) -> _Spelling:
    return _Spelling({ord(one): one for one in keep})
