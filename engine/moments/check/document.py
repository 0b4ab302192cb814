"""A JSON file as it was written: keys that repeat are known, and lists of predictions are arrays.

A submission has millions of numbers. As for scoring, its lists of plain rows are read deferred from
the rest, and never stand in memory as Python objects. Scoring stops at what is wrong; a check goes
on. It asks for each list that is not of finite numbers again, as JSON has it, and for the keys that
repeat, which scoring need not know.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.base.errors import Place
from engine.files.text import JsonObject, JsonPairs
from engine.moments.deferred_json import read_deferred_json
from engine.moments.number_rows import read_rows

PREDICTIONS = "predictions"
COLUMN_COUNT = 4
_REGULAR = (COLUMN_COUNT - 1, COLUMN_COUNT)


def parse_submission(data: bytes, place: Place) -> Any:
    """The value of a JSON text; `predictions` that are rows of three or of four finite numbers
    become an array."""
    records: list[JsonObject] = []

    def keep(pairs: JsonPairs) -> JsonObject:
        records.append(JsonObject(pairs))
        return records[-1]

    deferred = read_deferred_json(data, PREDICTIONS, place.file, keep)
    marks = {f"{deferred.mark}{n}": n for n in range(len(deferred.lists))}
    found: dict[int, Any] = {}

    def keep_loose(number: int, value: Any) -> list[list[float]]:
        found[number] = value
        return [[np.nan] * COLUMN_COUNT] * len(value)

    read = read_rows(
        deferred,
        list(marks),
        COLUMN_COUNT,
        widths=_REGULAR,
        needed=COLUMN_COUNT,
        loose=keep_loose,
    )
    starts = read.offsets.tolist()
    for record in records:
        for key, value in record.items():
            if isinstance(value, str) and value in marks:
                number = marks[value]
                rows = read.values[starts[number] : starts[number + 1]]
                record[key] = found.get(number, rows[:, : deferred.lists[number].width])
    return deferred.document
