"""One query of moment retrieval with what was predicted for it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.base.json_text import plain
from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.moments.at import At
from engine.moments.failures.classes import MARKS
from engine.moments.failures.deciding import shared_seconds
from engine.moments.failures.failures import Failures
from engine.moments.failures.marks import marks
from engine.moments.failures.overlap_text import shortest
from engine.moments.failures.why import why
from engine.moments.qvh.highlights import CLIP_SECONDS, LEAST
from engine.moments.qvh.source import QvhSource
from engine.moments.source import MomentsSource
from engine.moments.truth import TYPES, Truth

FIRST = 10
"""Predictions that are shown unless more are asked for."""


@dataclass(frozen=True, slots=True)
class ShownPrediction:
    """One prediction.

    place   its place in the list, from 1
    rank    what k is compared with; None: it does not count
    video   None: no video has that index
    iou     the overlap that counts; None in a wrong video, and in VR
    shared  seconds that it shares with the span that decides; None where `iou` is
    score   what the system thought of it; None if that was not read
    mark    one of MARKS
    """

    place: int
    rank: int | None
    video: str | None
    index: int
    start: float
    end: float
    iou: float | None
    shared: float | None
    score: float | None
    mark: str


@dataclass(frozen=True, slots=True)
class OneMoment:
    """What a query asks for, why it is in its class, and its first predictions.

    near  the overlap from which a miss is nearly right
    """

    task: str
    at: At
    near: float
    id: int | str
    text: str
    type: str | None
    video: str
    duration: float | None
    spans: tuple[tuple[float, float], ...]
    kind: str
    why: str
    right_rank: int | None
    hit_rank: int | None
    predictions: int
    shown: tuple[ShownPrediction, ...]


def find_row(truth: Truth, text: str) -> int:
    """The query that has this id, as text or as a number.

    >>> from engine.moments.from_lists import assess_lists
    >>> find_row(assess_lists("VR", [("a", []), ("b", [])], [[], []]).truth, " 1 ")
    1
    """
    names = list(map(str, truth.ids))
    if text.strip() in names:
        return names.index(text.strip())
    near = difflib.get_close_matches(text.strip()[:60], names, 1) if len(names) < 50_000 else []
    hint = f"did you mean {near[0]}?" if near else f"its first is {names[0]}" if names else ""
    raise InputError(f"has no query {text[:60]!r}", Place(truth.file), hint=hint)


def one_moment(failures: Failures, row: int, most: int | None = FIRST) -> OneMoment:
    """A query of the truth with its first predictions (None: all), in the order of the file; after
    them come the first in the right video, the best overlap and the first hit, where they are
    later.

    >>> from engine.moments.failures.failures import explain
    >>> from engine.moments.from_lists import assess_lists
    >>> assessed = assess_lists("VCMR", [("a", [(10, 20)])], [[("b", 0, 9), ("a", 10, 14)]])
    >>> one = one_moment(explain(assessed, At(0.5, 1)), 0, most=1)
    >>> one.kind, [(found.place, found.iou, found.mark) for found in one.shown]
    ('nearly right', [(1, None, 'wrong video'), (2, 0.4, 'nearly right')])
    """
    truth, predictions = failures.assessed.truth, failures.assessed.predictions
    found = predictions.of(row)
    last = found.stop if most is None else min(found.stop, found.start + most)
    first = range(found.start, last)
    chosen = sorted({*first, *_telling(failures, found)})
    return OneMoment(
        task=failures.assessed.task,
        at=failures.at,
        near=failures.near,
        id=truth.ids[row],
        text=truth.texts[row],
        type=None if truth.types is None else TYPES[int(truth.types[row])],
        video=truth.videos[row],
        duration=plain(float(truth.durations[row])),
        spans=tuple((start, end) for start, end in truth.spans_of(row).tolist()),
        kind=failures.names[int(failures.classes[row])],
        why=why(failures, row),
        right_rank=int(failures.right_ranks[row]) or None,
        hit_rank=int(failures.hit_ranks[row]) or None,
        predictions=found.stop - found.start,
        shown=tuple(_shown(failures, row, place) for place in chosen),
    )


def _telling(failures: Failures, found: slice) -> list[int]:
    """Where the predictions stand by which the class was decided."""
    assessed = failures.assessed
    counted = assessed.right[found] & (assessed.ranks[found] > 0)
    if not counted.any():
        return []
    overlaps = np.where(counted, assessed.ious[found], -1)
    hits = assessed.correct(failures.at.iou)[found]
    places = [counted.argmax(), overlaps.argmax(), *([hits.argmax()] if hits.any() else [])]
    return [found.start + int(place) for place in places]


def _shown(failures: Failures, row: int, place: int) -> ShownPrediction:
    assessed = failures.assessed
    given = assessed.predictions
    index = int(given.videos[place])
    timed = failures.at.iou is not None and bool(assessed.right[place])
    return ShownPrediction(
        place=place - given.of(row).start + 1,
        rank=int(assessed.ranks[place]) or None,
        video=given.names.get(index),
        index=index,
        start=shortest(given.spans[place, 0]),
        end=shortest(given.spans[place, 1]),
        iou=shortest(assessed.ious[place]) if timed else None,
        shared=round(shared_seconds(assessed, row, place), 6) if timed else None,
        score=None if given.scores is None else plain(shortest(given.scores[place])),
        mark=MARKS[marks(failures, slice(place, place + 1))[0]],
    )


def moment_document(
    shown: Sequence[OneMoment],
    near: float,
    *,
    highlights: Sequence[OneHighlight] = (),
    inputs: Mapping[str, InputFile] | None = None,
    policies: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """The queries that were asked for, each in every task; with their highlights, and the notes
    about the files."""
    fields = {
        "near": near,
        "queries": [_entry(one) for one in shown],
        "highlights": [asdict(one) for one in highlights],
    }
    return enclose("moment", fields, inputs=inputs, policies=policies, notes=notes)


def _entry(one: OneMoment) -> dict[str, Any]:
    entry = {"class" if key == "kind" else key: value for key, value in asdict(one).items()}
    del entry["near"]  # the document has it, once
    entry["at"] = str(one.at)
    entry["spans"] = [list(span) for span in one.spans]
    entry["shown"] = [
        {**asdict(found), "start": plain(found.start), "end": plain(found.end)}
        for found in one.shown
    ]
    return entry


@dataclass(frozen=True, slots=True)
class HighlightLevel:
    """What is right from a rating on.

    hit  whether a rater finds the best predicted clip so good: HL-Hit1 is the mean over queries
    ap   average precision of the clips by saliency, the mean over raters, 0 to 1: HL-mAP likewise
    """

    level: str
    least: int
    hit: bool
    ap: float


@dataclass(frozen=True, slots=True)
class OneHighlight:
    """What a query asks for, and the clip that is predicted to be its best.

    clip        from 0; the first of several that are equally good
    start, end  its seconds
    """

    id: int | str
    text: str
    video: str
    duration: float | None
    clip: int
    start: float
    end: float
    levels: tuple[HighlightLevel, ...]


def one_highlight(source: MomentsSource, row: int) -> OneHighlight | None:
    """The highlight of a query; None where no saliency was predicted."""
    found = source.highlights if isinstance(source, QvhSource) else None
    if found is None:
        return None
    truth, clip = source.truth, int(found.best_clips[row])
    return OneHighlight(
        id=truth.ids[row],
        text=truth.texts[row],
        video=truth.videos[row],
        duration=plain(float(truth.durations[row])),
        clip=clip,
        start=float(clip * CLIP_SECONDS),
        end=float((clip + 1) * CLIP_SECONDS),
        levels=tuple(
            HighlightLevel(name, LEAST[name], bool(hit), float(ap))
            for name, hit, ap in zip(found.levels, found.hit1[row], found.ap[row], strict=True)
        ),
    )
