"""EntryReader: what entries of both benchmarks have in common, an id, a text and rows of numbers.
What is wrong is tallied by kind, with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from engine.base.arrays import AnyFloats, Bools
from engine.base.messages import pluralise
from engine.files.text import JsonObject
from engine.moments.check.fault_kinds import Fault, FaultKind
from engine.moments.check.submission_fault import (
    FaultExample,
    FaultLog,
    FaultPlace,
    PlaceCounter,
)
from engine.moments.json_values import find_row_problem, shorten
from engine.moments.judged_predictions import QueryId
from engine.moments.query_ids import parse_id
from engine.moments.ragged_lists import RaggedLists
from engine.moments.tasks import Task

COLUMN_COUNT = 4
"""Numbers of a prediction: video, start, end and score."""


@dataclass(frozen=True, eq=False)
class TaskList:
    """One row per entry of the file, in its order; also for those that are broken.

    at       the place that all of them share
    numbers  of the entries, or of the lines that they are (QVHighlights)
    ids      None where an entry has none that can be used
    texts    None where an entry has none
    rows     the predictions of each entry: video, start, end, score; NaN where there is none
    """

    at: FaultPlace
    task: Task
    numbers: tuple[int, ...]
    ids: tuple[QueryId | None, ...]
    texts: tuple[str | None, ...]
    rows: RaggedLists

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def content(self) -> str:
        """How much there is."""
        words = self.at.words
        predictions = pluralise(len(self.rows.values), words.prediction)
        return f"{pluralise(len(self), words.entry)} with {predictions}"

    @cached_property
    def usable(self) -> Bools:
        """Which rows have three finite numbers: video, start and end."""
        usable: Bools = np.logical_and.reduce(np.isfinite(self.rows.values[:, :3]), axis=1)
        return usable

    def absent(self, id_: QueryId) -> FaultPlace:
        """Where an entry should be that is not there."""
        return replace(self.at, id=id_)

    def at_entry(self, entry: int, message: str, prediction: int | None = None) -> FaultExample:
        number, id_ = self.numbers[entry], self.ids[entry]
        return FaultExample(replace(self.at, number=number, id=id_, prediction=prediction), message)

    def at_row(self, row: int, message: str) -> FaultExample:
        place = int(self.rows.places[row]) + 1
        return self.at_entry(int(self.rows.queries[row]), message, place)


NO_ROWS = np.empty((0, COLUMN_COUNT))


@dataclass
class EntryReader:
    """Takes one entry after the other; `number` is that of the entry or line being read.

    at      the place that all entries share
    needed  what a row must begin with
    blocks  the predictions of each entry: video, start, end, score
    """

    notes: FaultLog
    at: FaultPlace
    needed: Sequence[str]
    tallies: dict[FaultKind, PlaceCounter] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    ids: list[QueryId | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    blocks: list[AnyFloats] = field(default_factory=list)

    def wrong(self, kind: FaultKind, message: str, prediction: int | None = None) -> None:
        """Something about the entry that was begun last."""
        self.tally(kind).add(partial(self._example, message, prediction))

    def _example(self, message: str, prediction: int | None) -> FaultExample:
        number, id_ = self.numbers[-1], self.ids[-1]
        return FaultExample(replace(self.at, number=number, id=id_, prediction=prediction), message)

    def tally(self, kind: FaultKind) -> PlaceCounter:
        if kind not in self.tallies:
            self.tallies[kind] = self.notes.tally()
        return self.tallies[kind]

    def begin(self, number: int, record: JsonObject) -> None:
        """The id and the text of an entry; it has no rows yet."""
        words = self.at.words
        id_, text = record.get(words.id), record.get(words.text)
        self.keep(number, parse_id(id_), text if isinstance(text, str) else None)
        for key in record.repeated:
            self.wrong(Fault.KEY_REPEATED, f"{shorten(key)} is written more than once")
        if words.id not in record:
            self.wrong(Fault.ID_MISSING, f"has no {words.id}")
        elif self.ids[-1] is None:
            self.wrong(Fault.ID_UNUSABLE, f"{words.id} is {shorten(id_)}")
        if words.text not in record:
            self.wrong(Fault.TEXT_MISSING, f"has no {words.text}")
        elif self.texts[-1] is None:
            self.wrong(Fault.TEXT_MISSING, f"{words.text} is {shorten(text)}")

    def keep(self, number: int, id_: QueryId | None, text: str | None) -> None:
        self.numbers.append(number)
        self.ids.append(id_)
        self.texts.append(text)
        self.blocks.append(NO_ROWS)

    def read_list(self, rows: Any) -> None:
        """The predictions of the entry that was begun last."""
        words = self.at.words
        if not isinstance(rows, list):
            self.wrong(Fault.PREDICTIONS_NOT_A_LIST, f"{words.list} is {shorten(rows)}")
        elif not rows:
            self.wrong(Fault.PREDICTIONS_EMPTY, f"has no {words.prediction}")
        else:
            self.blocks[-1] = np.array([self._read_row(*row) for row in enumerate(rows, 1)])

    def _read_row(self, place: int, row: Any) -> list[float]:
        """Four numbers; all NaN in a row that cannot be used."""
        *others, last = self.at.words.row.strip("[]").split(", ")
        problem = find_row_problem(row, self.needed, f"{', '.join(others)} and {last}")
        if problem is None:
            return self.read_numbers(place, row)
        kind = Fault.NOT_FINITE if problem.of_size else Fault.UNUSABLE
        self.wrong(kind, problem.message, place)
        return [np.nan] * COLUMN_COUNT

    def read_numbers(self, place: int, row: list[Any]) -> list[float]:
        """The numbers of a row that has those that are needed."""
        raise NotImplementedError

    def finished(self, task: Task) -> TaskList:
        rows = RaggedLists.of(map(len, self.blocks), np.concatenate([NO_ROWS, *self.blocks]))
        return TaskList(
            self.at,
            task,
            tuple(self.numbers),
            tuple(self.ids),
            tuple(self.texts),
            rows,
        )
