"""Predictions: as rankings (how long, in which order, what comes more than once), and their times,
0 ≤ start < end ≤ duration of the video."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.base.messages import pluralise
from engine.moments.check.fault_kinds import Fault, FaultKind
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.task_list import TaskList
from engine.moments.check.videos import VideoIndex, VideoMatches
from engine.moments.moments_source import MOST_PREDICTIONS


def check_ranking(entries: TaskList, notes: FaultLog) -> None:
    """Lengths of the lists, repeats, and the order of the scores."""
    _lengths(entries, notes)
    if len(entries.rows.values):
        note_repeats(entries, notes)
        note_order(entries, Fault.SCORES_RISE, Fault.SCORES_UNORDERED, notes)


def _lengths(entries: TaskList, notes: FaultLog) -> None:
    counts = entries.rows.counts
    note_too_many(entries, MOST_PREDICTIONS, "only the first {} are used", notes)
    few = np.flatnonzero((counts < MOST_PREDICTIONS) & (counts > 0))
    fewest = f"{counts[few].min(initial=MOST_PREDICTIONS):,}"
    notes.note_each(Fault.TOO_FEW, entries.task, few, partial(_say_length, entries), fewest)


def note_too_many(entries: TaskList, most: int, says: str, notes: FaultLog) -> None:
    """Lists with more predictions than are looked at."""
    counts = entries.rows.counts
    nouns = pluralise(0, notes.words.prediction).removeprefix("0 ")
    detail = f"more than {most} {nouns}, up to {counts.max(initial=0):,}: {says.format(most)}"
    many = np.flatnonzero(counts > most)
    notes.note_each(Fault.TOO_MANY, entries.task, many, partial(_say_length, entries), detail)


def _say_length(entries: TaskList, entry: int) -> FaultExample:
    count = pluralise(entries.rows.counts[entry], entries.at.words.prediction)
    return entries.at_entry(entry, count)


def note_repeats(entries: TaskList, notes: FaultLog) -> None:
    """Predictions, or in VR videos, that come more than once in a list."""
    is_vr = entries.task == "VR"
    kind = Fault.VIDEO_REPEATED if is_vr else Fault.PREDICTION_REPEATED
    columns = entries.rows.values[:, :1] if is_vr else entries.rows.values[:, :3]
    again = entries.usable & find_repeated_rows(entries.rows.queries, columns)
    says = "the same video as before" if is_vr else "the same as an earlier one"
    _note_entries(kind, entries, again, says, notes)


def find_repeated_rows(entries: AnyInts, columns: AnyFloats) -> Bools:
    """Which rows are equal to an earlier row of the same entry.

    >>> find_repeated_rows(np.array([0, 0, 0, 1]), np.array([[7.0], [8.0], [7.0], [7.0]]))
    array([False, False,  True, False])
    """
    # Sorting one key is ten times as fast as sorting by all columns; equal keys are looked at.
    keys = entries.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for column in columns.T:
        bits = np.ascontiguousarray(column + 0.0).view(np.uint64)  # + 0.0: -0.0 is 0.0
        keys = (keys ^ (bits ^ (bits >> np.uint64(29)))) * np.uint64(0xBF58476D1CE4E5B9)
        keys ^= keys >> np.uint64(32)
    order = np.argsort(keys, kind="stable")
    alike = keys[order[1:]] == keys[order[:-1]]
    later, earlier = order[1:][alike], order[:-1][alike]
    same = _equal(entries, columns, later, earlier)
    if not same.all():  # two different rows have one key: sort by everything
        order = np.lexsort((*columns.T[::-1], entries))
        same = _equal(entries, columns, order[1:], order[:-1])
        later = order[1:]
    repeated = np.zeros(len(entries), np.bool_)
    repeated[later[same]] = True
    return repeated


def _equal(entries: AnyInts, columns: AnyFloats, some: AnyInts, others: AnyInts) -> Bools:
    equal: Bools = (entries[some] == entries[others]) & (columns[some] == columns[others]).all(1)
    return equal


def _note_entries(
    kind: FaultKind, entries: TaskList, which: Bools, says: str, notes: FaultLog
) -> None:
    """Rows, reported per entry: the first of them, and how many there are."""
    rows = np.flatnonzero(which)
    _, first, counts = np.unique(entries.rows.queries[rows], return_index=True, return_counts=True)

    def example(place: int) -> FaultExample:
        more = f" (and {counts[place] - 1:,} more in this {notes.words.entry})"
        return entries.at_row(rows[first[place]], f"{says}{more if counts[place] > 1 else ''}")

    notes.note_each(kind, entries.task, range(len(first)), example)


def note_order(entries: TaskList, rise: FaultKind, unordered: FaultKind, notes: FaultLog) -> None:
    """Lists whose scores only rise, and lists whose scores go up and down."""
    scores = entries.rows.values[:, 3]
    same_entry = entries.rows.queries[1:] == entries.rows.queries[:-1]
    rises = np.concatenate([[False], same_entry & (scores[1:] > scores[:-1])])
    falls = np.concatenate([[False], same_entry & (scores[1:] < scores[:-1])])
    rising, falling = np.zeros((2, len(entries)), np.bool_)
    rising[entries.rows.queries[rises]] = True
    falling[entries.rows.queries[falls]] = True
    only_rising = np.flatnonzero(rising & ~falling)

    def example(entry: int) -> FaultExample:
        own = scores[entries.rows.offsets[entry] : entries.rows.offsets[entry + 1]]
        given = own[~np.isnan(own)]
        return entries.at_entry(entry, f"score {given[0]:.6g} first, {given[-1]:.6g} last")

    notes.note_each(rise, entries.task, only_rising, example)
    mixed = rises & (rising & falling)[entries.rows.queries]
    _note_entries(unordered, entries, mixed, "scores higher than the one before it", notes)


def check_times(entries: TaskList, index: VideoIndex, found: VideoMatches, notes: FaultLog) -> None:
    """VR has no times: whatever stands there is not looked at."""
    if entries.task == "VR":
        return
    values, usable = entries.rows.values, entries.usable
    starts, ends = values[:, 1], values[:, 2]
    lengths = np.full(len(values), np.nan)
    if len(index.names):
        lengths[found.known] = index.durations[found.places[found.known]]

    def note(kind: FaultKind, which: Bools, says: str) -> None:
        """`says` is filled with the start and the end, and the video and its length."""

        def example(row: int) -> FaultExample:
            video = index.names[found.places[row]] if len(index.names) else ""
            times = map(format_seconds, (starts[row], ends[row], lengths[row]))
            return entries.at_row(row, says.format(*times, video))

        notes.note_each(kind, entries.task, np.flatnonzero(which & usable), example)

    note(Fault.START_NOT_BEFORE_END, starts >= ends, "start {0} is not before end {1}")
    note(Fault.NEGATIVE_START, starts < 0, "start {0} is below 0")
    # In float32, as the official script computes: times that were rounded to it are no mistake.
    with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and late
        starts32, ends32, lengths32 = (
            column.astype(np.float32) for column in (starts, ends, lengths)
        )
    over = starts32 >= lengths32
    late = (ends32 > lengths32) & ~over
    note(Fault.STARTS_AFTER_VIDEO, over, "start {0} is not inside the video {3} ({2} s)")
    note(Fault.ENDS_AFTER_VIDEO, late, "end {1} is after the end of the video {3} ({2} s)")


def format_seconds(value: float) -> str:
    """A time as a person would write it, and with a decimal point.

    >>> format_seconds(12), format_seconds(90.21000000000001), format_seconds(0.1 + 0.2)
    ('12.0', '90.21000000000001', '0.30000000000000004')
    """
    return repr(float(value))
