"""Check of one QVHighlights submission file: a line per query, with windows and saliency scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.base.messages import pluralise
from engine.files.text import JsonObject, parse_json
from engine.moments.check.fault_kinds import QVH_TERMS, Fault, FaultKind
from engine.moments.check.ids import check_ids
from engine.moments.check.known_truth import KnownQuery, KnownTruth
from engine.moments.check.predictions import check_times, note_order, note_repeats, note_too_many
from engine.moments.check.submission_fault import FaultExample, FaultLog
from engine.moments.check.task_list import EntryReader, TaskList
from engine.moments.check.videos import VideoIndex
from engine.moments.json_values import as_number, shorten
from engine.moments.qvh.highlights import CLIP_SECONDS
from engine.moments.qvh.moments import MOST_WINDOWS
from engine.moments.tasks import SALIENCY, WINDOWS

_WITHOUT_TRUTH = "a ground truth: which queries must be there, and how long their videos are"
MOMENTS, HIGHLIGHTS = "MR", "HL"
"""As the official results call them: moment retrieval and highlight detection."""

_NAMES = ("start", "end", "score")
_OF_WINDOWS = (
    *(Fault.PREDICTIONS_NOT_A_LIST, Fault.PREDICTIONS_EMPTY),
    *(Fault.UNUSABLE, Fault.NOT_FINITE, Fault.TOO_LONG),
)
_PARTS = {**dict.fromkeys(_OF_WINDOWS, MOMENTS), Fault.SALIENCY_NOT_NUMBERS: HIGHLIGHTS}


@dataclass
class SubmissionLines(EntryReader):
    """The lines that are objects.

    videos    the name of the video; None where there is none
    saliency  how many scores a line has; 0 if there are none, or none that can be used
    """

    videos: list[str | None] = field(default_factory=list)
    has_windows: list[bool] = field(default_factory=list)
    has_saliency: list[bool] = field(default_factory=list)
    saliency: list[int] = field(default_factory=list)

    def wrong_line(self, kind: FaultKind, number: int, message: str) -> None:
        """Something about a line that is no entry."""
        self.tally(kind).add(lambda: FaultExample(replace(self.at, number=number), message))

    def read(self, number: int, record: JsonObject) -> None:
        self.begin(number, record)
        video = record.get(QVH_TERMS.video)
        self.videos.append(video if isinstance(video, str) else None)
        self.has_windows.append(WINDOWS in record)
        self.has_saliency.append(SALIENCY in record)
        if WINDOWS in record:
            self.read_list(record[WINDOWS])
        self.saliency.append(self._saliency(record[SALIENCY]) if SALIENCY in record else 0)

    def read_numbers(self, place: int, row: list[Any]) -> list[float]:
        """Four, as in TVR: the number of the line, which stands for the video, then start, end and
        score."""
        if len(row) > len(_NAMES):
            self.wrong(Fault.TOO_LONG, f"has {len(row)} values", place)
        return [len(self.ids) - 1, *map(float, row[: len(_NAMES)])]

    def _saliency(self, scores: Any) -> int:
        message = None
        if not isinstance(scores, list):
            message = f"is {shorten(scores)}"
        elif not scores:
            message = "is empty"
        else:
            for place, score in enumerate(scores, 1):
                number = as_number(score)
                if number is None or not np.isfinite(number):
                    message = f"number {place} is {shorten(score)}"
                    break
        if message is not None:
            self.wrong(Fault.SALIENCY_NOT_NUMBERS, f"{SALIENCY}: {message}")
            return 0
        return len(scores)

    @cached_property
    def entries(self) -> TaskList:
        """What all lines have, once every line is read."""
        return self.finished("MR")


def read_lines(text: str, notes: FaultLog) -> SubmissionLines:
    """The objects of JSON lines; lines that are none are noted."""
    reader = SubmissionLines(notes, notes.where(), _NAMES)
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if not line or line.isspace():
            reader.wrong_line(Fault.LINE_BLANK, number, "is blank")
            continue
        try:
            record = parse_json(line, Place(line=number), make=JsonObject)
        except InputError as error:
            reader.wrong_line(Fault.LINE_NOT_JSON, number, error.message)
            continue
        if isinstance(record, JsonObject):
            reader.read(number, record)
        else:
            reader.wrong_line(Fault.LINE_NOT_AN_OBJECT, number, f"is {shorten(record)}")
    for kind, tally in reader.tallies.items():
        notes.note_tally(kind, _PARTS.get(kind, ""), tally)
    return reader


_MOST_LINES = 250_000
"""The whole benchmark has some ten thousand queries."""


def check_qvh(data: bytes, place: Place, known: KnownTruth | None, notes: FaultLog) -> None:
    """Everything that can be said about the file; InputError if no line is a JSON object."""
    if (count := data.count(b"\n")) > _MOST_LINES:
        hint = "write one object per query and line"
        raise InputError(f"has {count:,} lines, no submission does", place, hint=hint)
    lines = read_lines(data.decode("utf-8"), notes)
    entries = lines.entries
    if not len(entries):
        raise InputError(
            "has no line that is a JSON object", place, hint="write one object per query and line"
        )
    content = (
        f"{pluralise(len(entries), 'line')} with {pluralise(len(entries.rows.values), 'window')}"
    )
    notes.note(Fault.CONTENT, "", content)
    if known is None:
        notes.note(Fault.NOT_CHECKED, "", _WITHOUT_TRUTH)
    _keys(lines, notes)
    check_ids((entries,), known, notes)
    queries = [known.queries.get(id_) if known and id_ is not None else None for id_ in entries.ids]
    _videos(lines, queries, notes)
    index = _durations(lines, queries)
    check_times(entries, index, index.find(entries), notes)
    _windows(lines, notes)
    _saliency(lines, queries, notes)


def _keys(lines: SubmissionLines, notes: FaultLog) -> None:
    """The official script asks the first line what is scored, and then needs it in every line."""
    absent = {
        WINDOWS: [entry for entry, has in enumerate(lines.has_windows) if not has],
        SALIENCY: [entry for entry, has in enumerate(lines.has_saliency) if not has],
    }
    nowhere = [key for key, without in absent.items() if len(without) == len(lines.entries)]
    if len(nowhere) == len(absent):
        notes.note(Fault.NOTHING_TO_SCORE, "", f"{WINDOWS} or {SALIENCY}")
        return
    for key, part in ((WINDOWS, MOMENTS), (SALIENCY, HIGHLIGHTS)):
        if key in nowhere:
            detail = f"{key}: {part} is not scored"
            notes.note(Fault.PREDICTIONS_NOWHERE, part, detail)
            continue
        example = partial(lines.entries.at_entry, message=f"has no {key}")
        detail = f"{key}, other lines have it: the official script stops"
        notes.note_each(Fault.PREDICTIONS_MISSING, part, absent[key], example, detail)


def _durations(lines: SubmissionLines, queries: list[KnownQuery | None]) -> VideoIndex:
    """Every line has its own video: the index of a window's video is the number of its line."""
    seconds = [query.duration if query and query.duration else np.nan for query in queries]
    names = tuple(
        str((query.video if query else None) or video or "?")
        for query, video in zip(queries, lines.videos, strict=True)
    )
    return VideoIndex(np.arange(len(queries), dtype=np.float64), names, np.array(seconds), {})


