"""A TVR submission: video2idx, and one list of entries for each task."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.base.arrays import AnyInts
from engine.base.errors import InputError, Place
from engine.files.large_files import read_unpacked
from engine.files.reader import reads
from engine.moments.check.submission_fault import FaultPlace
from engine.moments.deferred_json import DeferredJson, read_deferred_json
from engine.moments.json_values import (
    RowProblem,
    as_number,
    find_row_problem,
    shorten,
)
from engine.moments.judged_predictions import MomentTruth, Predictions, QueryId
from engine.moments.number_rows import read_rows
from engine.moments.query_ids import find_other_queries, parse_id
from engine.moments.ragged_lists import RaggedLists
from engine.moments.tasks import TVR_TASKS, Task

PREDICTION_COLUMNS = ("video", "start", "end", "score")
NEEDED_COLUMNS = 3
"""A prediction is [video, start, end, score]; the score is for the record."""

_ROW_HINT = "a prediction is [video, start, end, score], times in seconds"


@dataclass(frozen=True, eq=False)
class TvrEntries:
    """The entries of a task as they are in the file, nothing checked."""

    file: Path
    task: Task
    ids: list[Any]
    lists: list[Any]

    def wrong(
        self, entry: int, message: str, hint: str, prediction: int | None = None
    ) -> InputError:
        """What is wrong with an entry, or with one of its predictions; both count from 0."""
        place = None if prediction is None else prediction + 1
        where = FaultPlace("", self.task, entry + 1, parse_id(self.ids[entry]), place)
        return InputError(f"{where}: {message}", Place(self.file), hint=hint)

    def read_loose(self, entry: int, value: Any, columns: int) -> list[list[float]]:
        """The rows of a list that may have anything in it."""
        if not isinstance(value, list):
            raise self.wrong(entry, f"predictions is {shorten(value)}, not a list", _ROW_HINT)
        needed = PREDICTION_COLUMNS[:NEEDED_COLUMNS]
        rows = []
        for place, row in enumerate(value):
            problem = find_row_problem(row, needed, ", ".join(needed))
            if problem is None and None in map(as_number, row[NEEDED_COLUMNS:columns]):
                problem = RowProblem(f"the score is {shorten(row[NEEDED_COLUMNS])}, not a number")
            if problem is not None:
                raise self.wrong(entry, problem.message, _ROW_HINT, place)
            numbers = map(as_number, (*row, np.nan)[:columns])
            rows.append([number for number in numbers if number is not None])
        return rows


@dataclass(frozen=True, eq=False)
class Submission:
    """A submission whose numbers are still text; `rows` reads those of one task."""

    file: Path
    video2idx: dict[str, int]
    tasks: tuple[Task, ...]
    deferred: DeferredJson

    def entries(self, task: Task) -> TvrEntries:
        """The entries of a task; InputError if they are no list of objects."""
        found = self.deferred.document[task]
        if not isinstance(found, list):
            how = f'write "{task}": [{{"desc_id": …, "predictions": […]}}, …]'
            raise InputError(f"{task} is not a list", Place(self.file), hint=how)
        for number, entry in enumerate(found):
            if type(entry) is not dict:
                raise InputError(f"{task}, entry {number + 1} is not an object", Place(self.file))
        return TvrEntries(
            self.file,
            task,
            ids=[entry.get("desc_id") for entry in found],
            lists=[entry.get("predictions") for entry in found],
        )

    @reads("a submission for TVR", lambda self, *_, **__: self.file)
    def rows(self, entries: TvrEntries, columns: int = NEEDED_COLUMNS) -> RaggedLists:
        """The predictions of entries: video, start, end and, with four columns, the score, NaN
        where there is none. InputError names the first that cannot be used."""
        return read_rows(
            self.deferred,
            entries.lists,
            columns,
            widths=range(NEEDED_COLUMNS, sys.maxsize),
            needed=NEEDED_COLUMNS,
            loose=lambda entry, value: entries.read_loose(entry, value, columns),
        )


@reads("a submission for TVR")
def read_submission(path: Path) -> Submission:
    """Read a submission, packed or not. Its numbers are read when they are asked for."""
    deferred = read_deferred_json(read_unpacked(path), "predictions", path)
    place = Place(path)
    if not isinstance(deferred.document, dict):
        raise InputError(
            "is not one JSON object", place, hint="write video2idx, VCMR, SVMR and VR into one"
        )
    tasks = tuple(task for task in TVR_TASKS if task in deferred.document)
    if not tasks:
        keys = ", ".join(map(repr, list(deferred.document)[:5])) or "nothing"
        raise InputError(
            f"has none of {', '.join(TVR_TASKS)}, but {keys}",
            place,
            hint="each is a list of {desc_id, desc, predictions}",
        )
    return Submission(path, _video2idx(deferred.document, place), tasks, deferred)


def _video2idx(document: dict[str, Any], place: Place) -> dict[str, int]:
    found = document.get("video2idx")
    if not isinstance(found, dict) or not found:
        what = "is empty or no object" if "video2idx" in document else "is missing"
        raise InputError(f"video2idx {what}", place, hint="write {video name: whole number}")
    for name, index in found.items():
        if type(index) is not int or abs(index) >= 1 << 53:
            what = f"video2idx of {name!r} is {shorten(index)}"
            raise InputError(f"{what}, not a whole number below 2**53", place)
    return found


def read_predictions(
    submission: Submission, task: Task, truth: MomentTruth, *, scores: bool = False
) -> tuple[Predictions, tuple[str, ...]]:
    """The predictions of a task in the order of the truth's queries, and what to know of them.

    Of a desc_id that is there twice the last entry counts, as in the official script.
    """
    entries = submission.entries(task)
    if not entries.ids:
        hint = "leave a task out that you do not submit, or choose others with --tasks"
        raise InputError(f"{task} is empty", Place(submission.file), hint=hint)
    entry_of = _entries_by_id(entries)
    other = find_other_queries(list(entry_of), truth.ids, truth.file)
    if other is not None:
        raise InputError(f"{task} {other.message}", Place(submission.file), hint=other.hint)
    rows = submission.rows(entries, len(PREDICTION_COLUMNS) if scores else NEEDED_COLUMNS)
    _require_whole_videos(entries, rows)
    rows = _in_order(rows, np.array([entry_of[id_] for id_ in truth.ids], np.int64))
    read = Predictions(
        offsets=rows.offsets,
        videos=rows.values[:, 0].astype(np.int64),
        spans=rows.values[:, 1:NEEDED_COLUMNS],
        scores=rows.values[:, NEEDED_COLUMNS] if scores else None,
        names={index: name for name, index in submission.video2idx.items()},
    )
    return read, tuple(_notes(entries, read))


def _entries_by_id(entries: TvrEntries) -> dict[QueryId, int]:
    for number, (id_, rows) in enumerate(zip(entries.ids, entries.lists, strict=True)):
        if parse_id(id_) is None:
            what = f"desc_id is {'missing' if id_ is None else shorten(id_)}"
            raise entries.wrong(number, what, "write the desc_id of the ground truth")
        if rows is None:
            hint = 'write "predictions": [[video, start, end, score], …]'
            raise entries.wrong(number, "has no predictions", hint)
    return {id_: number for number, id_ in enumerate(entries.ids)}


def _require_whole_videos(entries: TvrEntries, rows: RaggedLists) -> None:
    videos = rows.values[:, 0]
    odd = np.flatnonzero((videos != np.floor(videos)) | (np.abs(videos) >= 1 << 53))
    for row in odd[:1].tolist():
        message = f"the video is {videos[row]:g}, not a whole number"
        entry, place = int(rows.queries[row]), int(rows.places[row])
        raise entries.wrong(entry, message, "write the index of video2idx", place)


def _in_order(rows: RaggedLists, order: AnyInts) -> RaggedLists:
    """The lists of some entries, in that order."""
    if len(order) == len(rows.counts) and (order == np.arange(len(order))).all():
        return rows
    counts = rows.counts[order]
    firsts = rows.offsets[:-1][order] - (np.cumsum(counts) - counts)
    return RaggedLists.of(counts, rows.values[np.arange(counts.sum()) + np.repeat(firsts, counts)])


def _notes(entries: TvrEntries, read: Predictions) -> Iterator[str]:
    repeated = len(entries.ids) - len(read)
    if repeated:
        what = "entry repeats" if repeated == 1 else "entries repeat"
        yield f"{entries.task}: {repeated:,} {what} a desc_id; the last of each counts"
    empty = int(np.count_nonzero(np.diff(read.offsets) == 0))
    if empty:
        of = f"{empty:,} of {len(read):,} queries"
        yield f"{entries.task}: {of} have no prediction: they count 0"
