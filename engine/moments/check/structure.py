"""Structure of a TVR submission: is everything there, and is it what it should be?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.moments.check import fault_kinds
from engine.moments.check.document import RepeatedKeys
from engine.moments.check.entries import read_entries
from engine.moments.check.submission_fault import FaultExample, FaultLog, shorten
from engine.moments.check.task_list import TaskList
from engine.moments.judged_predictions import TVR_TASKS, Task

Split: TypeAlias = Literal["val", "test"]
"""Which queries a submission answers; those of `test` (test-public) have hidden videos."""

VIDEO_INDEX = "video2idx"
BEYOND_FLOATS = 2**53
EXPECTED_TASKS: dict[Split, tuple[Task, ...]] = {"val": TVR_TASKS, "test": ("VCMR", "VR")}
_SAYS: dict[Split, str] = {
    "val": "validation has VCMR, SVMR and VR",
    "test": "test-public has VCMR and VR",
}
_WHAT = {list: "a list", dict: "an object", str: "a text", bool: "true or false",
         int: "a number", float: "a number", type(None): "null"}  # fmt: skip


@dataclass(frozen=True, eq=False)
class SubmissionContent:
    """What a submission holds, without what is broken.

    indices  the index of every video that has a usable one; None if there is no such table
    """

    indices: dict[str, int] | None
    tasks: tuple[TaskList, ...]


def read_structure(document: Any, split: Split, notes: FaultLog) -> SubmissionContent:
    """Take a parsed file apart, and note whatever is not as it should be."""
    if not isinstance(document, dict):
        notes.note(fault_kinds.NOT_AN_OBJECT, "", describe_type(document))
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


def _keys(document: dict[str, Any], notes: FaultLog) -> None:
    _repeated_keys(document, "", notes)
    known = (VIDEO_INDEX, *TVR_TASKS)
    strange = [key for key in document if key not in known]
    examples = (FaultExample(notes.where(), _strange(key, known)) for key in strange)
    notes.note_each(fault_kinds.KEY_UNKNOWN, "", len(strange), examples)


def _strange(key: str, known: tuple[str, ...]) -> str:
    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(key.lower(), by_lower, 1, 0.75)
    return f"{shorten(key)}, did you mean {by_lower[near[0]]}?" if near else shorten(key)


def _repeated_keys(record: Any, part: str, notes: FaultLog) -> None:
    if isinstance(record, RepeatedKeys):
        examples = (FaultExample(notes.where(part), shorten(key)) for key in record.repeated)
        notes.note_each(fault_kinds.KEY_REPEATED, part, len(record.repeated), examples)


def _indices(document: dict[str, Any], notes: FaultLog) -> dict[str, int] | None:
    if VIDEO_INDEX not in document:
        notes.note(fault_kinds.VIDEO2IDX_MISSING, VIDEO_INDEX)
        return None
    table = document[VIDEO_INDEX]
    if not isinstance(table, dict):
        notes.note(fault_kinds.VIDEO2IDX_NOT_AN_OBJECT, VIDEO_INDEX, describe_type(table))
        return None
    if not table:
        notes.note(fault_kinds.VIDEO2IDX_EMPTY, VIDEO_INDEX)
    _repeated_keys(table, VIDEO_INDEX, notes)
    whole, usable = notes.tally(), {}
    for name, index in table.items():
        if type(index) is int and abs(index) < BEYOND_FLOATS:
            usable[name] = index
        else:
            whole.add(lambda name=name, index=index: _video(notes, name, f"index {shorten(index)}"))  # type: ignore[misc]
    notes.note_tally(fault_kinds.INDEX_NOT_WHOLE, VIDEO_INDEX, whole)
    return usable


def _video(notes: FaultLog, name: str, message: str) -> FaultExample:
    return FaultExample(notes.where(VIDEO_INDEX), f"{shorten(name)}: {message}")


def _tasks(document: dict[str, Any], split: Split, notes: FaultLog) -> Iterator[TaskList]:
    for task in TVR_TASKS:
        if task not in document:
            if task in EXPECTED_TASKS[split]:
                notes.note(fault_kinds.TASK_MISSING, task, _SAYS[split])
            continue
        if task not in EXPECTED_TASKS[split]:
            notes.note(fault_kinds.TASK_UNWANTED, task)
        entries = document[task]
        if not isinstance(entries, list):
            notes.note(fault_kinds.TASK_NOT_A_LIST, task, describe_type(entries))
        elif not entries:
            notes.note(fault_kinds.TASK_EMPTY, task)
        else:
            yield read_entries(task, entries, notes)
