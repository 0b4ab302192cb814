"""Entries of a task of TVR: an id, a text and predictions each, or it is noted what is wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.base.arrays import AnyFloats
from engine.moments.check import fault_kinds
from engine.moments.check.benchmark_terms import TVR_TERMS
from engine.moments.check.document import COLUMN_COUNT, PREDICTIONS
from engine.moments.check.reader import EntryReader, as_number, find_row_problem
from engine.moments.check.submission_fault import FaultLog, shorten
from engine.moments.check.task_list import TaskList
from engine.moments.judged_predictions import Task

_NEEDED = ("video", "start", "end")
_ROW = "[video, start, end, score]"
_NO_SCORE = "has no score"

_DETAILS = {
    fault_kinds.ID_MISSING: TVR_TERMS.id,
    fault_kinds.ID_UNUSABLE: TVR_TERMS.id,
    fault_kinds.TEXT_MISSING: TVR_TERMS.text,
    fault_kinds.PREDICTIONS_MISSING: PREDICTIONS,
    fault_kinds.PREDICTIONS_NOT_A_LIST: PREDICTIONS,
    fault_kinds.PREDICTIONS_EMPTY: PREDICTIONS,
    fault_kinds.UNUSABLE: _ROW,
    fault_kinds.TOO_LONG: _ROW,
}
_ORDER = (
    fault_kinds.ENTRY_NOT_AN_OBJECT,
    fault_kinds.KEY_REPEATED,
    *_DETAILS,
    fault_kinds.NOT_FINITE,
    fault_kinds.SCORE_MISSING,
    fault_kinds.SCORE_UNUSABLE,
)


class _Reader(EntryReader):
    def read(self, number: int, entry: Any) -> None:
        if isinstance(entry, dict):
            self.begin(number, entry)
            self._read_predictions(entry)
        else:
            self.keep(number, None, None)
            self.wrong(fault_kinds.ENTRY_NOT_AN_OBJECT, f"is {shorten(entry)}")

    def _read_predictions(self, entry: dict[str, Any]) -> None:
        rows = entry.get(PREDICTIONS)
        if PREDICTIONS not in entry:
            self.wrong(fault_kinds.PREDICTIONS_MISSING, f"has no {PREDICTIONS}")
        elif isinstance(rows, np.ndarray):
            self.blocks[-1] = self._with_scores(rows)
        elif not isinstance(rows, list):
            self.wrong(fault_kinds.PREDICTIONS_NOT_A_LIST, f"{PREDICTIONS} is {shorten(rows)}")
        elif not rows:
            self.wrong(fault_kinds.PREDICTIONS_EMPTY, "has no prediction")
        else:
            self.blocks[-1] = np.array([self._read_row(*row) for row in enumerate(rows, 1)])

    def _with_scores(self, rows: AnyFloats) -> AnyFloats:
        if rows.shape[1] == COLUMN_COUNT:
            return rows
        for place in range(1, len(rows) + 1):
            self.wrong(fault_kinds.SCORE_MISSING, _NO_SCORE, place)
        return np.column_stack([rows, np.full(len(rows), np.nan)])

    def _read_row(self, place: int, row: Any) -> list[float]:
        """Four numbers; NaN for a missing score, and all four in a row that cannot be used."""
        problem = find_row_problem(row, _NEEDED, "video, start, end and score")
        if problem is not None:
            self.wrong(*problem, place)
            return [math.nan] * COLUMN_COUNT
        score = as_number(row[COLUMN_COUNT - 1]) if len(row) >= COLUMN_COUNT else None
        if len(row) < COLUMN_COUNT:
            self.wrong(fault_kinds.SCORE_MISSING, _NO_SCORE, place)
        elif score is None or not math.isfinite(score):
            self.wrong(
                fault_kinds.SCORE_UNUSABLE, f"the score is {shorten(row[COLUMN_COUNT - 1])}", place
            )
            score = None
        elif len(row) > COLUMN_COUNT:
            self.wrong(fault_kinds.TOO_LONG, f"has {len(row)} values", place)
        return [*map(float, row[: len(_NEEDED)]), math.nan if score is None else score]


def read_entries(task: Task, entries: list[Any], notes: FaultLog) -> TaskList:
    """The entries of a task; what is wrong with them is noted."""
    reader = _Reader(notes, notes.where(task))
    for number, entry in enumerate(entries, 1):
        reader.read(number, entry)
    for kind in _ORDER:
        if kind in reader.tallies:
            notes.note_tally(kind, task, reader.tallies[kind], _DETAILS.get(kind, ""))
    return reader.finished(task)
