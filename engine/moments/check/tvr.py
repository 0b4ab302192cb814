"""Check of one TVR submission file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.errors import Place
from engine.base.messages import pluralise
from engine.moments.check import fault_kinds
from engine.moments.check.document import parse_submission
from engine.moments.check.ids import check_ids
from engine.moments.check.known_truth import KnownTruth, VideoList
from engine.moments.check.ranking import check_ranking
from engine.moments.check.structure import VIDEO_INDEX, Split, read_structure
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.times import check_times
from engine.moments.check.videos import VideoIndex, check_table, check_videos, make_index


@dataclass(frozen=True, slots=True)
class CheckReferences:
    """What a file is held against; each may be missing."""

    known: KnownTruth | None = None
    videos: VideoList | None = None


def check_tvr(
    data: bytes, place: Place, split: Split, against: CheckReferences, notes: FaultLog
) -> None:
    """Everything that can be said about the file; InputError if it is no JSON at all."""
    read = read_structure(parse_submission(data, place), split, notes)
    known, videos = against.known, against.videos
    index = make_index(read.indices or {}, known, videos)
    if known is None:
        option = "--gt" if split == "val" else "--gt-test"
        notes.note(
            fault_kinds.NOT_CHECKED, "", f"a ground truth ({option}): which queries must be there"
        )
    if read.indices is not None:
        notes.note(fault_kinds.CONTENT, VIDEO_INDEX, pluralise(len(read.indices), "video"))
        check_table(read.indices, known, videos, notes)
        _note_lengths(index, notes)
    check_ids(read.tasks, known, notes)
    for entries in read.tasks:
        content = f"{pluralise(len(entries), 'entry')} with "
        content += pluralise(len(entries.values), "prediction")
        notes.note(fault_kinds.CONTENT, entries.task, content)
        found = index.find(entries)
        if read.indices is not None:  # without the table every index would be unknown
            check_videos(entries, index, found, known, notes)
        check_times(entries, index, found, notes)
        check_ranking(entries, notes)


def _note_lengths(index: VideoIndex, notes: FaultLog) -> None:
    unknown = np.flatnonzero(np.isnan(index.durations))
    where = notes.where(VIDEO_INDEX)
    examples = (FaultExample(where, index.names[place]) for place in map(int, unknown))
    detail = "give the list of videos with their lengths (--videos)"
    notes.note_each(fault_kinds.DURATION_UNKNOWN, VIDEO_INDEX, len(unknown), examples, detail)
