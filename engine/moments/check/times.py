"""Times of predictions: 0 ≤ start < end ≤ duration of the video."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.base.arrays import Bools
from engine.moments.check import fault_kinds
from engine.moments.check.fault_kinds import FaultKind
from engine.moments.check.submission_fault import FaultLog
from engine.moments.check.task_list import TaskList
from engine.moments.check.videos import VideoIndex, VideoMatches


def check_times(entries: TaskList, index: VideoIndex, found: VideoMatches, notes: FaultLog) -> None:
    """VR has no times: whatever stands there is not looked at."""
    if entries.task == "VR":
        return
    values, usable = entries.values, entries.usable
    starts, ends = values[:, 1], values[:, 2]
    lengths = np.full(len(values), np.nan)
    if len(index.names):
        lengths[found.known] = index.durations[found.places[found.known]]

    def video(row: int) -> str:
        return f"the video {index.names[found.places[row]]} ({format_seconds(lengths[row])} s)"

    def note(kind: FaultKind, which: Bools, message: Callable[[int], str]) -> None:
        rows = np.flatnonzero(which & usable)
        examples = (entries.at_row(row, message(row)) for row in map(int, rows))
        notes.note_each(kind, entries.task, len(rows), examples)

    note(
        fault_kinds.START_NOT_BEFORE_END,
        starts >= ends,
        lambda row: (
            f"start {format_seconds(starts[row])} is not before end {format_seconds(ends[row])}"
        ),
    )
    note(
        fault_kinds.NEGATIVE_START,
        starts < 0,
        lambda row: f"start {format_seconds(starts[row])} is below 0",
    )
    # In float32, as the official script computes: times that were rounded to it are no mistake.
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and late
        starts32, ends32, lengths32 = (
            column.astype(np.float32) for column in (starts, ends, lengths)
        )
    over = starts32 >= lengths32
    note(
        fault_kinds.STARTS_AFTER_VIDEO,
        over,
        lambda row: f"start {format_seconds(starts[row])} is not inside {video(row)}",
    )
    note(
        fault_kinds.ENDS_AFTER_VIDEO,
        (ends32 > lengths32) & ~over,
        lambda row: f"end {format_seconds(ends[row])} is after the end of {video(row)}",
    )


def format_seconds(value: float) -> str:
    """A time as a person would write it, and with a decimal point.

    >>> format_seconds(12), format_seconds(90.21000000000001), format_seconds(0.1 + 0.2)
    ('12.0', '90.21000000000001', '0.30000000000000004')
    """
    return repr(float(value))
