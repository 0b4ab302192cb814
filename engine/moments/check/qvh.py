"""Check of one QVHighlights submission file: a line per query, with windows and saliency scores."""

from __future__ import annotations

import numpy as np

from engine.base.errors import InputError, Place
from engine.base.messages import pluralise
from engine.moments.check import fault_kinds
from engine.moments.check.ids import check_ids
from engine.moments.check.known_truth import KnownQuery, KnownTruth
from engine.moments.check.qvh_lines import SALIENCY, WINDOWS, SubmissionLines, read_lines
from engine.moments.check.ranking import note_order, note_repeats
from engine.moments.check.submission_fault import FaultLog, shorten
from engine.moments.check.times import check_times
from engine.moments.check.videos import VideoIndex
from engine.moments.qvh.highlights import CLIP_SECONDS
from engine.moments.qvh.moments import MOST_WINDOWS

_WITHOUT_TRUTH = "a ground truth: which queries must be there, and how long their videos are"
MOMENTS, HIGHLIGHTS = "MR", "HL"
"""As the official results call them: moment retrieval and highlight detection."""


def check_qvh(data: bytes, place: Place, known: KnownTruth | None, notes: FaultLog) -> None:
    """Everything that can be said about the file; InputError if no line is a JSON object."""
    lines = read_lines(data.decode("utf-8"), notes)
    entries = lines.entries
    if not len(entries):
        raise InputError(
            "has no line that is a JSON object", place, hint="write one object per query and line"
        )
    content = f"{pluralise(len(entries), 'line')} with {pluralise(len(entries.values), 'window')}"
    notes.note(fault_kinds.CONTENT, "", content)
    if known is None:
        notes.note(fault_kinds.NOT_CHECKED, "", _WITHOUT_TRUTH)
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
        notes.note(fault_kinds.NOTHING_TO_SCORE, "", f"{WINDOWS} or {SALIENCY}")
        return
    for key, part in ((WINDOWS, MOMENTS), (SALIENCY, HIGHLIGHTS)):
        if key in nowhere:
            detail = f"{key}: {part} is not scored"
            notes.note(fault_kinds.PREDICTIONS_NOWHERE, part, detail)
            continue
        examples = (lines.entries.at_entry(entry, f"has no {key}") for entry in absent[key])
        detail = f"{key}, other lines have it: the official script stops"
        notes.note_each(fault_kinds.PREDICTIONS_MISSING, part, len(absent[key]), examples, detail)


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
    examples = (entries.at_entry(entry, "has no vid that is a text") for entry in bare)
    notes.note_each(fault_kinds.VIDEO_NAME_MISSING, "", len(bare), examples)
    differs = {
        entry: f"{shorten(video)} here, {shorten(query.video)} in the ground truth"
        for entry, (video, query) in enumerate(zip(lines.videos, queries, strict=True))
        if video is not None and query and query.video not in (None, video)
    }
    examples = (entries.at_entry(entry, message) for entry, message in differs.items())
    notes.note_each(fault_kinds.VIDEO_DIFFERS, "", len(differs), examples)


def _windows(lines: SubmissionLines, notes: FaultLog) -> None:
    entries = lines.entries
    counts = entries.counts
    many = np.flatnonzero(counts > MOST_WINDOWS)
    detail = (
        f"more than {MOST_WINDOWS} windows, up to {counts.max():,}: "
        f"mAP looks at the first {MOST_WINDOWS}"
    )
    examples = (entries.at_entry(entry, f"{counts[entry]:,} windows") for entry in map(int, many))
    notes.note_each(fault_kinds.TOO_MANY, MOMENTS, len(many), examples, detail)
    if len(entries.values):
        note_repeats(entries, notes)
        note_order(entries, fault_kinds.WINDOWS_RISE, fault_kinds.WINDOWS_UNORDERED, notes)


def _saliency(lines: SubmissionLines, queries: list[KnownQuery | None], notes: FaultLog) -> None:
    lengths = {
        entry: (length, int(query.duration / CLIP_SECONDS))
        for entry, (length, query) in enumerate(zip(lines.saliency, queries, strict=True))
        if length and query and query.duration
    }
    odd = {entry: pair for entry, pair in lengths.items() if pair[0] != pair[1]}
    examples = (
        lines.entries.at_entry(
            entry, f"{pluralise(has, 'score')}, the video has {pluralise(clips, 'clip')}"
        )
        for entry, (has, clips) in odd.items()
    )
    notes.note_each(fault_kinds.SALIENCY_LENGTH, HIGHLIGHTS, len(odd), examples)
