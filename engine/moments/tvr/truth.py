"""The ground truth of TVR: JSON lines with desc_id, vid_name, ts and, if there are, desc, duration
and type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts
from engine.base.errors import InputError, Place
from engine.files.large_files import read_data
from engine.files.reader import reads
from engine.files.text import HINT, read_json_objects
from engine.moments.json_values import as_number, shorten
from engine.moments.judged_predictions import TYPES, MomentTruth, QueryId
from engine.moments.query_ids import parse_id

_MOST = 1e15
"""Seconds; more is no time."""


@reads("a ground truth of TVR")
def read_tvr_truth(path: Path, *, types: bool = True) -> MomentTruth:
    """The queries of a file. Of a desc_id that is there twice the last line counts, in the place of
    the first, as in the official script; a note says so."""
    entries: dict[QueryId, tuple[int, dict[str, Any]]] = {}
    lines = 0
    for line, entry in read_json_objects(path, read_data(path).decode()):
        entries[check_id(entry, "desc_id", path, line)] = line, entry
        lines += 1
    if not entries:
        raise InputError("has no query", Place(path), hint=HINT)
    numbers = [line for line, _ in entries.values()]
    queries = _Queries(path, numbers, [entry for _, entry in entries.values()])
    span_offsets, spans = queries.spans()
    return MomentTruth(
        file=path,
        ids=tuple(entries),
        texts=tuple(str(entry.get("desc", "")) for entry in queries.entries),
        videos=queries.videos(),
        durations=queries.durations(),
        span_offsets=span_offsets,
        spans=spans,
        types=queries.types() if types else None,
        lines=np.array(numbers),
        notes=_notes(path, lines, lines - len(entries)),
    )


def _notes(path: Path, lines: int, repeated: int) -> tuple[str, ...]:
    if not repeated:
        return ()
    what = f"{repeated:,} of {lines:,} lines repeat a desc_id; the last of each counts"
    return (f"{path.name}: {what}",)


def check_id(entry: dict[str, Any], key: str, path: Path, line: int) -> QueryId:
    """The id of an entry: a whole number or a text."""
    id_ = parse_id(entry.get(key))
    if id_ is not None:
        return id_
    if key not in entry:
        raise InputError(f'has no "{key}"', Place(path, line))
    what = f"{key} is {shorten(entry[key])}, neither a whole number nor a text"
    raise InputError(what, Place(path, line))


@dataclass(frozen=True, slots=True)
class _Queries:
    """The entries that count. Columns are checked as a whole; only if something is odd each entry
    is looked at, to say which."""

    path: Path
    lines: Sequence[int]
    entries: Sequence[dict[str, Any]]

    def videos(self) -> tuple[str, ...]:
        found = [entry.get("vid_name") for entry in self.entries]
        for row, name in enumerate(found):
            if not isinstance(name, str) or not name:
                answers = "a test set without answers cannot be evaluated, only validated"
                raise self._wrong(
                    row,
                    'has no "vid_name" that is a text',
                    "" if "vid_name" in self.entries[row] else answers,
                )
        return tuple(cast("list[str]", found))

    def spans(self) -> tuple[AnyInts, AnyFloats]:
        """Offsets and rows of start and end. ts is [start, end], or a list of such."""
        found: list[Any] = [entry.get("ts") for entry in self.entries]
        if set(map(type, found)) == {list} and set(map(len, found)) == {2}:
            types = set(map(type, chain.from_iterable(found)))
            if types <= {int, float}:
                plain = _as_floats(found)
                if _are_spans(plain):
                    return np.arange(len(found) + 1), plain
        spans = [self._spans(row, ts) for row, ts in enumerate(found)]
        counts = [len(own) for own in spans]
        return np.concatenate([[0], np.cumsum(counts)]), np.concatenate(spans)

    def _spans(self, row: int, ts: Any) -> AnyFloats:
        if "ts" not in self.entries[row]:
            raise self._wrong(row, 'has no "ts"', 'write "ts": [start, end] in seconds')
        rows = [ts] if isinstance(ts, list) and ts and not isinstance(ts[0], list) else ts
        if isinstance(rows, list) and rows and all(_is_pair(own) for own in rows):
            spans = _as_floats(rows)
            if _are_spans(spans):
                return spans
        how = (
            "write [start, end] in seconds, or a list of such; start not after end, none over 1e15"
        )
        raise self._wrong(row, f"ts is {shorten(ts)}", how)

    def durations(self) -> AnyFloats:
        found = [entry.get("duration") for entry in self.entries]
        for row, value in enumerate(found):
            if value is not None and (type(value) not in (int, float) or not 0 <= value < _MOST):
                raise self._wrong(row, f"duration is {shorten(value)}, not a number of seconds")
        return np.array([math.nan if value is None else value for value in found], np.float64)

    def types(self) -> AnyInts | None:
        """Indices into TYPES; None if no entry has a type."""
        found = [entry.get("type") for entry in self.entries]
        if set(map(type, found)) == {type(None)}:
            return None
        for row, name in enumerate(found):
            if name not in TYPES:
                raise self._wrong(
                    row,
                    "has no type, though others have"
                    if name is None
                    else f"type is {shorten(name)}",
                    f"write one of {', '.join(TYPES)}, or leave types out with --no-types",
                )
        return np.array([TYPES.index(name) for name in found], np.int8)

    def _wrong(self, row: int, message: str, hint: str = "") -> InputError:
        return InputError(message, Place(self.path, self.lines[row]), hint=hint)


def _is_pair(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2 and set(map(type, row)) <= {int, float}


def _as_floats(rows: list[Any]) -> AnyFloats:
    try:
        return np.array(rows, np.float64)
    except OverflowError:  # an integer of hundreds of digits
        return np.array([list(map(as_number, row)) for row in rows], np.float64)


def _are_spans(rows: AnyFloats) -> bool:
    """Whether all are finite, of sane size, and start before they end or where they end."""
    return bool((np.abs(rows) < _MOST).all() and (rows[:, 0] <= rows[:, 1]).all())
