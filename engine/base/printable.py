"""JSON that engine code writes by itself, in which no string can speak to a terminal."""

from __future__ import annotations

import re

_NOT_ASCII = re.compile("[^\n -~]")


def printable(text: str) -> str:
    """Text in which whatever cannot be seen stands as its JSON escape; line feeds stay.

    >>> printable("Σ\\x9b31m")
    'Σ\\\\u009b31m'
    """

    def escaped(match: re.Match[str]) -> str:
        character = match.group()
        if character.isprintable():
            return character
        units = character.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))

    return _NOT_ASCII.sub(escaped, text)
