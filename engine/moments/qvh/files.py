"""Reading QVHighlights: predictions and ground truth, one JSON object per line and query.

Predictions:   qid, pred_relevant_windows [[start, end, score], …], pred_saliency_scores [number, …]
Ground truth:  qid, query, vid, duration, relevant_windows [[start, end], …],
               relevant_clip_ids [clip, …], saliency_scores [[rater, rater, rater], …]

A file of predictions has windows, saliency or both; the ground truth needs what belongs to them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.base.errors import InputError, Place
from engine.files.fields import LARGEST_COUNT
from engine.moments.judged_predictions import MomentTruth
from engine.moments.query_ids import shorten_id
from engine.moments.qvh.entries import (
    EntryPairs,
    QvhEntries,
    pair_entries,
    read_entries,
)
from engine.moments.qvh.highlights import CLIP_SECONDS, RATERS, Ratings
from engine.moments.qvh.numbers import read_number_lists, read_number_rows
from engine.moments.ragged_lists import RaggedLists
from engine.moments.tasks import SALIENCY, WINDOWS

_SECONDS = "write the seconds of the video"
_MOST_CLIPS = 1_000_000


@dataclass(frozen=True, eq=False)
class QvhFiles:
    """Both files, in the order of the ground truth.

    order     the queries in the order of the predictions
    windows   start, end and score; None if nothing is predicted about moments
    saliency  of the clips; None, with the ratings, if nothing is predicted about highlights
    """

    truth: MomentTruth
    order: AnyInts
    windows: RaggedLists | None
    saliency: RaggedLists | None
    ratings: Ratings | None
    notes: tuple[str, ...]

    @property
    def spans(self) -> RaggedLists:
        return RaggedLists(self.truth.span_offsets, self.truth.spans)


def read_qvh(predictions: Path, truth: Path) -> QvhFiles:
    """Both files, checked; InputError names the first thing that is wrong."""
    with _no_garbage():
        return _read(predictions, truth)


def _read(predictions: Path, truth: Path) -> QvhFiles:
    predicted = read_entries(predictions)
    has_windows, has_saliency = predicted.have(WINDOWS), predicted.have(SALIENCY)
    if not has_windows and not has_saliency:
        raise InputError(
            f'has neither "{WINDOWS}" nor "{SALIENCY}"',
            predicted.place(0),
            hint="predict windows, saliency or both",
        )
    matched = pair_entries(predicted, read_entries(truth), windows=has_windows)
    windows = _windows(matched.predictions) if has_windows else None
    saliency = _saliency(matched.predictions) if has_saliency else None
    known = _truth(matched, windows_needed=has_windows)
    ratings = _ratings(matched.truth, known.durations) if has_saliency else None
    notes = (*matched.notes, *_notes(matched, known, windows))
    return QvhFiles(known, matched.order, windows, saliency, ratings, notes)


def _windows(entries: QvhEntries) -> RaggedLists:
    return read_number_rows(entries, WINDOWS, 3, hint="write a window as [start, end, score]")


def _saliency(entries: QvhEntries) -> RaggedLists:
    lists = read_number_lists(entries, SALIENCY, hint="write one finite number per clip")
    _refuse(entries, lists.counts == 0, f"{SALIENCY} is empty", "write one number per clip")
    return lists


def _truth(matched: EntryPairs, *, windows_needed: bool) -> MomentTruth:
    entries = matched.truth
    spans = RaggedLists(np.zeros(len(entries) + 1, np.int64), np.zeros((0, 2)))
    if windows_needed or entries.have("relevant_windows"):
        spans = _spans(entries)
    return MomentTruth(
        file=entries.file,
        ids=matched.ids,
        texts=entries.texts("query"),
        videos=entries.texts("vid"),
        durations=_durations(entries),
        span_offsets=spans.offsets,
        spans=spans.values,
        types=None,
        lines=np.array(entries.lines),
    )


def _spans(entries: QvhEntries) -> RaggedLists:
    key = "relevant_windows"
    spans = read_number_rows(entries, key, 2, hint="write a window as [start, end]")
    _refuse(entries, spans.counts == 0, f"{key} is empty", "leave the query out of both files")
    backwards = spans.values[:, 0] > spans.values[:, 1]
    if backwards.any():
        queries = _marked(spans.queries, backwards, len(entries))
        _refuse(entries, queries, f"{key} has a start after its end", "write [start, end]")
    return spans


def _durations(entries: QvhEntries) -> AnyFloats:
    key = "duration"
    if not entries.have(key):
        return np.full(len(entries), np.nan)
    seconds = np.empty(len(entries))
    for index, value in enumerate(entries.column(key)):
        plain = type(value) is int or type(value) is float
        seconds[index] = value if plain and 0 < value <= LARGEST_COUNT else np.nan
    _refuse(entries, np.isnan(seconds), f"{key} is not a number above 0", _SECONDS)
    return seconds


def _ratings(entries: QvhEntries, seconds: AnyFloats) -> Ratings:
    ids, scores = "relevant_clip_ids", "saliency_scores"
    entries.column("duration")  # here it is needed
    long = seconds >= (_MOST_CLIPS + 1) * CLIP_SECONDS
    _refuse(entries, long, f"duration makes more than {_MOST_CLIPS:,} clips", _SECONDS)
    clips = (seconds / CLIP_SECONDS).astype(np.int64)
    hint = "write the indices of clips, from 0"
    rated = read_number_lists(entries, ids, hint=hint, indices=True)
    _refuse(entries, rated.counts == 0, f"{ids} is empty", "leave the query out of both files")
    rows = read_number_rows(
        entries, scores, RATERS, hint="write the numbers of three raters for every clip"
    )
    unequal = rows.counts != rated.counts
    _refuse(entries, unequal, f"{scores} and {ids} differ in length", "write one row per clip")
    outside = _marked(rated.queries, rated.values >= clips[rated.queries], len(entries))
    hint = f"the clips of a video of D seconds are 0 to D/{CLIP_SECONDS} - 1"
    _refuse(entries, outside, f"{ids} has a clip that the video does not have", hint)
    return Ratings(clips, rated, rows.values)


def _marked(queries: AnyInts, wrong: Bools, count: int) -> Bools:
    """The queries of what is wrong."""
    return np.bincount(queries[wrong], minlength=count) > 0


def _refuse(entries: QvhEntries, wrong: Bools, message: str, hint: str) -> None:
    """Complain about the first line that is wrong."""
    if wrong.any():
        index = min(np.flatnonzero(wrong).tolist(), key=entries.lines.__getitem__)
        raise InputError(message, Place(entries.file, entries.lines[index]), hint=hint)


def _notes(matched: EntryPairs, truth: MomentTruth, windows: RaggedLists | None) -> list[str]:
    name, lines = matched.predictions.file.name, matched.predictions.lines

    def note(wrong: Bools, what: str) -> str:
        count = int(wrong.sum())
        first = min(np.flatnonzero(wrong).tolist(), key=lines.__getitem__)
        queries = "query" if count == 1 else "queries"
        return f"{name}: {count:,} {queries} {what} (first {shorten_id(truth.ids[first])})"

    notes = []
    if windows is not None:
        empty = windows.counts == 0
        if empty.any():
            notes.append(note(empty, "without a window: 0 in MR-R1 and MR-mAP"))
        backwards = windows.values[:, 0] > windows.values[:, 1]
        if backwards.any():
            queries = _marked(windows.queries, backwards, len(truth))
            notes.append(note(queries, "with a window that ends before it starts"))
    if matched.predictions.have("vid") and matched.truth.have("vid"):
        videos = matched.predictions.texts("vid")
        pairs = zip(videos, truth.videos, strict=True)
        other = np.array([predicted != right for predicted, right in pairs])
        if other.any():
            what = 'with another "vid" than the ground truth, which is not looked at'
            notes.append(note(other, what))
    return notes


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Lists that all stay: to search them for garbage takes as long as to make them."""
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()
