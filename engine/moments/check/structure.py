"""Structure of a TVR submission: is everything there, and is it what it should be?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from engine.moments.assessed import TVR_TASKS, Task
from engine.moments.check import kinds
from engine.moments.check.document import Repeating
from engine.moments.check.entries import read_entries
from engine.moments.check.finding import Example, Notebook, shown
from engine.moments.check.task_list import TaskList

Split: TypeAlias = Literal["val", "test"]
"""Which queries a submission answers; those of `test` (test-public) have hidden videos."""

INDEX = "video2idx"
BEYOND_FLOATS = 2**53
WANTED: dict[Split, tuple[Task, ...]] = {"val": TVR_TASKS, "test": ("VCMR", "VR")}
_SAYS: dict[Split, str] = {
    "val": "validation has VCMR, SVMR and VR",
    "test": "test-public has VCMR and VR",
}
_WHAT = {list: "a list", dict: "an object", str: "a text", bool: "true or false",
         int: "a number", float: "a number", type(None): "null"}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Read:
    """What a submission holds, without what is broken.

    indices  the index of every video that has a usable one; None if there is no such table
    """

    indices: dict[str, int] | None
    tasks: tuple[TaskList, ...]


def read_structure(document: Any, split: Split, notes: Notebook) -> Read:
    """Take a parsed file apart, and note whatever is not as it should be."""
    if not isinstance(document, dict):
        notes.note(kinds.NOT_AN_OBJECT, "", what(document))
        return Read(None, ())
    _keys(document, notes)
    indices = _indices(document, notes)
    return Read(indices, tuple(_tasks(document, split, notes)))


def what(value: Any) -> str:
    """What kind of JSON value it is, in words.

    >>> what([]), what(None), what(True)
    ('a list', 'null', 'true or false')
    """
    return _WHAT.get(type(value), "an object" if isinstance(value, dict) else "something else")


def _keys(document: dict[str, Any], notes: Notebook) -> None:
    _repeated_keys(document, "", notes)
    known = (INDEX, *TVR_TASKS)
    strange = [key for key in document if key not in known]
    examples = (Example(notes.where(), _strange(key, known)) for key in strange)
    notes.note_each(kinds.KEY_UNKNOWN, "", len(strange), examples)


def _strange(key: str, known: tuple[str, ...]) -> str:
    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(key.lower(), by_lower, 1, 0.75)
    return f"{shown(key)}, did you mean {by_lower[near[0]]}?" if near else shown(key)


def _repeated_keys(record: Any, part: str, notes: Notebook) -> None:
    if isinstance(record, Repeating):
        examples = (Example(notes.where(part), shown(key)) for key in record.repeated)
        notes.note_each(kinds.KEY_REPEATED, part, len(record.repeated), examples)


def _indices(document: dict[str, Any], notes: Notebook) -> dict[str, int] | None:
    if INDEX not in document:
        notes.note(kinds.VIDEO2IDX_MISSING, INDEX)
        return None
    table = document[INDEX]
    if not isinstance(table, dict):
        notes.note(kinds.VIDEO2IDX_NOT_AN_OBJECT, INDEX, what(table))
        return None
    if not table:
        notes.note(kinds.VIDEO2IDX_EMPTY, INDEX)
    _repeated_keys(table, INDEX, notes)
    whole, usable = notes.tally(), {}
    for name, index in table.items():
        if type(index) is int and abs(index) < BEYOND_FLOATS:
            usable[name] = index
        else:
            whole.add(lambda name=name, index=index: _video(notes, name, f"index {shown(index)}"))  # type: ignore[misc]
    notes.note_tally(kinds.INDEX_NOT_WHOLE, INDEX, whole)
    return usable


def _video(notes: Notebook, name: str, message: str) -> Example:
    return Example(notes.where(INDEX), f"{shown(name)}: {message}")


def _tasks(document: dict[str, Any], split: Split, notes: Notebook) -> Iterator[TaskList]:
    for task in TVR_TASKS:
        if task not in document:
            if task in WANTED[split]:
                notes.note(kinds.TASK_MISSING, task, _SAYS[split])
            continue
        if task not in WANTED[split]:
            notes.note(kinds.TASK_UNWANTED, task)
        entries = document[task]
        if not isinstance(entries, list):
            notes.note(kinds.TASK_NOT_A_LIST, task, what(entries))
        elif not entries:
            notes.note(kinds.TASK_EMPTY, task)
        else:
            yield read_entries(task, entries, notes)
