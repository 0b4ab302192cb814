"""Entries of a task: each has an id, a text and rows of numbers, or it is noted what is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from engine.moments.assessed import Task
from engine.moments.check import kinds
from engine.moments.check.document import COLUMNS, PREDICTIONS, Repeating
from engine.moments.check.finding import Example, Notebook, Tally, Where, shown, usable_id
from engine.moments.check.kinds import Kind
from engine.moments.check.known import FIELDS
from engine.moments.check.task_list import TaskList
from engine.moments.truth import Floats, Id
from engine.words import counted

_FIELDS = FIELDS["tvr"]
_NAMES = ("video", "start", "end")
_ROW = "[video, start, end, score]"
_NONE = np.empty((0, COLUMNS))
_NO_SCORE = "has no score"

_DETAILS = {
    kinds.ID_MISSING: _FIELDS.id,
    kinds.ID_UNUSABLE: _FIELDS.id,
    kinds.TEXT_MISSING: _FIELDS.text,
    kinds.PREDICTIONS_MISSING: PREDICTIONS,
    kinds.PREDICTIONS_NOT_A_LIST: PREDICTIONS,
    kinds.PREDICTIONS_EMPTY: PREDICTIONS,
    kinds.UNUSABLE: _ROW,
    kinds.TOO_LONG: _ROW,
}
_ORDER = (
    kinds.ENTRY_NOT_AN_OBJECT,
    kinds.KEY_REPEATED,
    *_DETAILS,
    kinds.NOT_FINITE,
    kinds.SCORE_MISSING,
    kinds.SCORE_UNUSABLE,
)


@dataclass
class _Reader:
    """Reads one entry after the other; what is wrong is tallied by kind."""

    task: Task
    notes: Notebook
    tallies: dict[Kind, Tally] = field(default_factory=dict)
    ids: list[Id | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    blocks: list[Floats] = field(default_factory=list)

    def wrong(self, kind: Kind, message: str, prediction: int | None = None) -> None:
        """Something about the entry that is being read, the last of `ids`."""
        tally = self.tallies.get(kind)
        if tally is None:
            tally = self.tallies[kind] = self.notes.tally()
        tally.add(partial(self._example, message, prediction))

    def _example(self, message: str, prediction: int | None) -> Example:
        entry, id_ = len(self.ids), self.ids[-1]
        where = Where(self.notes.file, self.task, entry, id=id_, prediction=prediction)
        return Example(where, message)

    def read(self, entry: Any) -> None:
        if not isinstance(entry, dict):
            self._keep(None, None, _NONE)
            self.wrong(kinds.ENTRY_NOT_AN_OBJECT, f"is {shown(entry)}")
            return
        id_, text = entry.get(_FIELDS.id), entry.get(_FIELDS.text)
        self._keep(usable_id(id_), text if isinstance(text, str) else None, _NONE)
        if isinstance(entry, Repeating):
            for key in entry.repeated:
                self.wrong(kinds.KEY_REPEATED, f"{shown(key)} is written more than once")
        if _FIELDS.id not in entry:
            self.wrong(kinds.ID_MISSING, f"has no {_FIELDS.id}")
        elif self.ids[-1] is None:
            self.wrong(kinds.ID_UNUSABLE, f"{_FIELDS.id} is {shown(id_)}")
        if self.texts[-1] is None:
            given = _FIELDS.text in entry
            about = f"{_FIELDS.text} is {shown(text)}" if given else f"has no {_FIELDS.text}"
            self.wrong(kinds.TEXT_MISSING, about)
        self._read_predictions(entry)

    def _keep(self, id_: Id | None, text: str | None, block: Floats) -> None:
        self.ids.append(id_)
        self.texts.append(text)
        self.blocks.append(block)

    def _read_predictions(self, entry: dict[str, Any]) -> None:
        rows = entry.get(PREDICTIONS)
        if PREDICTIONS not in entry:
            self.wrong(kinds.PREDICTIONS_MISSING, f"has no {PREDICTIONS}")
        elif isinstance(rows, np.ndarray) and np.isfinite(rows).all():
            self.blocks[-1] = self._with_scores(rows)
        elif not isinstance(rows, list | np.ndarray):
            self.wrong(kinds.PREDICTIONS_NOT_A_LIST, f"{PREDICTIONS} is {shown(rows)}")
        elif not len(rows):
            self.wrong(kinds.PREDICTIONS_EMPTY, "has no prediction")
        else:
            written = rows if isinstance(rows, list) else rows.tolist()
            self.blocks[-1] = np.array([self._read_row(*row) for row in enumerate(written, 1)])

    def _with_scores(self, rows: Floats) -> Floats:
        if rows.shape[1] == COLUMNS:
            return rows
        for place in range(1, len(rows) + 1):
            self.wrong(kinds.SCORE_MISSING, _NO_SCORE, place)
        return np.column_stack([rows, np.full(len(rows), np.nan)])

    def _read_row(self, place: int, row: Any) -> list[float]:
        """Four numbers; NaN for a missing score, and all four in a row that cannot be used."""
        problem = _problem(row)
        if problem is not None:
            self.wrong(*problem, place)
            return [np.nan] * COLUMNS
        score = as_number(row[COLUMNS - 1]) if len(row) >= COLUMNS else None
        if len(row) < COLUMNS:
            self.wrong(kinds.SCORE_MISSING, _NO_SCORE, place)
        elif score is None or not np.isfinite(score):
            self.wrong(kinds.SCORE_UNUSABLE, f"the score is {shown(row[COLUMNS - 1])}", place)
            score = None
        elif len(row) > COLUMNS:
            self.wrong(kinds.TOO_LONG, f"has {len(row)} values", place)
        return [*map(float, row[: len(_NAMES)]), np.nan if score is None else score]

    def finished(self) -> TaskList:
        counts = [len(block) for block in self.blocks]
        values = np.concatenate(self.blocks)
        return TaskList(
            self.notes.file,
            self.task,
            tuple(self.ids),
            tuple(self.texts),
            np.concatenate([[0], np.cumsum(counts)]),
            values,
            np.isfinite(values[:, : len(_NAMES)]).all(axis=1),
        )


def read_entries(task: Task, entries: list[Any], notes: Notebook) -> TaskList:
    """The entries of a task; what is wrong with them is noted."""
    reader = _Reader(task, notes)
    for entry in entries:
        reader.read(entry)
    for kind in _ORDER:
        if kind in reader.tallies:
            notes.note_tally(kind, task, reader.tallies[kind], _DETAILS.get(kind, ""))
    return reader.finished()


def as_number(value: Any) -> float | None:
    """A number of JSON, finite or not; None for all that is no number.

    >>> as_number(3), as_number("3"), as_number(True), as_number(-(10**400))
    (3.0, None, None, -inf)
    """
    if type(value) not in (int, float):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number with hundreds of digits
        return math.inf if value > 0 else -math.inf


def _problem(row: Any) -> tuple[Kind, str] | None:
    """Why a row has no video, start and end; None if it has them."""
    if not isinstance(row, list):
        return kinds.UNUSABLE, f"is {shown(row)}, not a list"
    if len(row) < len(_NAMES):
        has = f"has {counted(len(row), 'value')}"
        return kinds.UNUSABLE, f"{has}, needs video, start, end and score"
    for name, value in zip(_NAMES, row, strict=False):
        number = as_number(value)
        if number is None:
            return kinds.UNUSABLE, f"the {name} is {shown(value)}, not a number"
        if not np.isfinite(number):
            return kinds.NOT_FINITE, f"the {name} is {shown(value)}"
    return None
