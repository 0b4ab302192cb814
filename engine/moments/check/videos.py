"""Videos: the table video2idx, and the indices that predictions name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.base.messages import pluralise
from engine.moments.check.fault_kinds import VIDEO_INDEX, Fault, FaultKind
from engine.moments.check.known_truth import KnownTruth, VideoList
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.task_list import TaskList
from engine.moments.json_values import shorten

LARGEST_EXACT = 2**24
"""From here on float32 has gaps between whole numbers."""


class VideoMatches(NamedTuple):
    """Where in an Index each prediction's video is; `known`: whether it is there at all."""

    places: AnyInts
    known: Bools


@dataclass(frozen=True, eq=False)
class VideoIndex:
    """video2idx turned around: which video an index names.

    sorted     the indices, ascending; of a repeated one the first video's
    names      their videos
    durations  their lengths in seconds; NaN where unknown
    numbers    the table itself: name to index
    """

    sorted: AnyFloats
    names: tuple[str, ...]
    durations: AnyFloats
    numbers: dict[str, int]

    def find(self, entries: TaskList) -> VideoMatches:
        indices = entries.rows.values[:, 0]
        if not len(self.sorted):
            return VideoMatches(np.zeros(len(indices), np.int64), np.zeros(len(indices), np.bool_))
        places = np.searchsorted(self.sorted, indices).clip(max=len(self.sorted) - 1)
        return VideoMatches(places, self.sorted[places] == indices)


def make_index(
    indices: dict[str, int], known: KnownTruth | None, videos: VideoList | None
) -> VideoIndex:
    """Durations come from the ground truth, for others from the official list."""
    durations = {**(videos.durations if videos else {}), **(known.durations if known else {})}
    first: dict[int, str] = {}
    for name, index in indices.items():
        first.setdefault(index, name)
    ordered = sorted(first)
    names = tuple(first[index] for index in ordered)
    seconds = [durations.get(name, np.nan) for name in names]
    return VideoIndex(np.array(ordered, np.float64), names, np.array(seconds, np.float64), indices)


def check_table(
    indices: dict[str, int], known: KnownTruth | None, videos: VideoList | None, notes: FaultLog
) -> None:
    """Indices that repeat, that are too large, that are not official; videos that are missing."""
    _repeated(indices, notes)
    large = [name for name, index in indices.items() if abs(index) >= LARGEST_EXACT]
    note_videos(Fault.INDEX_TOO_LARGE, {n: f"index {indices[n]}" for n in large}, notes)
    if known is not None:
        _missing(indices, known, notes)
    if videos is not None:
        _official(indices, videos, notes)


def _repeated(indices: dict[str, int], notes: FaultLog) -> None:
    first: dict[int, str] = {}
    repeats: dict[str, str] = {}
    for name, index in indices.items():
        earlier = first.setdefault(index, name)
        if earlier is not name:
            repeats[name] = f"index {index} is also that of {shorten(earlier)}"
    note_videos(Fault.INDEX_REPEATED, repeats, notes)


def _missing(indices: dict[str, int], known: KnownTruth, notes: FaultLog) -> None:
    missing: dict[str, str] = {}
    for id_, query in known.queries.items():
        if query.video is not None and query.video not in indices and query.video not in missing:
            missing[query.video] = f"no index; desc_id {id_} is about this video"
    note_videos(Fault.VIDEO_MISSING, missing, notes)


def _official(indices: dict[str, int], videos: VideoList, notes: FaultLog) -> None:
    strange = {name: "unknown" for name in indices if name not in videos.indices}
    note_videos(Fault.VIDEO_NOT_OFFICIAL, strange, notes)
    other = {
        name: f"index {index}, officially {videos.indices[name]}"
        for name, index in indices.items()
        if videos.indices.get(name, index) != index
    }
    note_videos(Fault.INDEX_NOT_OFFICIAL, other, notes)


def note_videos(kind: FaultKind, messages: dict[str, str], notes: FaultLog) -> None:
    """Videos of the table by name, each with what is wrong with it."""
    where = notes.where(VIDEO_INDEX)

    def example(name: str) -> FaultExample:
        return FaultExample(where, f"{shorten(name)}: {messages[name]}")

    notes.note_each(kind, VIDEO_INDEX, list(messages), example)


def check_videos(
    entries: TaskList,
    index: VideoIndex,
    found: VideoMatches,
    known: KnownTruth | None,
    notes: FaultLog,
) -> None:
    """Indices that no video has; in SVMR predictions elsewhere than in the right video."""
    indices = entries.rows.values[:, 0]
    unknown = np.flatnonzero(entries.usable & ~found.known)
    notes.note_each(
        Fault.VIDEO_UNKNOWN,
        entries.task,
        unknown,
        lambda row: entries.at_row(row, f"video index {indices[row]:.15g} is not in video2idx"),
    )
    if entries.task == "SVMR" and known is not None:
        _other_videos(entries, index, known, notes)


def _other_videos(entries: TaskList, index: VideoIndex, known: KnownTruth, notes: FaultLog) -> None:
    queries = [known.queries.get(id_) if id_ is not None else None for id_ in entries.ids]
    names = [None if query is None else query.video for query in queries]
    right = np.array([index.numbers.get(name or "", np.nan) for name in names], np.float64)
    wanted = right[entries.rows.queries]
    elsewhere = entries.usable & ~np.isnan(wanted) & (entries.rows.values[:, 0] != wanted)
    counts = np.bincount(entries.rows.queries[elsewhere], minlength=len(entries))

    def example(entry: int) -> FaultExample:
        says = f"{counts[entry]:,} of {pluralise(entries.rows.counts[entry], 'prediction')} "
        says += f"{'is' if counts[entry] == 1 else 'are'} not in {shorten(names[entry])} "
        return entries.at_entry(entry, f"{says}(index {right[entry]:.15g})")

    notes.note_each(Fault.OTHER_VIDEO, entries.task, np.flatnonzero(counts), example)