def _videos(lines: SubmissionLines, queries: list[KnownQuery | None], notes: FaultLog) -> None:
    entries = lines.entries
    bare = [entry for entry, video in enumerate(lines.videos) if video is None]
    example = partial(entries.at_entry, message="has no vid that is a text")
    notes.note_each(Fault.VIDEO_NAME_MISSING, "", bare, example)
    differs = [
        (entry, f"{shorten(video)} here, {shorten(query.video)} in the ground truth")
        for entry, (video, query) in enumerate(zip(lines.videos, queries, strict=True))
        if video is not None and query and query.video not in (None, video)
    ]
    notes.note_each(Fault.VIDEO_DIFFERS, "", differs, lambda pair: entries.at_entry(*pair))


def _windows(lines: SubmissionLines, notes: FaultLog) -> None:
    entries = lines.entries
    note_too_many(entries, MOST_WINDOWS, "mAP looks at the first {}", notes)
    if len(entries.rows.values):
        note_repeats(entries, notes)
        note_order(entries, Fault.WINDOWS_RISE, Fault.WINDOWS_UNORDERED, notes)


def _saliency(lines: SubmissionLines, queries: list[KnownQuery | None], notes: FaultLog) -> None:
    odd = [
        (entry, f"{pluralise(has, 'score')}, the video has {pluralise(clips, 'clip')}")
        for entry, (has, query) in enumerate(zip(lines.saliency, queries, strict=True))
        if has and query and query.duration
        if has != (clips := int(query.duration / CLIP_SECONDS))
    ]
    notes.note_each(
        Fault.SALIENCY_LENGTH, HIGHLIGHTS, odd, lambda pair: lines.entries.at_entry(*pair)
    )
