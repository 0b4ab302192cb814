"""Times of predictions: 0 ≤ start < end ≤ duration of the video."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.base.arrays import Bools
from engine.moments.check import kinds
from engine.moments.check.finding import Notebook
from engine.moments.check.kinds import Kind
from engine.moments.check.task_list import TaskList
from engine.moments.check.videos import Found, Index


def check_times(entries: TaskList, index: Index, found: Found, notes: Notebook) -> None:
    """VR has no times: whatever stands there is not looked at."""
    if entries.task == "VR":
        return
    values, usable = entries.values, entries.usable
    starts, ends = values[:, 1], values[:, 2]
    lengths = np.full(len(values), np.nan)
    if len(index.names):
        lengths[found.known] = index.durations[found.places[found.known]]

    def video(row: int) -> str:
        return f"the video {index.names[found.places[row]]} ({seconds(lengths[row])} s)"

    def note(kind: Kind, which: Bools, message: Callable[[int], str]) -> None:
        rows = np.flatnonzero(which & usable)
        examples = (entries.at_row(row, message(row)) for row in map(int, rows))
        notes.note_each(kind, entries.task, len(rows), examples)

    note(
        kinds.START_NOT_BEFORE_END,
        starts >= ends,
        lambda row: f"start {seconds(starts[row])} is not before end {seconds(ends[row])}",
    )
    note(kinds.NEGATIVE_START, starts < 0, lambda row: f"start {seconds(starts[row])} is below 0")
    # In float32, as the official script computes: times that were rounded to it are no mistake.
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and late
        starts32, ends32, lengths32 = (
            column.astype(np.float32) for column in (starts, ends, lengths)
        )
    over = starts32 >= lengths32
    note(
        kinds.STARTS_AFTER_VIDEO,
        over,
        lambda row: f"start {seconds(starts[row])} is not inside {video(row)}",
    )
    note(
        kinds.ENDS_AFTER_VIDEO,
        (ends32 > lengths32) & ~over,
        lambda row: f"end {seconds(ends[row])} is after the end of {video(row)}",
    )


def seconds(value: float) -> str:
    """A time as a person would write it, and with a decimal point.

    >>> seconds(12), seconds(90.21000000000001), seconds(0.1 + 0.2)
    ('12.0', '90.21000000000001', '0.30000000000000004')
    """
    return repr(float(value))
