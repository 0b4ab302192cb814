"""Lines of a QVHighlights submission as far as they can be read; what is wrong is noted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.moments.check import kinds
from engine.moments.check.document import COLUMNS, parse_document
from engine.moments.check.finding import Example, Notebook, shown
from engine.moments.check.kinds import Kind
from engine.moments.check.reader import EntryReader, as_number, row_problem
from engine.moments.check.task_list import TaskList
from engine.moments.check.words import QVH

WINDOWS, SALIENCY = "pred_relevant_windows", "pred_saliency_scores"
_NAMES = ("start", "end", "score")
_ROW = "[start, end, score]"
_DETAILS = {
    kinds.ID_MISSING: QVH.id,
    kinds.ID_UNUSABLE: QVH.id,
    kinds.TEXT_MISSING: QVH.text,
    kinds.PREDICTIONS_NOT_A_LIST: WINDOWS,
    kinds.PREDICTIONS_EMPTY: WINDOWS,
    kinds.UNUSABLE: _ROW,
    kinds.TOO_LONG: _ROW,
}

_PARTS = {
    kinds.PREDICTIONS_NOT_A_LIST: "MR",
    kinds.PREDICTIONS_EMPTY: "MR",
    kinds.UNUSABLE: "MR",
    kinds.NOT_FINITE: "MR",
    kinds.TOO_LONG: "MR",
    kinds.SALIENCY_NOT_NUMBERS: "HL",
}


@dataclass(frozen=True, eq=False)
class Lines:
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

    def wrong_line(self, kind: Kind, number: int, message: str) -> None:
        """Something about a line that is no entry."""
        self.tally(kind).add(lambda: Example(replace(self.at, number=number), message))

    def read(self, number: int, record: dict[str, Any]) -> None:
        self.begin(number, record)
        video = record.get(QVH.video)
        self.videos.append(video if isinstance(video, str) else None)
        self.has_windows.append(WINDOWS in record)
        self.has_saliency.append(SALIENCY in record)
        if WINDOWS in record:
            self._windows(record[WINDOWS])
        self.saliency.append(self._saliency(record[SALIENCY]) if SALIENCY in record else 0)

    def _windows(self, windows: Any) -> None:
        if not isinstance(windows, list):
            self.wrong(kinds.PREDICTIONS_NOT_A_LIST, f"{WINDOWS} is {shown(windows)}")
        elif not windows:
            self.wrong(kinds.PREDICTIONS_EMPTY, "has no window")
        else:
            self.blocks[-1] = np.array([self._window(*one) for one in enumerate(windows, 1)])

    def _window(self, place: int, window: Any) -> list[float]:
        """Four numbers, as in TVR: the number of the line, which stands for the video, then start,
        end and score; all NaN in a window that cannot be used."""
        problem = row_problem(window, _NAMES, "start, end and score")
        if problem is not None:
            self.wrong(*problem, place)
            return [np.nan] * COLUMNS
        if len(window) > len(_NAMES):
            self.wrong(kinds.TOO_LONG, f"has {len(window)} values", place)
        return [len(self.ids) - 1, *map(float, window[: len(_NAMES)])]

    def _saliency(self, scores: Any) -> int:
        message = None
        if not isinstance(scores, list):
            message = f"is {shown(scores)}"
        elif not scores:
            message = "is empty"
        else:
            for place, score in enumerate(scores, 1):
                number = as_number(score)
                if number is None or not np.isfinite(number):
                    message = f"number {place} is {shown(score)}"
                    break
        if message is not None:
            self.wrong(kinds.SALIENCY_NOT_NUMBERS, f"{SALIENCY}: {message}")
            return 0
        return len(scores)

    def lines(self) -> Lines:
        return Lines(
            self.finished("MR"),
            tuple(self.videos),
            tuple(self.has_windows),
            tuple(self.has_saliency),
            tuple(self.saliency),
        )


def read_lines(text: str, notes: Notebook) -> Lines:
    """The objects of JSON lines; lines that are none are noted."""
    reader = _Reader(notes, notes.where())
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if not line or line.isspace():
            reader.wrong_line(kinds.LINE_BLANK, number, "is blank")
            continue
        try:
            record = parse_document(line, Place(line=number))
        except InputError as error:
            reader.wrong_line(kinds.LINE_NOT_JSON, number, error.message)
            continue
        if isinstance(record, dict):
            reader.read(number, record)
        else:
            reader.wrong_line(kinds.LINE_NOT_AN_OBJECT, number, f"is {shown(record)}")
    for kind, tally in reader.tallies.items():
        notes.note_tally(kind, _PARTS.get(kind, ""), tally, _DETAILS.get(kind, ""))
    return reader.lines()
