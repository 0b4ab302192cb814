"""Lines of a QVHighlights submission as far as they can be read; what is wrong is noted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from engine.errors import InputError, Place
from engine.moments.check import kinds
from engine.moments.check.document import Repeating, parse_document
from engine.moments.check.entries import as_number
from engine.moments.check.finding import Example, Notebook, Tally, Where, shown, usable_id
from engine.moments.check.kinds import Kind
from engine.moments.check.known import FIELDS
from engine.moments.check.task_list import TaskList
from engine.moments.truth import Id
from engine.words import counted

WINDOWS, SALIENCY = "pred_relevant_windows", "pred_saliency_scores"
_FIELDS = FIELDS["qvh"]
_NAMES = ("start", "end", "score")
_ROW = "[start, end, score]"
_LOST = (np.nan,) * 4
_DETAILS = {
    kinds.ID_MISSING: _FIELDS.id,
    kinds.ID_UNUSABLE: _FIELDS.id,
    kinds.TEXT_MISSING: _FIELDS.text,
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
class _Reader:
    notes: Notebook
    tallies: dict[Kind, Tally] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    ids: list[Id | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    videos: list[str | None] = field(default_factory=list)
    has_windows: list[bool] = field(default_factory=list)
    has_saliency: list[bool] = field(default_factory=list)
    saliency: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    rows: list[tuple[float, ...]] = field(default_factory=list)

    def wrong_line(self, kind: Kind, number: int, message: str) -> None:
        self._tally(kind).add(lambda: Example(Where(self.notes.file, line=number), message))

    def wrong(self, kind: Kind, message: str, window: int | None = None) -> None:
        """Something about the line that is being read, the last of `numbers`."""
        self._tally(kind).add(partial(self._example, message, window))

    def _example(self, message: str, window: int | None) -> Example:
        line, id_ = self.numbers[-1], self.ids[-1]
        return Example(Where(self.notes.file, line=line, id=id_, prediction=window), message)

    def _tally(self, kind: Kind) -> Tally:
        if kind not in self.tallies:
            self.tallies[kind] = self.notes.tally()
        return self.tallies[kind]

    def read(self, number: int, record: dict[str, Any]) -> None:
        id_, text, video = (record.get(key) for key in (_FIELDS.id, _FIELDS.text, _FIELDS.video))
        self.numbers.append(number)
        self.ids.append(usable_id(id_))
        self.texts.append(text if isinstance(text, str) else None)
        self.videos.append(video if isinstance(video, str) else None)
        self.has_windows.append(WINDOWS in record)
        self.has_saliency.append(SALIENCY in record)
        if isinstance(record, Repeating):
            for key in record.repeated:
                self.wrong(kinds.KEY_REPEATED, f"{shown(key)} is written more than once")
        if _FIELDS.id not in record:
            self.wrong(kinds.ID_MISSING, f"has no {_FIELDS.id}")
        elif self.ids[-1] is None:
            self.wrong(kinds.ID_UNUSABLE, f"{_FIELDS.id} is {shown(id_)}")
        if self.texts[-1] is None:
            self.wrong(kinds.TEXT_MISSING, f"has no {_FIELDS.text} that is a text")
        self.counts.append(self._windows(record[WINDOWS]) if WINDOWS in record else 0)
        self.saliency.append(self._saliency(record[SALIENCY]) if SALIENCY in record else 0)

    def _windows(self, windows: Any) -> int:
        if not isinstance(windows, list):
            self.wrong(kinds.PREDICTIONS_NOT_A_LIST, f"{WINDOWS} is {shown(windows)}")
            return 0
        if not windows:
            self.wrong(kinds.PREDICTIONS_EMPTY, "has no window")
        video = len(self.ids) - 1
        for place, window in enumerate(windows, 1):
            problem = _problem(window)
            if problem is not None:
                self.wrong(*problem, place)
                self.rows.append(_LOST)
                continue
            if len(window) > len(_NAMES):
                self.wrong(kinds.TOO_LONG, f"has {len(window)} values", place)
            self.rows.append((video, *map(float, window[: len(_NAMES)])))
        return len(windows)

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

    def finished(self) -> Lines:
        values = np.array(self.rows, np.float64).reshape(-1, len(_LOST))
        entries = TaskList(
            self.notes.file,
            "MR",
            tuple(self.ids),
            tuple(self.texts),
            np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)]),
            values,
            np.asarray(np.isfinite(values).all(axis=1)),
            tuple(self.numbers),
        )
        return Lines(
            entries,
            tuple(self.videos),
            tuple(self.has_windows),
            tuple(self.has_saliency),
            tuple(self.saliency),
        )


def read_lines(text: str, notes: Notebook) -> Lines:
    """The objects of JSON lines; lines that are none are noted."""
    reader = _Reader(notes)
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
    return reader.finished()


def _problem(window: Any) -> tuple[Kind, str] | None:
    """Why a window has no start, end and score; None if it has them."""
    if not isinstance(window, list):
        return kinds.UNUSABLE, f"is {shown(window)}, not a list"
    if len(window) < len(_NAMES):
        return kinds.UNUSABLE, f"has {counted(len(window), 'value')}, needs start, end and score"
    for name, value in zip(_NAMES, window, strict=False):
        number = as_number(value)
        if number is None:
            return kinds.UNUSABLE, f"the {name} is {shown(value)}, not a number"
        if not np.isfinite(number):
            return kinds.NOT_FINITE, f"the {name} is {shown(value)}"
    return None
