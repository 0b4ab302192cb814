"""A JSON file as it was written: keys that repeat are known, and lists of predictions are arrays.

A submission has millions of numbers. As for scoring, its lists of plain rows are read deferred from
the rest, and never stand in memory as Python objects. Scoring stops at what is wrong; a check goes
on. It asks for each list that is not of finite numbers again, as JSON has it, and for the keys that
repeat, which scoring need not know.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.files.text import JsonPairs, parse_json
from engine.moments.deferred_json import DeferredJson, RowList, read_deferred_json
from engine.moments.number_rows import read_rows

PREDICTIONS = "predictions"
COLUMN_COUNT = 4
_NAMES = ("video", "start", "end", "score")
_NEEDED = COLUMN_COUNT - 1
_REGULAR = (_NEEDED, COLUMN_COUNT)
_UNNAMED = Path()


class RepeatedKeys(dict[str, Any]):
    """An object some of whose keys are written more than once; the last value counts."""

    repeated: tuple[str, ...] = ()


def parse_document(text: str, place: Place) -> Any:
    """The value of a JSON text."""
    return parse_json(text, place, make=_object)


def parse_submission(data: bytes, place: Place) -> Any:
    """The value of a JSON text; `predictions` that are rows of three or of four finite numbers
    become an array."""
    records: list[dict[str, Any]] = []

    def keep(pairs: JsonPairs) -> dict[str, Any]:
        records.append(_object(pairs))
        return records[-1]

    try:
        deferred = read_deferred_json(data, PREDICTIONS, _UNNAMED, keep)
        arrays = _arrays(deferred)
        for record in records:
            for key, value in record.items():
                found = deferred.row_list(value)
                if found is not None:
                    array = arrays.get(found)
                    record[key] = deferred.load(found, _UNNAMED) if array is None else array
    except InputError as error:  # inside a zip there is no file to name
        where = Place(place.file, error.place.line)
        raise error.at(where) from error
    return deferred.document


def _object(pairs: JsonPairs) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    seen: set[str] = set()
    repeated = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    known = RepeatedKeys(record)
    known.repeated = tuple(dict.fromkeys(repeated))
    return known


def _arrays(deferred: DeferredJson) -> dict[RowList, AnyFloats]:
    """The lists of plain rows."""
    plain = [n for n, found in enumerate(deferred.lists) if found.rows and found.width in _REGULAR]
    read = read_rows(deferred, [f"{deferred.mark}{n}" for n in plain], _NAMES, _NEEDED, _UNNAMED)
    lists = [deferred.lists[n] for n in plain]
    widths = np.array([found.width for found in lists], np.int64)
    finite = np.isfinite(read.values)
    finite[:, -1] |= np.repeat(widths == _NEEDED, np.diff(read.offsets))  # has no score
    rows_are_odd = np.flatnonzero(~finite.all(axis=1))
    odd = set((np.searchsorted(read.offsets, rows_are_odd, "right") - 1).tolist())
    starts = read.offsets.tolist()
    return {
        found: read.values[starts[place] : starts[place + 1], : found.width]
        for place, found in enumerate(lists)
        if place not in odd
    }
