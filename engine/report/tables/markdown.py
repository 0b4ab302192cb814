"""Markdown of texts that nobody vouches for: tables whose cells say what they hold, no more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.base.messages import visible


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are escaped, the head is not.

    >>> print(markdown_table(("clip", "rank"), [("a_1", "2")]))
    | clip | rank |
    | --- | --- |
    | a\\_1 | 2 |
    """
    lines = [head, ["---"] * len(head), *([escape_markdown(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>#|~&!$]|(?<=:)(?=//)|(?<=www)(?=\.)|(?<!\w)@|@(?=[\w-]+\.)", re.IGNORECASE
)  # what is markup anywhere in a line, then what becomes a link or a mention by itself
_LINE_BREAK = re.compile(r"\r\n|[\n\r]")
_HIDDEN = ("Cc", "Cs", "Zl", "Zp")
_MARKS = "\u200e\u200f"
"""Of the direction of writing."""


def escape_markdown(text: str) -> str:
    """A user's text as it stands, on one line: neither markup, link, HTML nor control character.

    >>> escape_markdown("a|b_c <i> http://x\\nnext\\x1b")
    'a\\\\|b\\\\_c \\\\<i\\\\> http:\\\\//x<br>next\\\\\\\\x1b'
    """
    lines = _LINE_BREAK.split(text)
    shown = ("".join(visible(c, _HIDDEN, _MARKS) for c in line) for line in lines)
    return "<br>".join(_MARKDOWN.sub(lambda match: "\\" + match.group(), line) for line in shown)
