"""TaskList: the entries of one task as far as they could be read, with their predictions in one
array."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.moments.check.submission_fault import FaultExample, FaultPlace
from engine.moments.judged_predictions import Task
from engine.moments.truth import QueryId


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
