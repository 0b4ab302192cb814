"""A TVR submission: video2idx, and one list of entries for each task."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.files.large_files import read_unpacked
from engine.moments.deferred_json import DeferredJson, read_deferred_json
from engine.moments.judged_predictions import MomentTruth, Predictions, QueryId
from engine.moments.number_rows import NumberRows, read_rows
from engine.moments.tasks import TVR_TASKS, Task

PREDICTION_COLUMNS = ("video", "start", "end", "score")
NEEDED_COLUMNS = 3
"""A prediction is [video, start, end, score]; the score is for the record."""


@dataclass(frozen=True, eq=False)
class TvrEntries:
    """The entries of a task as they are in the file, nothing checked."""

    ids: list[Any]
    texts: list[Any]
    lists: list[Any]


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
            ids=[entry.get("desc_id") for entry in found],
            texts=[entry.get("desc") for entry in found],
            lists=[entry.get("predictions") for entry in found],
        )

    def rows(self, entries: TvrEntries, columns: int = NEEDED_COLUMNS) -> NumberRows:
        """The predictions of entries: video, start, end and, with four columns, the score. What is
        wrong with them is among the problems."""
        return read_rows(
            self.deferred, entries.lists, PREDICTION_COLUMNS[:columns], NEEDED_COLUMNS, self.file
        )


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
            shown = json.dumps(index, ensure_ascii=False)[:40]
            what = f"video2idx of {name!r} is {shown}"
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
    entry_of = _entries_by_id(submission, task, entries)
    _require_same_ids(submission, task, entry_of, truth)
    rows = submission.rows(entries, len(PREDICTION_COLUMNS) if scores else NEEDED_COLUMNS)
    if rows.problems:
        entry, row, message = rows.problems[0]
        gap = ": " if message.startswith("its") else " "
        where = _where(task, entry, entries, row)
        how = "a prediction is [video, start, end, score], times in seconds"
        raise InputError(f"{where}{gap}{message}", Place(submission.file), hint=how)
    _require_whole_videos(submission, task, entries, rows)
    order = np.array([entry_of[id_] for id_ in truth.ids], np.int64)
    offsets, values = _in_order(rows, order)
    names = {index: name for name, index in submission.video2idx.items()}
    read = Predictions(
        offsets=offsets,
        videos=values[:, 0].astype(np.int64),
        spans=values[:, 1:NEEDED_COLUMNS],
        scores=values[:, NEEDED_COLUMNS] if scores else None,
        names=names,
    )
    return read, tuple(_notes(task, entries, read))


def _entries_by_id(submission: Submission, task: Task, entries: TvrEntries) -> dict[QueryId, int]:
    found: dict[QueryId, int] = {}
    for number, id_ in enumerate(entries.ids):
        if type(id_) is not int and not (isinstance(id_, str) and id_):
            shown = "missing" if id_ is None else json.dumps(id_, ensure_ascii=False)[:40]
            message = f"{task}, entry {number + 1}: desc_id is {shown}"
            hint = "write the desc_id of the ground truth"
            raise InputError(message, Place(submission.file), hint=hint)
        if entries.lists[number] is None:
            message = f"{_where(task, number, entries)} has no predictions"
            hint = 'write "predictions": [[video, start, end, score], …]'
            raise InputError(message, Place(submission.file), hint=hint)
        found[id_] = number
    return found


def _where(task: Task, entry: int, entries: TvrEntries, row: int = -1) -> str:
    """A place in the submission, in words."""
    what = f"{task}, entry {entry + 1} (desc_id {entries.ids[entry]})"
    return what if row < 0 else f"{what}, prediction {row + 1}"


def _require_same_ids(
    submission: Submission, task: Task, entry_of: dict[QueryId, int], truth: MomentTruth
) -> None:
    known = truth.row_of
    lacking = [id_ for id_ in truth.ids if id_ not in entry_of]
    unknown = [id_ for id_ in entry_of if id_ not in known]
    if not lacking and not unknown:
        return
    parts = []
    if lacking:
        parts.append(
            f"lacks {len(lacking):,} of the {len(truth):,} descriptions of {truth.file.name}, "
            f"first {lacking[0]!r}"
        )
    if unknown:
        where = "it" if lacking else truth.file.name
        parts.append(f"has {len(unknown):,} that are not in {where}, first {unknown[0]!r}")
    usual = "give the ground truth of the same split, and every one of its descriptions once"
    raise InputError(
        f"{task} {', and '.join(parts)}",
        Place(submission.file),
        hint=_hint_about_kinds(lacking, unknown) or usual,
    )


def _hint_about_kinds(lacking: list[QueryId], unknown: list[QueryId]) -> str:
    """A text "7" is not the number 7: the usual reason why no id matches."""
    if lacking and unknown and set(map(str, lacking)) & set(map(str, unknown)):
        return "one file has texts where the other has numbers: write desc_id as the ground truth"
    return ""


def _require_whole_videos(
    submission: Submission, task: Task, entries: TvrEntries, rows: NumberRows
) -> None:
    videos = rows.values[:, 0]
    odd = np.flatnonzero((videos != np.floor(videos)) | (np.abs(videos) >= 1 << 53))
    if len(odd):
        row = int(odd[0])
        entry = int(np.searchsorted(rows.offsets, row, "right")) - 1
        where = _where(task, entry, entries, row - int(rows.offsets[entry]))
        message = f"{where}: its video is {videos[row]:g}, not a whole number"
        raise InputError(message, Place(submission.file), hint="write the index of video2idx")


def _in_order(rows: NumberRows, order: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """The lists of some entries, in that order."""
    if len(order) == len(rows.offsets) - 1 and (order == np.arange(len(order))).all():
        return rows.offsets, rows.values
    counts = np.diff(rows.offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(offsets[-1]) + np.repeat(rows.offsets[:-1][order] - offsets[:-1], counts)
    return offsets, rows.values[places]


def _notes(task: Task, entries: TvrEntries, read: Predictions) -> list[str]:
    notes = []
    repeated = len(entries.ids) - len(read)
    if repeated:
        what = "entry repeats" if repeated == 1 else "entries repeat"
        notes.append(f"{task}: {repeated:,} {what} a desc_id; the last of each counts")
    empty = int(np.count_nonzero(np.diff(read.offsets) == 0))
    if empty:
        notes.append(f"{task}: {empty:,} of {len(read):,} queries have no prediction: they count 0")
    return notes
