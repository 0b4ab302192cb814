"""Check of one TVR submission file."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import Place
from engine.moments.check import kinds
from engine.moments.check.document import parse_document
from engine.moments.check.finding import Notebook
from engine.moments.check.ids import check_ids
from engine.moments.check.kinds import counted
from engine.moments.check.known import FIELDS, Known, Videos
from engine.moments.check.ranking import check_ranking
from engine.moments.check.structure import INDEX, Split, read_structure
from engine.moments.check.times import check_times
from engine.moments.check.videos import check_table, check_videos, make_index


@dataclass(frozen=True, slots=True)
class Against:
    """What a file is held against; each may be missing."""

    known: Known | None = None
    videos: Videos | None = None


def check_tvr(text: str, place: Place, split: Split, against: Against, notes: Notebook) -> None:
    """Everything that can be said about the file; InputError if it is no JSON at all."""
    read = read_structure(parse_document(text, place), split, notes)
    known, videos = against.known, against.videos
    if read.indices is not None:
        notes.note(kinds.CONTENT, INDEX, counted(len(read.indices), "video"))
        check_table(read.indices, known, videos, notes)
    check_ids(read.tasks, known, FIELDS["tvr"], notes)
    index = make_index(read.indices or {}, known, videos)
    for entries in read.tasks:
        content = f"{counted(len(entries), 'entry')} with "
        content += counted(len(entries.values), "prediction")
        notes.note(kinds.CONTENT, entries.task, content)
        if read.indices is not None:  # without the table every index would be unknown
            check_videos(entries, index, known, notes)
        check_times(entries, index, notes)
        check_ranking(entries, notes)
