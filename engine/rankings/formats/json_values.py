"""JSON: ranx's one object per file, and one object per line.

A file:   {"q1": {"d1": 0.9, "d2": 0.8}}
A line:   {"query_id": "q1", "doc_id": "d1", "score": 0.9}
          {"query_id": "q1", "results": [{"doc_id": "d1", "score": 0.9}, …]}
          {"query_id": "q1", "ranking": ["d1", "d2"]}
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from engine.base.errors import InputError, Place
from engine.files.text import parse_json, read_json_objects
from engine.rankings.formats.column_names import (
    ITEM_NAMES,
    NUMBER_NAMES,
    NUMBER_NOUNS,
    QUERY_NAMES,
    RANK_NAMES,
    check_number,
    find_first,
)
from engine.rankings.formats.triples import EntryLists, FileKind, Triples

_LISTS = ("results", "ranking", "docs", "items")


@dataclass(slots=True)
class _JsonEntries(EntryLists):
    """What was read so far. Numbers are checked together at the end: that is ten times as fast."""

    kind: FileKind = "run"

    def place(self, line: int) -> Place:
        return Place(self.path, line or None)

    def require_same(self, ranked: bool, line: int) -> None:
        """Scores and ranks in one file cannot be put in one order."""
        if self.ranked not in (None, ranked):
            raise InputError("has results with scores and results without", self.place(line))
        self.ranked = ranked

    def checked(self) -> Triples:
        if not self.values:
            raise InputError("has no entry", self.path)
        if not {int, float}.issuperset(map(type, self.values)):
            self._refuse_first_odd()
        try:
            finite = np.isfinite(np.array(self.values, np.float64)).all()
        except OverflowError:
            self._refuse_first_odd()
        if not finite or self.kind == "qrels":
            self._refuse_first_odd(only_numbers=True)
        try:
            return self.triples()
        except UnicodeEncodeError as error:
            message = f"the id {error.object!r} is invalid Unicode: it holds a lone surrogate"
            raise InputError(message, self.path) from error

    def _refuse_first_odd(self, only_numbers: bool = False) -> None:
        for query, item, value, line in zip(
            self.queries, self.items, self.values, self.lines, strict=True
        ):
            place = self.place(line)
            about = f" for item {item!r} of query {query!r}"
            if not only_numbers and type(value) not in (int, float):
                raise InputError(
                    f"the {NUMBER_NOUNS[self.kind]}{about} is {_show(value)}, no number", place
                )
            try:
                check_number(float(value), self.kind, place)
            except OverflowError:
                message = f"the {NUMBER_NOUNS[self.kind]}{about} is too large"
                raise InputError(message, place) from None
            except InputError as error:
                raise InputError(error.message + about, place, hint=error.hint) from None


def _id(value: Any, place: Place) -> str:
    """An id: a text that is not empty, or a whole number."""
    if (isinstance(value, str) and value) or type(value) is int:
        return str(value)
    raise InputError(f"the id {_show(value)} is neither a text nor a whole number", place)


def _show(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:40]
    except RecursionError:  # it could be read, and is too deep to be written
        return "{…}" if isinstance(value, _Pairs | dict) else "[…]"


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with all its pairs: a dict would hide keys that occur twice."""


def read_json(path: Path, data: bytes, kind: FileKind) -> Triples:
    """The entries of {query: {item: number}}."""
    document = parse_json(str(data, "utf-8"), Place(path), make=_Pairs)
    if not isinstance(document, _Pairs):
        raise InputError(
            "is not one object of queries", path, hint='write {"query": {"item": 0.9}}'
        )
    entries = _JsonEntries(path, ranked=False, kind=kind)
    seen: set[str] = set()
    for query, results in document:
        if not isinstance(results, _Pairs):
            raise InputError(
                f"query {query!r} has no object of items",
                path,
                hint='write {"query": {"item": 0.9}}',
            )
        if query in seen:
            raise InputError(f"query {query!r} occurs more than once", path)
        seen.add(query)
        if "" in (query, *(item for item, _ in results[:1])):
            raise InputError("an id is empty", path)
        entries.queries.extend(repeat(query, len(results)))
        entries.items.extend(item for item, _ in results)
        entries.values.extend(value for _, value in results)
    entries.lines = [0] * len(entries.values)
    return entries.checked()


def read_json_lines(path: Path, data: bytes, kind: FileKind) -> Triples:
    """The entries of one JSON object per line."""
    entries = _JsonEntries(path, kind=kind)
    for number, record in read_json_objects(path, str(data, "utf-8"), hint=""):
        _add_record(entries, record, number)
    return entries.checked()


class _Layout(NamedTuple):
    """Which keys of an object hold what; None for those that are not there."""

    query: str | None
    item: str | None
    number: str | None
    ranked: bool
    listed: str | None


@lru_cache(maxsize=256)
def _layout(keys: tuple[str, ...], kind: FileKind) -> _Layout:
    """Found once per kind of line, not once per line."""
    number, rank = find_first(keys, NUMBER_NAMES[kind]), find_first(keys, RANK_NAMES)
    ranked = number is None and rank is not None and kind == "run"
    query = find_first(keys, QUERY_NAMES)
    item = find_first([key for key in keys if key != query], ITEM_NAMES)
    return _Layout(query, item, rank if ranked else number, ranked, find_first(keys, _LISTS))


def _add_record(entries: _JsonEntries, record: dict[str, Any], line: int) -> None:
    layout = _layout(tuple(record), entries.kind)
    query = record[layout.query] if layout.query else _missing(entries, record, QUERY_NAMES, line)
    if type(query) is not str or not query:
        query = _id(query, Place(entries.path, line))
    if layout.listed is None:
        _add_result(entries, query, record, layout, line)
        return
    results = record[layout.listed]
    if not isinstance(results, list):
        raise InputError(f"{layout.listed!r} is not a list", Place(entries.path, line))
    for position, result in enumerate(results, 1):
        if isinstance(result, dict):
            own = _layout(tuple(result), entries.kind)
            _add_result(entries, query, result, own, line)
            continue
        is_run = entries.kind == "run"
        entries.require_same(is_run, line)
        item = result if type(result) is str and result else _id(result, entries.place(line))
        entries.add(query, item, -position if is_run else 1, line)


def _add_result(
    entries: _JsonEntries, query: str, record: dict[str, Any], layout: _Layout, line: int
) -> None:
    if layout.item is None:
        _missing(entries, record, ITEM_NAMES, line)
    if layout.number is None:
        _missing(entries, record, NUMBER_NAMES[entries.kind], line)
    value = record[layout.number]
    if layout.ranked and type(value) in (int, float):
        value = -value
    if entries.ranked is not layout.ranked:
        entries.require_same(layout.ranked, line)
    item = record[layout.item]
    item = item if type(item) is str and item else _id(item, entries.place(line))
    entries.add(query, item, value, line)


def _missing(
    entries: _JsonEntries, record: dict[str, Any], wanted: tuple[str, ...], line: int
) -> NoReturn:
    shown = ", ".join(repr(key) for key in list(record)[:12])
    raise InputError(
        f"has no {' or '.join(wanted[:3])}; it has {shown or 'nothing'}", Place(entries.path, line)
    )
