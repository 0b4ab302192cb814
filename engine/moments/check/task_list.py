"""EntryReader: what entries of both benchmarks have in common, an id, a text and rows of numbers.
What is wrong is tallied by kind, with its place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.base.messages import pluralise
from engine.moments.check.document import COLUMN_COUNT, RepeatedKeys
from engine.moments.check.fault_kinds import Fault, FaultKind
from engine.moments.check.submission_fault import (
    FaultExample,
    FaultLog,
    FaultPlace,
    PlaceCounter,
    parse_id,
    shorten,
)
from engine.moments.judged_predictions import QueryId
from engine.moments.number_rows import as_float
from engine.moments.tasks import Task


@dataclass(frozen=True, eq=False)
class TaskList:
    """One row per entry of the file, in its order; also for those that are broken.

    at       the place that all of them share
    numbers  of the entries, or of the lines that they are (QVHighlights)
    ids      None where an entry has none that can be used
    texts    None where an entry has none
    offsets  the predictions of entry i are rows offsets[i] to offsets[i + 1]
    values   video, start, end, score; NaN where there is none
    usable   which rows have three finite numbers: video, start and end
    """

    at: FaultPlace
    task: Task
    numbers: tuple[int, ...]
    ids: tuple[QueryId | None, ...]
    texts: tuple[str | None, ...]
    offsets: AnyInts
    values: AnyFloats
    usable: Bools

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def entries(self) -> AnyInts:
        """The entry of every prediction."""
        return np.repeat(np.arange(len(self)), self.counts)

    @cached_property
    def counts(self) -> AnyInts:
        """Predictions per entry."""
        return np.diff(self.offsets)

    def where(self, entry: int, prediction: int | None = None) -> FaultPlace:
        number, id_ = self.numbers[entry], self.ids[entry]
        return replace(self.at, number=number, id=id_, prediction=prediction)

    def absent(self, id_: QueryId) -> FaultPlace:
        """Where an entry should be that is not there."""
        return replace(self.at, id=id_)

    def at_entry(self, entry: int, message: str) -> FaultExample:
        return FaultExample(self.where(entry), message)

    def at_row(self, row: int, message: str) -> FaultExample:
        entry = int(self.entries[row])
        return FaultExample(self.where(entry, int(row - self.offsets[entry]) + 1), message)


NO_ROWS = np.empty((0, COLUMN_COUNT))


@dataclass
class EntryReader:
    """Takes one entry after the other; `number` is that of the entry or line being read.

    at      the place that all entries share
    blocks  the predictions of each entry: video, start, end, score
    """

    notes: FaultLog
    at: FaultPlace
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

    def begin(self, number: int, record: Mapping[str, Any]) -> None:
        """The id and the text of an entry; it has no rows yet."""
        words = self.at.words
        id_, text = record.get(words.id), record.get(words.text)
        self.keep(number, parse_id(id_), text if isinstance(text, str) else None)
        if isinstance(record, RepeatedKeys):
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

    def finished(self, task: Task) -> TaskList:
        values = np.concatenate([NO_ROWS, *self.blocks])
        return TaskList(
            self.at,
            task,
            tuple(self.numbers),
            tuple(self.ids),
            tuple(self.texts),
            np.cumsum([0, *map(len, self.blocks)]),
            values,
            np.isfinite(values[:, :3]).all(axis=1),
        )


def as_number(value: Any) -> float | None:
    """A number of JSON, finite or not; None for all that is no number.

    >>> as_number(3), as_number("3"), as_number(True), as_number(-(10**400))
    (3.0, None, None, -inf)
    """
    return as_float(value) if type(value) in (int, float) else None


def find_row_problem(row: Any, names: Sequence[str], needs: str) -> tuple[FaultKind, str] | None:
    """Why a row does not begin with numbers of these names; None if it does.

    >>> find_row_problem([1, None], ["start", "end"], "start and end")[1]
    'the end is null, not a number'
    """
    if not isinstance(row, list):
        return Fault.UNUSABLE, f"is {shorten(row)}, not a list"
    if len(row) < len(names):
        return Fault.UNUSABLE, f"has {pluralise(len(row), 'value')}, needs {needs}"
    for name, value in zip(names, row, strict=False):
        number = as_number(value)
        if number is None:
            return Fault.UNUSABLE, f"the {name} is {shorten(value)}, not a number"
        if not math.isfinite(number):
            return Fault.NOT_FINITE, f"the {name} is {shorten(value)}"
    return None
