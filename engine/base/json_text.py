"""JSON that the engine writes: no string can speak to a terminal, no number is NaN."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_BY_LINE = "per_query"


def as_json(document: Any, *, indent: int | None = 2) -> str:
    """JSON in which no string can speak to a terminal; it reads back as the same values.

    A last field `per_query` has a line for each of its entries: thousands stay readable, and a
    `diff` of two files says which queries differ.
    """
    entries = document.get(_BY_LINE) if isinstance(document, dict) and indent else None
    shown = {**document, _BY_LINE: []} if entries else document
    text = json.dumps(shown, indent=indent, ensure_ascii=False, allow_nan=False)
    if entries:
        lines = (json.dumps(e, ensure_ascii=False, allow_nan=False) for e in entries)
        text = text.removesuffix("[]\n}") + "[\n    " + ",\n    ".join(lines) + "\n  ]\n}"
    # Of what cannot be seen only the line breaks of the layout stand outside strings.
    return escape_unprintable(text)


_NOT_ASCII = re.compile("[^\n -~]")


def escape_unprintable(text: str) -> str:
    """Text in which whatever cannot be seen stands as its JSON escape; line feeds stay.

    >>> escape_unprintable("Σ\\x9b31m")
    'Σ\\\\u009b31m'
    """

    def escaped(match: re.Match[str]) -> str:
        character = match.group()
        if character.isprintable():
            return character
        units = character.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))

    return _NOT_ASCII.sub(escaped, text)


def dump_attributes(value: object, *names: str) -> dict[str, Any]:
    """These attributes, ready for JSON: an undefined number is None, a tuple a list.

    >>> dump_attributes(complex(0.5, float("nan")), "real", "imag")
    {'real': 0.5, 'imag': None}
    """
    return {name: _dump_attribute(getattr(value, name)) for name in names}


def _dump_attribute(value: Any) -> Any:
    if isinstance(value, float):
        return nan_to_none(value)
    return list(value) if isinstance(value, tuple) else value


def nan_to_none(value: float) -> float | None:
    """The number; None where it is undefined.

    >>> nan_to_none(0.5), nan_to_none(float("nan")), nan_to_none(float("inf"))
    (0.5, None, None)
    """
    return value if math.isfinite(value) else None
