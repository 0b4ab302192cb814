"""Markdown of texts that nobody vouches for: tables whose cells say what they hold, no more."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are escaped, the head is not.

    >>> print(table(("clip", "rank"), [("a_1", "2")]))
    | clip | rank |
    | --- | --- |
    | a\\_1 | 2 |
    """
    lines = [head, ["---"] * len(head), *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>#|~&!$]|(?<=:)(?=//)|(?<=www)(?=\.)|(?<!\w)@|@(?=[\w-]+\.)", re.IGNORECASE
)  # what is markup anywhere in a line, then what becomes a link or a mention by itself
_LINE_BREAK = re.compile(r"\r\n|[\n\r]")
_TURNING = frozenset("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())


def escaped(text: str) -> str:
    """A user's text as it stands, on one line: neither markup, link, HTML nor control character.

    >>> escaped("a|b_c <i> http://x\\nnext\\x1b")
    'a\\\\|b\\\\_c \\\\<i\\\\> http:\\\\//x<br>next\\\\\\\\x1b'
    """
    lines = _LINE_BREAK.split(text)
    shown = ("".join(map(_visible, line)) for line in lines)
    return "<br>".join(_MARKDOWN.sub(lambda match: "\\" + match.group(), line) for line in shown)


def _visible(character: str) -> str:
    """What would speak to a terminal, or turn the writing around, spelt out."""
    hidden = (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in _TURNING
        or character in "\u200e\u200f"
    )
    return character.encode("unicode_escape").decode() if hidden else character
