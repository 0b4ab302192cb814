"""Check of one TVR submission file: is everything there, and is it what it should be?

A submission has millions of numbers. As for scoring, its lists of plain rows are read deferred from
the rest, and never stand in memory as Python objects. Scoring stops at what is wrong; a check goes
on. It asks for each list that is not of finite numbers again, as JSON has it, and for the keys that
repeat, which scoring need not know.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.base.messages import pluralise
from engine.files.text import JsonObject, JsonPairs
from engine.moments.check.fault_kinds import VIDEO_INDEX, Fault, Split
from engine.moments.check.ids import check_ids
from engine.moments.check.known_truth import KnownTruth, VideoList
from engine.moments.check.predictions import check_ranking, check_times
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.task_list import COLUMN_COUNT, EntryReader, TaskList
from engine.moments.check.videos import (
    VideoIndex,
    check_table,
    check_videos,
    make_index,
    note_videos,
)
from engine.moments.deferred_json import read_deferred_json
from engine.moments.json_values import as_number, shorten
from engine.moments.number_rows import read_rows
from engine.moments.tasks import TVR_TASKS, Task

PREDICTIONS = "predictions"
BEYOND_FLOATS = 2**53
EXPECTED_TASKS: dict[Split, tuple[Task, ...]] = {"val": TVR_TASKS, "test": ("VCMR", "VR")}
_SAYS: dict[Split, str] = {
    "val": "validation has VCMR, SVMR and VR",
    "test": "test-public has VCMR and VR",
}
_WHAT = {list: "a list", dict: "an object", str: "a text", bool: "true or false",
         int: "a number", float: "a number", type(None): "null"}  # fmt: skip
_NEEDED = ("video", "start", "end")
_NO_SCORE = "has no score"


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
        widths=(COLUMN_COUNT - 1, COLUMN_COUNT),
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


class _Reader(EntryReader):
    def read(self, number: int, entry: Any) -> None:
        if isinstance(entry, JsonObject):
            self.begin(number, entry)
            self._read_predictions(entry)
        else:
            self.keep(number, None, None)
            self.wrong(Fault.ENTRY_NOT_AN_OBJECT, f"is {shorten(entry)}")

    def _read_predictions(self, entry: dict[str, Any]) -> None:
        rows = entry.get(PREDICTIONS)
        if PREDICTIONS not in entry:
            self.wrong(Fault.PREDICTIONS_MISSING, f"has no {PREDICTIONS}")
        elif isinstance(rows, np.ndarray):
            self.blocks[-1] = self._with_scores(rows)
        else:
            self.read_list(rows)

    def _with_scores(self, rows: AnyFloats) -> AnyFloats:
        if rows.shape[1] == COLUMN_COUNT:
            return rows
        for place in range(1, len(rows) + 1):
            self.wrong(Fault.SCORE_MISSING, _NO_SCORE, place)
        return np.column_stack([rows, np.full(len(rows), np.nan)])

    def read_numbers(self, place: int, row: list[Any]) -> list[float]:
        """Four; NaN for a missing score."""
        score = as_number(row[COLUMN_COUNT - 1]) if len(row) >= COLUMN_COUNT else None
        if len(row) < COLUMN_COUNT:
            self.wrong(Fault.SCORE_MISSING, _NO_SCORE, place)
        elif score is None or not math.isfinite(score):
            self.wrong(
                Fault.SCORE_UNUSABLE, f"the score is {shorten(row[COLUMN_COUNT - 1])}", place
            )
            score = None
        elif len(row) > COLUMN_COUNT:
            self.wrong(Fault.TOO_LONG, f"has {len(row)} values", place)
        return [*map(float, row[: len(_NEEDED)]), math.nan if score is None else score]


def _read_entries(task: Task, entries: list[Any], notes: FaultLog) -> TaskList:
    """The entries of a task; what is wrong with them is noted."""
    reader = _Reader(notes, notes.where(task), _NEEDED)
    for number, entry in enumerate(entries, 1):
        reader.read(number, entry)
    for kind in vars(Fault).values():  # in the order in which they are defined
        if kind in reader.tallies:
            notes.note_tally(kind, task, reader.tallies[kind], PREDICTIONS)
    return reader.finished(task)


@dataclass(frozen=True, eq=False)
class SubmissionContent:
    """What a submission holds, without what is broken.

    indices  the index of every video that has a usable one; None if there is no such table
    """

    indices: dict[str, int] | None
    tasks: tuple[TaskList, ...]


def read_structure(document: Any, split: Split, notes: FaultLog) -> SubmissionContent:
    """Take a parsed file apart, and note whatever is not as it should be."""
    if not isinstance(document, JsonObject):
        notes.note(Fault.NOT_AN_OBJECT, "", describe_type(document))
        return SubmissionContent(None, ())
    _keys(document, notes)
    indices = _indices(document, notes)
    return SubmissionContent(indices, tuple(_tasks(document, split, notes)))


def describe_type(value: Any) -> str:
    """What kind of JSON value it is, in words.

    >>> describe_type([]), describe_type(None), describe_type(True)
    ('a list', 'null', 'true or false')
    """
    return _WHAT.get(type(value), "an object" if isinstance(value, dict) else "something else")


def _keys(document: JsonObject, notes: FaultLog) -> None:
    _repeated_keys(document, "", notes)
    known = (VIDEO_INDEX, *TVR_TASKS)
    strange = [key for key in document if key not in known]
    by_lower = {name.lower(): name for name in known}

    def example(key: str) -> FaultExample:
        near = difflib.get_close_matches(key.lower(), by_lower, 1, 0.75)
        meant = f", did you mean {by_lower[near[0]]}?" if near else ""
        return FaultExample(notes.where(), f"{shorten(key)}{meant}")

    notes.note_each(Fault.KEY_UNKNOWN, "", strange, example)


def _repeated_keys(record: JsonObject, part: str, notes: FaultLog) -> None:
    where = notes.where(part)
    notes.note_each(
        Fault.KEY_REPEATED, part, record.repeated, lambda key: FaultExample(where, shorten(key))
    )


def _indices(document: dict[str, Any], notes: FaultLog) -> dict[str, int] | None:
    if VIDEO_INDEX not in document:
        notes.note(Fault.VIDEO2IDX_MISSING, VIDEO_INDEX)
        return None
    table = document[VIDEO_INDEX]
    if not isinstance(table, JsonObject):
        notes.note(Fault.VIDEO2IDX_NOT_AN_OBJECT, VIDEO_INDEX, describe_type(table))
        return None
    if not table:
        notes.note(Fault.VIDEO2IDX_EMPTY, VIDEO_INDEX)
    _repeated_keys(table, VIDEO_INDEX, notes)
    usable = {
        name: index
        for name, index in table.items()
        if type(index) is int and abs(index) < BEYOND_FLOATS
    }
    odd = {name: f"index {shorten(table[name])}" for name in table if name not in usable}
    note_videos(Fault.INDEX_NOT_WHOLE, odd, notes)
    return usable


def _tasks(document: dict[str, Any], split: Split, notes: FaultLog) -> Iterator[TaskList]:
    for task in TVR_TASKS:
        if task not in document:
            if task in EXPECTED_TASKS[split]:
                notes.note(Fault.TASK_MISSING, task, _SAYS[split])
            continue
        if task not in EXPECTED_TASKS[split]:
            notes.note(Fault.TASK_UNWANTED, task)
        entries = document[task]
        if not isinstance(entries, list):
            notes.note(Fault.TASK_NOT_A_LIST, task, describe_type(entries))
        elif not entries:
            notes.note(Fault.TASK_EMPTY, task)
        else:
            yield _read_entries(task, entries, notes)


@dataclass(frozen=True, slots=True)
class CheckReferences:
    """What a file is held against; each may be missing."""

    known: KnownTruth | None = None
    videos: VideoList | None = None


_MOST_ENTRIES = 250_000
"""The whole benchmark has some hundred thousand queries."""


def _refuse_crowds(document: Any, place: Place) -> None:
    """A few kilobytes may be unpacked to millions of entries, each of which would be looked at."""
    for task in TVR_TASKS if isinstance(document, JsonObject) else ():
        entries = document.get(task)
        if isinstance(entries, list) and len(entries) > _MOST_ENTRIES:
            message = f"{task} has {len(entries):,} entries, no submission does"
            raise InputError(message, place, hint="write one for each query")


def check_tvr(
    data: bytes, place: Place, split: Split, against: CheckReferences, notes: FaultLog
) -> None:
    """Everything that can be said about the file; InputError if it is no JSON at all."""
    document = parse_submission(data, place)
    _refuse_crowds(document, place)
    read = read_structure(document, split, notes)
    known, videos = against.known, against.videos
    index = make_index(read.indices or {}, known, videos)
    if known is None:
        option = "--gt" if split == "val" else "--gt-test"
        notes.note(Fault.NOT_CHECKED, "", f"a ground truth ({option}): which queries must be there")
    if read.indices is not None:
        notes.note(Fault.CONTENT, VIDEO_INDEX, pluralise(len(read.indices), "video"))
        check_table(read.indices, known, videos, notes)
        _note_lengths(index, notes)
    check_ids(read.tasks, known, notes)
    for entries in read.tasks:
        notes.note(Fault.CONTENT, entries.task, entries.content)
        found = index.find(entries)
        if read.indices is not None:  # without the table every index would be unknown
            check_videos(entries, index, found, known, notes)
        check_times(entries, index, found, notes)
        check_ranking(entries, notes)


def _note_lengths(index: VideoIndex, notes: FaultLog) -> None:
    unknown = [index.names[place] for place in np.flatnonzero(np.isnan(index.durations))]
    detail = "give the list of videos with their lengths (--videos)"
    example = partial(FaultExample, notes.where(VIDEO_INDEX))
    notes.note_each(Fault.DURATION_UNKNOWN, VIDEO_INDEX, unknown, example, detail)
