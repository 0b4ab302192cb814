"""The ground truth of TVR: JSON lines with desc_id, vid_name, ts and, if there are, desc, duration
and type."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError, Place
from engine.formats.source import read_data
from engine.moments.truth import TYPES, Floats, Id, Truth
from engine.text_rows import filled_lines
from engine.textfile import parse_json

NEEDED = ("desc_id", "vid_name", "ts")


def read_tvr_truth(path: Path, *, types: bool = True) -> Truth:
    """The queries of a file. Of a desc_id that is there twice the last line counts, in the place of
    the first, as in the official script; a note says so."""
    entries: dict[Id, tuple[int, dict[str, Any]]] = {}
    lines = repeated = 0
    for line, entry in json_lines(path):
        id_ = checked_id(entry, "desc_id", Place(path, line))
        repeated += id_ in entries
        entries[id_] = line, entry
        lines += 1
    if not entries:
        raise InputError("has no query", Place(path))
    spans = [_spans(entry, Place(path, line)) for line, entry in entries.values()]
    counts = np.array([len(own) for own in spans])
    note = f"{path.name}: {repeated:,} of {lines:,} lines repeat a desc_id; the last of each counts"
    return Truth(
        file=path,
        ids=tuple(entries),
        texts=tuple(str(entry.get("desc", "")) for _, entry in entries.values()),
        videos=tuple(_video(entry, Place(path, line)) for line, entry in entries.values()),
        durations=np.array([_duration(e, Place(path, line)) for line, e in entries.values()]),
        span_offsets=np.concatenate([[0], np.cumsum(counts)]),
        spans=np.concatenate(spans),
        types=_types(list(entries.values()), path) if types else None,
        lines=np.array([line for line, _ in entries.values()]),
        notes=(note,) if repeated else (),
    )


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number of its line."""
    text = read_data(path).decode()
    for number, line in filled_lines(text):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = parse_json(line, Place(path, number))  # says what is wrong
        if not isinstance(entry, dict):
            raise InputError(
                "is not a JSON object", Place(path, number), hint="write one object per line"
            )
        yield number, entry


def checked_id(entry: dict[str, Any], key: str, place: Place) -> Id:
    """The id of an entry: a whole number or a text."""
    if key not in entry:
        raise InputError(f'has no "{key}"', place)
    value = entry[key]
    if type(value) is int or (isinstance(value, str) and value):
        return value
    shown = json.dumps(value, ensure_ascii=False)[:40]
    raise InputError(f"{key} is {shown}, neither a whole number nor a text", place)


def _video(entry: dict[str, Any], place: Place) -> str:
    name = entry.get("vid_name")
    if not isinstance(name, str) or not name:
        hint = ""
        if "vid_name" not in entry:
            hint = "a test set without answers cannot be evaluated, only validated"
        raise InputError('has no "vid_name" that is a text', place, hint=hint)
    return name


def _spans(entry: dict[str, Any], place: Place) -> Floats:
    """ts as rows of start and end: [start, end], or a list of such."""
    if "ts" not in entry:
        raise InputError('has no "ts"', place, hint='write "ts": [start, end] in seconds')
    ts = entry["ts"]
    rows = [ts] if isinstance(ts, list) and ts and not isinstance(ts[0], list) else ts
    if not isinstance(rows, list) or not rows or not all(_is_span(row) for row in rows):
        raise InputError(
            f"ts is {json.dumps(ts, ensure_ascii=False)[:60]}",
            place,
            hint="write [start, end] in seconds, or a list of such; start not after end",
        )
    return np.array(rows, np.float64)


def _is_span(row: Any) -> bool:
    numbers = isinstance(row, list) and len(row) == 2 and all(_is_seconds(n) for n in row)
    return numbers and row[0] <= row[1]


def _is_seconds(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e15 and not math.isnan(value)


def _duration(entry: dict[str, Any], place: Place) -> float:
    value = entry.get("duration")
    if value is None:
        return math.nan
    if not _is_seconds(value) or value < 0:
        shown = json.dumps(value, ensure_ascii=False)[:40]
        raise InputError(f"duration is {shown}, not a number of seconds", place)
    return float(value)


def _types(entries: list[tuple[int, dict[str, Any]]], path: Path) -> Any:
    """Indices into TYPES; None if no entry has a type."""
    if all(entry.get("type") is None for _, entry in entries):
        return None
    codes = {name: code for code, name in enumerate(TYPES)}
    found = np.empty(len(entries), np.int8)
    for place, (line, entry) in enumerate(entries):
        name = entry.get("type")
        if name not in TYPES:
            what = "has no type, though others have" if name is None else f"type is {name!r}"
            raise InputError(
                what,
                Place(path, line),
                hint=f"write one of {', '.join(TYPES)}, or leave types out with --no-types",
            )
        found[place] = codes[name]
    return found
