"""A JSON file as it was written: keys that repeat are known, and lists of predictions are arrays.

A submission has millions of numbers. As for scoring, its lists of plain rows are read deferred from
the rest, and never stand in memory as Python objects. Scoring stops at what is wrong; a check goes
on. It asks for each list that is not of finite numbers again, as JSON has it, and for the rest with
the keys that repeat, which scoring need not know.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engine.base.errors import InputError, Place
from engine.moments.deferred_json import DeferredJson, RowList, read_deferred_json
from engine.moments.number_rows import read_rows

PREDICTIONS = "predictions"
COLUMN_COUNT = 4
_NAMES = ("video", "start", "end", "score")
_NEEDED = COLUMN_COUNT - 1
_REGULAR = (_NEEDED, COLUMN_COUNT)
_UNNAMED = Path()

_Pairs: TypeAlias = list[tuple[str, Any]]


class RepeatedKeys(dict[str, Any]):
    """An object some of whose keys are written more than once; the last value counts."""

    repeated: tuple[str, ...] = ()


def parse_document(text: str | bytes, place: Place) -> Any:
    """The value of a JSON text."""
    return _parse(text, place, _object)


def parse_submission(data: bytes, place: Place) -> Any:
    """The value of a JSON text; `predictions` that are rows of three or of four finite numbers
    become an array."""
    try:
        deferred = read_deferred_json(data, PREDICTIONS, _UNNAMED)
        arrays = _arrays(deferred)
    except InputError as error:  # inside a zip there is no file to name
        where = Place(place.file, error.place.line)
        raise InputError(error.message, where, hint=error.hint) from error
    # Nobody can have written this into the file, not even as "\u0061", to pass for a list.
    mark = f"{secrets.token_hex(8)}:"

    def with_lists(pairs: _Pairs) -> dict[str, Any]:
        record = _object(pairs)
        for key, value in record.items():
            if type(value) is str and value.startswith(mark):
                number = int(value.removeprefix(mark))
                array = arrays.get(number)
                record[key] = _as_written(deferred, number, place) if array is None else array
        return record

    return _parse(_rest(deferred, mark), place, with_lists)


def _parse(text: str | bytes, place: Place, make: Callable[[_Pairs], Any]) -> Any:
    try:
        return json.loads(text, object_pairs_hook=make)
    except json.JSONDecodeError as error:
        where = Place(place.file, place.line or error.lineno)
        raise InputError(f"is not valid JSON ({error.msg})", where) from error
    except (ValueError, RecursionError) as error:  # numbers or nesting of absurd length
        raise InputError("is not valid JSON (too long or nested too deeply)", place) from error


def _object(pairs: _Pairs) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    seen: set[str] = set()
    repeated = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    known = RepeatedKeys(record)
    known.repeated = tuple(dict.fromkeys(repeated))
    return known


def _arrays(deferred: DeferredJson) -> dict[int, Any]:
    """The lists of plain rows, by their number."""
    plain = [n for n, found in enumerate(deferred.lists) if found.rows and found.width in _REGULAR]
    read = read_rows(deferred, [f"{deferred.mark}{n}" for n in plain], _NAMES, _NEEDED, _UNNAMED)
    lists: Sequence[RowList] = [deferred.lists[n] for n in plain]
    widths = np.array([found.width for found in lists], np.int64)
    finite = np.isfinite(read.values)
    finite[:, -1] |= np.repeat(widths == _NEEDED, np.diff(read.offsets))  # has no score
    rows_are_odd = np.flatnonzero(~finite.all(axis=1))
    odd = set((np.searchsorted(read.offsets, rows_are_odd, "right") - 1).tolist())
    starts = read.offsets.tolist()
    return {
        number: read.values[starts[place] : starts[place + 1], : lists[place].width]
        for place, number in enumerate(plain)
        if place not in odd
    }


def _as_written(deferred: DeferredJson, number: int, place: Place) -> Any:
    """A list that is no array, as JSON has it."""
    found = deferred.lists[number]
    try:
        return json.loads(deferred.data[found.start : found.end])
    except json.JSONDecodeError as error:
        line = deferred.data.count(b"\n", 0, found.start) + error.lineno
        raise InputError(f"is not valid JSON ({error.msg})", Place(place.file, line)) from error


def _rest(deferred: DeferredJson, mark: str) -> bytes:
    """The text with a mark in place of every list."""
    text = memoryview(deferred.data)
    pieces: list[bytes | memoryview] = []
    end = 0
    for number, found in enumerate(deferred.lists):
        pieces += (text[end : found.start], f'"{mark}{number}"'.encode())
        end = found.end
    return b"".join([*pieces, text[end:]])
