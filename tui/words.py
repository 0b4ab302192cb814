"""Small words that screens and commands share."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "model"), counted(1200, "clip"), counted(2, "query")
    ('1 model', '1,200 clips', '2 queries')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}s"
