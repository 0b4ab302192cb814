"""TaskList: the entries of one task as far as they could be read, with their predictions in one
array."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.moments.assessed import Task
from engine.moments.check.finding import Example, Where
from engine.moments.truth import Bools, Floats, Id, Ints


@dataclass(frozen=True, eq=False)
class TaskList:
    """One row per entry of the file, in its order; also for those that are broken.

    file     the name inside a zip, or ""
    ids      None where an entry has none that can be used
    texts    None where an entry has none
    offsets  the predictions of entry i are rows offsets[i] to offsets[i + 1]
    values   video, start, end, score; NaN where there is none
    usable   which rows have three finite numbers: video, start and end
    lines    the line of every entry, where entries are lines (QVHighlights)
    """

    file: str
    task: Task
    ids: tuple[Id | None, ...]
    texts: tuple[str | None, ...]
    offsets: Ints
    values: Floats
    usable: Bools
    lines: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def entries(self) -> Ints:
        """The entry of every prediction."""
        return np.repeat(np.arange(len(self)), self.counts)

    @cached_property
    def counts(self) -> Ints:
        """Predictions per entry."""
        return np.diff(self.offsets)

    def where(self, entry: int, prediction: int | None = None) -> Where:
        id_ = self.ids[entry]
        if self.lines is not None:
            return Where(self.file, line=self.lines[entry], id=id_, prediction=prediction)
        return Where(self.file, self.task, int(entry) + 1, id=id_, prediction=prediction)

    def absent(self, id_: Id) -> Where:
        """Where an entry should be that is not there."""
        is_qvh = self.lines is not None
        return Where(self.file, "" if is_qvh else self.task, id=id_, qvh=is_qvh)

    def at_entry(self, entry: int, message: str) -> Example:
        return Example(self.where(entry), message)

    def at_row(self, row: int, message: str) -> Example:
        entry = int(self.entries[row])
        return Example(self.where(entry, int(row - self.offsets[entry]) + 1), message)
