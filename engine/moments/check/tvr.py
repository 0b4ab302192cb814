"""Check of one TVR submission file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.errors import Place
from engine.base.messages import counted
from engine.moments.check import kinds
from engine.moments.check.document import parse_submission
from engine.moments.check.finding import Example, Notebook
from engine.moments.check.ids import check_ids
from engine.moments.check.known import Known, Videos
from engine.moments.check.ranking import check_ranking
from engine.moments.check.structure import INDEX, Split, read_structure
from engine.moments.check.times import check_times
from engine.moments.check.videos import Index, check_table, check_videos, make_index


@dataclass(frozen=True, slots=True)
class Against:
    """What a file is held against; each may be missing."""

    known: Known | None = None
    videos: Videos | None = None


def check_tvr(data: bytes, place: Place, split: Split, against: Against, notes: Notebook) -> None:
    """Everything that can be said about the file; InputError if it is no JSON at all."""
    read = read_structure(parse_submission(data, place), split, notes)
    known, videos = against.known, against.videos
    index = make_index(read.indices or {}, known, videos)
    if known is None:
        option = "--gt" if split == "val" else "--gt-test"
        notes.note(kinds.NOT_CHECKED, "", f"a ground truth ({option}): which queries must be there")
    if read.indices is not None:
        notes.note(kinds.CONTENT, INDEX, counted(len(read.indices), "video"))
        check_table(read.indices, known, videos, notes)
        _note_lengths(index, notes)
    check_ids(read.tasks, known, notes)
    for entries in read.tasks:
        content = f"{counted(len(entries), 'entry')} with "
        content += counted(len(entries.values), "prediction")
        notes.note(kinds.CONTENT, entries.task, content)
        found = index.find(entries)
        if read.indices is not None:  # without the table every index would be unknown
            check_videos(entries, index, found, known, notes)
        check_times(entries, index, found, notes)
        check_ranking(entries, notes)


def _note_lengths(index: Index, notes: Notebook) -> None:
    unknown = np.flatnonzero(np.isnan(index.durations))
    where = notes.where(INDEX)
    examples = (Example(where, index.names[place]) for place in map(int, unknown))
    detail = "give the list of videos with their lengths (--videos)"
    notes.note_each(kinds.DURATION_UNKNOWN, INDEX, len(unknown), examples, detail)
