"""Numbers in users' files: what counts as one, and what is said of what does not."""

from __future__ import annotations

import math
import re

from engine.base.errors import InputError, Place
from engine.rankings.formats.triples import FileKind

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)

LARGEST_GRADE = 1e9
"""Larger grades are a mistake: another column, most likely."""

NUMBER_NOUNS: dict[FileKind, str] = {"run": "score", "qrels": "grade"}


def parse_number(text: str, kind: FileKind, place: Place, *, whole: bool = False) -> float:
    """A finite score or grade.

    >>> parse_number("0.5", "run", Place())
    0.5
    >>> parse_number("nan", "run", Place("a.run"))
    Traceback (most recent call last):
    ...
    engine.base.errors.InputError: a.run: the score is nan; every score must be a finite number
    """
    if not _NUMBER.fullmatch(text) and not _NOT_FINITE.fullmatch(text):
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise InputError(f"the {NUMBER_NOUNS[kind]} {shown!r} is not a number", place)
    return check_number(float(text), kind, place, whole=whole, text=text)


def check_number(
    value: float, kind: FileKind, place: Place, *, whole: bool = False, text: str = ""
) -> float:
    """The value if it can be a score or a grade, else an InputError that says why not."""
    name, shown = NUMBER_NOUNS[kind], text or str(value)
    if not math.isfinite(value):
        hint = f"every {name} must be a finite number"
        raise InputError(f"the {name} is {shown}", place, hint=hint)
    if kind == "qrels" and abs(value) > LARGEST_GRADE:
        raise InputError(f"the grade {shown} is too large", place, hint="is it another column?")
    if whole and value != int(value):
        raise InputError(
            f"the grade {shown} is not a whole number",
            place,
            hint="TREC qrels have whole grades; CSV and JSON may have fractions",
        )
    return value
