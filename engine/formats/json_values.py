"""JSON: ranx's one object per file, and one object per line.

A file:   {"q1": {"d1": 0.9, "d2": 0.8}}
A line:   {"query_id": "q1", "doc_id": "d1", "score": 0.9}
          {"query_id": "q1", "results": [{"doc_id": "d1", "score": 0.9}, …]}
          {"query_id": "q1", "ranking": ["d1", "d2"]}
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError, Place
from engine.formats.names import ITEM, NUMBER, QUERY, RANK, first_of
from engine.formats.numbers import NAMES, check_number
from engine.formats.triples import Kind, Triples

_LISTS = ("results", "ranking", "docs", "items")


@dataclass(slots=True)
class _Entries:
    """What was read so far. Numbers are checked together at the end: that is ten times as fast."""

    path: Path
    kind: Kind
    queries: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    ranked: bool | None = None

    def add(self, query: str, item: Any, value: Any, line: int) -> None:
        self.queries.append(query)
        self.items.append(item if type(item) is str and item else _id(item, self._place(line)))
        self.values.append(value)
        self.lines.append(line)

    def _place(self, line: int) -> Place:
        return Place(self.path, line or None)

    def require_same(self, ranked: bool, line: int) -> None:
        """Scores and ranks in one file cannot be put in one order."""
        if self.ranked not in (None, ranked):
            raise InputError("has results with scores and results without", self._place(line))
        self.ranked = ranked

    def triples(self) -> Triples:
        if not self.values:
            raise InputError("has no entry", Place(self.path))
        if not {int, float}.issuperset(map(type, self.values)):
            self._refuse_first_odd()
        try:
            numbers = np.array(self.values, np.float64)
        except OverflowError:
            self._refuse_first_odd()
        if not np.isfinite(numbers).all() or self.kind == "qrels":
            self._refuse_first_odd(only_numbers=True)
        known = self.lines if self.lines[-1] else None
        return Triples.of_lists(
            self.path,
            self.queries,
            self.items,
            numbers,
            ranked=bool(self.ranked),
            line_of=known.__getitem__ if known else lambda entry: None,
        )

    def _refuse_first_odd(self, only_numbers: bool = False) -> None:
        for query, item, value, line in zip(
            self.queries, self.items, self.values, self.lines, strict=True
        ):
            place = self._place(line)
            about = f" for item {item!r} of query {query!r}"
            if not only_numbers and type(value) not in (int, float):
                shown = json.dumps(value, ensure_ascii=False)[:40]
                raise InputError(f"the {NAMES[self.kind]}{about} is {shown}, no number", place)
            try:
                check_number(float(value), self.kind, place)
            except OverflowError:
                message = f"the {NAMES[self.kind]}{about} is too large"
                raise InputError(message, place) from None
            except InputError as error:
                raise InputError(error.message + about, place, hint=error.hint) from None


def _id(value: Any, place: Place) -> str:
    """An id: a text that is not empty, or a whole number."""
    if (isinstance(value, str) and value) or type(value) is int:
        return str(value)
    shown = json.dumps(value, ensure_ascii=False)[:40]
    raise InputError(f"the id {shown} is neither a text nor a whole number", place)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with all its pairs: a dict would hide keys that occur twice."""


def read_json(path: Path, data: bytes, kind: Kind) -> Triples:
    """The entries of {query: {item: number}}."""
    try:
        document = json.loads(data, object_pairs_hook=_Pairs)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        raise _not_json(error, Place(path)) from error
    if not isinstance(document, _Pairs):
        raise InputError(
            "is not one object of queries", Place(path), hint='write {"query": {"item": 0.9}}'
        )
    entries = _Entries(path, kind, ranked=False)
    seen: set[str] = set()
    for query, results in document:
        if not isinstance(results, _Pairs):
            raise InputError(
                f"query {query!r} has no object of items",
                Place(path),
                hint='write {"query": {"item": 0.9}}',
            )
        if query in seen:
            raise InputError(f"query {query!r} occurs more than once", Place(path))
        seen.add(query)
        if "" in (query, *(item for item, _ in results[:1])):
            raise InputError("an id is empty", Place(path))
        entries.queries.extend(repeat(query, len(results)))
        entries.items.extend(item for item, _ in results)
        entries.values.extend(value for _, value in results)
    entries.lines = [0] * len(entries.values)
    return entries.triples()


def read_json_lines(path: Path, data: bytes, kind: Kind) -> Triples:
    """The entries of one JSON object per line."""
    entries = _Entries(path, kind)
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line or line.isspace():
            continue
        place = Place(path, number)
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            raise _not_json(error, place) from error
        if not isinstance(record, dict):
            raise InputError("is not a JSON object", place)
        _add_record(entries, record, kind, place)
    return entries.triples()


def _add_record(entries: _Entries, record: dict[str, Any], kind: Kind, place: Place) -> None:
    line = place.line or 0
    query = _id(_need(record, QUERY, place), place)
    listed = first_of(record, _LISTS)
    if listed is None:
        value, ranked = _number(record, kind, place)
        entries.require_same(ranked, line)
        entries.add(query, _need(record, ITEM, place), value, line)
        return
    results = record[listed]
    if not isinstance(results, list):
        raise InputError(f"{listed!r} is not a list", place)
    for position, result in enumerate(results, 1):
        if isinstance(result, dict):
            value, ranked = _number(result, kind, place)
            item = _need(result, ITEM, place)
        elif kind == "run":
            value, ranked, item = -position, True, result
        else:
            value, ranked, item = 1, False, result
        entries.require_same(ranked, line)
        entries.add(query, item, value, line)


def _number(record: dict[str, Any], kind: Kind, place: Place) -> tuple[Any, bool]:
    """The score or grade, or the negated rank where there is no score."""
    name = first_of(record, NUMBER[kind])
    if name is not None:
        return record[name], False
    rank = first_of(record, RANK) if kind == "run" else None
    if rank is None:
        return _need(record, NUMBER[kind], place), False
    value = record[rank]
    return (-value if type(value) in (int, float) else value), True


def _need(record: dict[str, Any], wanted: tuple[str, ...], place: Place) -> Any:
    name = first_of(record, wanted)
    if name is None:
        shown = ", ".join(repr(key) for key in list(record)[:12])
        raise InputError(f"has no {' or '.join(wanted[:3])}; it has {shown or 'nothing'}", place)
    return record[name]


def _not_json(error: Exception, place: Place) -> InputError:
    if isinstance(error, json.JSONDecodeError):
        where = Place(place.file, place.line or error.lineno)
        return InputError(f"is not valid JSON ({error.msg})", where)
    return InputError("is not valid JSON (too long or nested too deeply)", place)
