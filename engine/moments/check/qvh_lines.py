"""Lines of a QVHighlights submission as far as they can be read; what is wrong is noted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.moments.check import fault_kinds
from engine.moments.check.benchmark_terms import QVH_TERMS
from engine.moments.check.document import COLUMN_COUNT, parse_document
from engine.moments.check.fault_kinds import FaultKind
from engine.moments.check.reader import EntryReader, as_number, find_row_problem
from engine.moments.check.submission_fault import FaultExample, FaultLog, shorten
from engine.moments.check.task_list import TaskList

WINDOWS, SALIENCY = "pred_relevant_windows", "pred_saliency_scores"
_NAMES = ("start", "end", "score")
_ROW = "[start, end, score]"
_DETAILS = {
    fault_kinds.ID_MISSING: QVH_TERMS.id,
    fault_kinds.ID_UNUSABLE: QVH_TERMS.id,
    fault_kinds.TEXT_MISSING: QVH_TERMS.text,
    fault_kinds.PREDICTIONS_NOT_A_LIST: WINDOWS,
    fault_kinds.PREDICTIONS_EMPTY: WINDOWS,
    fault_kinds.UNUSABLE: _ROW,
    fault_kinds.TOO_LONG: _ROW,
}

_PARTS = {
    fault_kinds.PREDICTIONS_NOT_A_LIST: "MR",
    fault_kinds.PREDICTIONS_EMPTY: "MR",
    fault_kinds.UNUSABLE: "MR",
    fault_kinds.NOT_FINITE: "MR",
    fault_kinds.TOO_LONG: "MR",
    fault_kinds.SALIENCY_NOT_NUMBERS: "HL",
}


@dataclass(frozen=True, eq=False)
class SubmissionLines:
    """The lines that are objects.

    videos    the name of the video; None where there is none
    saliency  how many scores a line has; 0 if there are none, or none that can be used
    """

    entries: TaskList
    videos: tuple[str | None, ...]
    has_windows: tuple[bool, ...]
    has_saliency: tuple[bool, ...]
    saliency: tuple[int, ...]


@dataclass
class _Reader(EntryReader):
    videos: list[str | None] = field(default_factory=list)
    has_windows: list[bool] = field(default_factory=list)
    has_saliency: list[bool] = field(default_factory=list)
    saliency: list[int] = field(default_factory=list)

    def wrong_line(self, kind: FaultKind, number: int, message: str) -> None:
        """Something about a line that is no entry."""
        self.tally(kind).add(lambda: FaultExample(replace(self.at, number=number), message))

    def read(self, number: int, record: dict[str, Any]) -> None:
        self.begin(number, record)
        video = record.get(QVH_TERMS.video)
        self.videos.append(video if isinstance(video, str) else None)
        self.has_windows.append(WINDOWS in record)
        self.has_saliency.append(SALIENCY in record)
        if WINDOWS in record:
            self._windows(record[WINDOWS])
        self.saliency.append(self._saliency(record[SALIENCY]) if SALIENCY in record else 0)

    def _windows(self, windows: Any) -> None:
        if not isinstance(windows, list):
            self.wrong(fault_kinds.PREDICTIONS_NOT_A_LIST, f"{WINDOWS} is {shorten(windows)}")
        elif not windows:
            self.wrong(fault_kinds.PREDICTIONS_EMPTY, "has no window")
        else:
            self.blocks[-1] = np.array([self._window(*one) for one in enumerate(windows, 1)])

    def _window(self, place: int, window: Any) -> list[float]:
        """Four numbers, as in TVR: the number of the line, which stands for the video, then start,
        end and score; all NaN in a window that cannot be used."""
        problem = find_row_problem(window, _NAMES, "start, end and score")
        if problem is not None:
            self.wrong(*problem, place)
            return [np.nan] * COLUMN_COUNT
        if len(window) > len(_NAMES):
            self.wrong(fault_kinds.TOO_LONG, f"has {len(window)} values", place)
        return [len(self.ids) - 1, *map(float, window[: len(_NAMES)])]

    def _saliency(self, scores: Any) -> int:
        message = None
        if not isinstance(scores, list):
            message = f"is {shorten(scores)}"
        elif not scores:
            message = "is empty"
        else:
            for place, score in enumerate(scores, 1):
                number = as_number(score)
                if number is None or not np.isfinite(number):
                    message = f"number {place} is {shorten(score)}"
                    break
        if message is not None:
            self.wrong(fault_kinds.SALIENCY_NOT_NUMBERS, f"{SALIENCY}: {message}")
            return 0
        return len(scores)

    def lines(self) -> SubmissionLines:
        return SubmissionLines(
            self.finished("MR"),
            tuple(self.videos),
            tuple(self.has_windows),
            tuple(self.has_saliency),
            tuple(self.saliency),
        )


def read_lines(text: str, notes: FaultLog) -> SubmissionLines:
    """The objects of JSON lines; lines that are none are noted."""
    reader = _Reader(notes, notes.where())
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if not line or line.isspace():
            reader.wrong_line(fault_kinds.LINE_BLANK, number, "is blank")
            continue
        try:
            record = parse_document(line, Place(line=number))
        except InputError as error:
            reader.wrong_line(fault_kinds.LINE_NOT_JSON, number, error.message)
            continue
        if isinstance(record, dict):
            reader.read(number, record)
        else:
            reader.wrong_line(fault_kinds.LINE_NOT_AN_OBJECT, number, f"is {shorten(record)}")
    for kind, tally in reader.tallies.items():
        notes.note_tally(kind, _PARTS.get(kind, ""), tally, _DETAILS.get(kind, ""))
    return reader.lines()
