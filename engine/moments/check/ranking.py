"""Lists of predictions as rankings: how long, in which order, and what comes more than once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.base.messages import pluralise
from engine.moments.check import fault_kinds
from engine.moments.check.fault_kinds import FaultKind
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.task_list import TaskList
from engine.moments.moments_source import MOST_PREDICTIONS


def check_ranking(entries: TaskList, notes: FaultLog) -> None:
    """Lengths of the lists, repeats, and the order of the scores."""
    _lengths(entries, notes)
    if len(entries.values):
        note_repeats(entries, notes)
        note_order(entries, fault_kinds.SCORES_RISE, fault_kinds.SCORES_UNORDERED, notes)


def _lengths(entries: TaskList, notes: FaultLog) -> None:
    counts = entries.counts
    for kind, some, detail in (
        (fault_kinds.TOO_MANY, np.flatnonzero(counts > MOST_PREDICTIONS), _too_many(counts)),
        (
            fault_kinds.TOO_FEW,
            np.flatnonzero((counts < MOST_PREDICTIONS) & (counts > 0)),
            f"{counts[counts > 0].min() if counts.any() else 0:,}",
        ),
    ):
        examples = (
            entries.at_entry(entry, pluralise(counts[entry], "prediction"))
            for entry in map(int, some)
        )
        notes.note_each(kind, entries.task, len(some), examples, detail)


def _too_many(counts: AnyInts) -> str:
    return (
        f"more than {MOST_PREDICTIONS} predictions, up to {counts.max(initial=0):,}: "
        f"only the first {MOST_PREDICTIONS} are used"
    )


def note_repeats(entries: TaskList, notes: FaultLog) -> None:
    """Predictions, or in VR videos, that come more than once in a list."""
    is_vr = entries.task == "VR"
    kind = fault_kinds.VIDEO_REPEATED if is_vr else fault_kinds.PREDICTION_REPEATED
    columns = entries.values[:, :1] if is_vr else entries.values[:, :3]
    again = entries.usable & find_repeated_rows(entries.entries, columns)
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
    numbers, first, counts = np.unique(entries.entries[rows], return_index=True, return_counts=True)

    def examples() -> Iterator[FaultExample]:
        for place, count in zip(first, counts, strict=True):
            more = f" (and {count - 1:,} more in this {notes.words.entry})" if count > 1 else ""
            yield entries.at_row(rows[place], f"{says}{more}")

    notes.note_each(kind, entries.task, len(numbers), examples())


def note_order(entries: TaskList, rise: FaultKind, unordered: FaultKind, notes: FaultLog) -> None:
    """Lists whose scores only rise, and lists whose scores go up and down."""
    scores = entries.values[:, 3]
    same_entry = entries.entries[1:] == entries.entries[:-1]
    rises = np.concatenate([[False], same_entry & (scores[1:] > scores[:-1])])
    falls = np.concatenate([[False], same_entry & (scores[1:] < scores[:-1])])
    rising, falling = np.zeros((2, len(entries)), np.bool_)
    rising[entries.entries[rises]] = True
    falling[entries.entries[falls]] = True
    only_rising = np.flatnonzero(rising & ~falling)
    examples = (
        entries.at_entry(entry, "score {:.6g} first, {:.6g} last".format(*_ends(entries, entry)))
        for entry in map(int, only_rising)
    )
    notes.note_each(rise, entries.task, len(only_rising), examples)
    mixed = rises & (rising & falling)[entries.entries]
    _note_entries(unordered, entries, mixed, "scores higher than the one before it", notes)


def _ends(entries: TaskList, entry: int) -> tuple[float, float]:
    scores = entries.values[entries.offsets[entry] : entries.offsets[entry + 1], 3]
    given = scores[~np.isnan(scores)]
    return float(given[0]), float(given[-1])
