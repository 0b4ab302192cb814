"""A JSON file as it was written: keys that repeat are known, and lists of predictions are compact.

A submission has millions of small lists. Each becomes a row of an array as soon as its entry is
read, so that the whole never stands in memory as Python objects.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

import numpy as np

from engine.errors import InputError, Place
from engine.moments.truth import Floats

PREDICTIONS = "predictions"
COLUMNS = 4
_REGULAR = ({COLUMNS - 1}, {COLUMNS})
_NUMBERS = {int, float}


class Repeating(dict[str, Any]):
    """An object some of whose keys are written more than once; the last value counts."""

    repeated: tuple[str, ...] = ()


def parse_document(text: str, place: Place) -> Any:
    """The value of a JSON text; `predictions` that are plain rows of numbers become an array."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = Place(place.file, place.line or error.lineno)
        raise InputError(f"is not valid JSON ({error.msg})", where) from error
    except (ValueError, RecursionError) as error:  # numbers or nesting of absurd length
        raise InputError("is not valid JSON (too long or nested too deeply)", place) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        record = _repeating(pairs, record)
    rows = record.get(PREDICTIONS)
    if type(rows) is list:
        regular = _regular(rows)
        if regular is not None:
            record[PREDICTIONS] = regular
    return record


def _repeating(pairs: list[tuple[str, Any]], record: dict[str, Any]) -> Repeating:
    seen: set[str] = set()
    repeated = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    known = Repeating(record)
    known.repeated = tuple(dict.fromkeys(repeated))
    return known


def _regular(rows: list[Any]) -> Floats | None:
    """Rows that all have three or all have four numbers; None for any others."""
    if set(map(type, rows)) != {list} or set(map(len, rows)) not in _REGULAR:
        return None
    numbers = list(chain.from_iterable(rows))
    if not _NUMBERS.issuperset(map(type, numbers)):
        return None
    try:
        return np.array(numbers, np.float64).reshape(len(rows), -1)
    except OverflowError:  # a whole number beyond what a float can hold
        return None
