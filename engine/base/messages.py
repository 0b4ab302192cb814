"""Small words that messages, reports and screens share."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "model"), counted(1200, "clip"), counted(2, "query"), counted(0, "key")
    ('1 model', '1,200 clips', '2 queries', '0 keys')
    """
    if count == 1:
        return f"1 {noun}"
    ends_in_y = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{count:,} {noun[:-1]}ies" if ends_in_y else f"{count:,} {noun}s"
