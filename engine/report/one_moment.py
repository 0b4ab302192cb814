"""One query of moment retrieval with what was predicted for it. Schema tui-eval/moment@1."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from engine.errors import InputError, Place
from engine.moments.failures import CLASSES, Failures
from engine.moments.truth import TYPES, Truth
from engine.moments.why import why
from engine.report.plain import plain

SCHEMA = "tui-eval/moment@1"
FIRST = 10
"""Predictions that are shown unless more are asked for."""

Mark: TypeAlias = Literal["hit", "near", "right video", "wrong video", "not counted"]


@dataclass(frozen=True, slots=True)
class ShownPrediction:
    """One prediction.

    place  its place in the list, from 1
    rank   what k is compared with; None: it does not count
    video  None: no video has that index
    iou    the overlap that counts; None in a wrong video, and in VR
    """

    place: int
    rank: int | None
    video: str | None
    index: int
    start: float
    end: float
    iou: float | None
    mark: Mark


@dataclass(frozen=True, slots=True)
class OneMoment:
    """What a query asks for, why it is in its class, and its first predictions."""

    task: str
    at: str
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
    """The query that has this id, as text or as a number."""
    names = list(map(str, truth.ids))
    if text.strip() in names:
        return names.index(text.strip())
    near = difflib.get_close_matches(text.strip()[:60], names, 1) if len(names) < 50_000 else []
    hint = f"did you mean {near[0]}?" if near else f"its first is {names[0]}" if names else ""
    raise InputError(f"has no query {text[:60]!r}", Place(truth.file), hint=hint)


def one_moment(failures: Failures, row: int, most: int = FIRST) -> OneMoment:
    """A query of the truth with its first predictions, in the order of the file; after them come
    the first in the right video, the best overlap and the first hit, where they are later."""
    truth, predictions = failures.assessed.truth, failures.assessed.predictions
    found = predictions.of(row)
    first = range(found.start, min(found.stop, found.start + most))
    chosen = sorted({*first, *_telling(failures, found)})
    return OneMoment(
        task=failures.assessed.task,
        at=str(failures.at),
        id=truth.ids[row],
        text=truth.texts[row],
        type=None if truth.types is None else TYPES[int(truth.types[row])],
        video=truth.videos[row],
        duration=plain(float(truth.durations[row])),
        spans=tuple((start, end) for start, end in truth.spans_of(row).tolist()),
        kind=CLASSES[int(failures.classes[row])],
        why=why(failures, row),
        right_rank=int(failures.right_ranks[row]) or None,
        hit_rank=int(failures.hit_ranks[row]) or None,
        predictions=found.stop - found.start,
        shown=tuple(_shown(failures, place, place - found.start + 1) for place in chosen),
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


def _shown(failures: Failures, place: int, number: int) -> ShownPrediction:
    assessed, timed = failures.assessed, failures.at.iou is not None
    index = int(assessed.predictions.videos[place])
    start, end = (_short(time) for time in assessed.predictions.spans[place])
    return ShownPrediction(
        place=number,
        rank=int(assessed.ranks[place]) or None,
        video=assessed.predictions.names.get(index),
        index=index,
        start=start,
        end=end,
        iou=_short(assessed.ious[place]) if timed and assessed.right[place] else None,
        mark=_mark(failures, place),
    )


def _mark(failures: Failures, place: int) -> Mark:
    assessed, iou = failures.assessed, failures.at.iou
    if not assessed.right[place]:
        return "wrong video"
    if not assessed.ranks[place]:
        return "not counted"
    if iou is None or assessed.ious[place] >= float(iou):
        return "hit"
    return "near" if assessed.ious[place] >= float(failures.near) else "right video"


def _short(value: np.floating[Any]) -> float:
    """The shortest decimals that mean the number: 0.7 of float32 is 0.7."""
    return float(str(value))


def moment_document(shown: Sequence[OneMoment], near: float, version: str) -> dict[str, Any]:
    """The queries that were asked for, each in every task."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "tui-eval", "version": version},
        "near": near,
        "queries": [_entry(one) for one in shown],
    }


def _entry(one: OneMoment) -> dict[str, Any]:
    entry = {"class" if key == "kind" else key: value for key, value in asdict(one).items()}
    entry["spans"] = [list(span) for span in one.spans]
    entry["shown"] = [
        {**asdict(found), "start": plain(found.start), "end": plain(found.end)}
        for found in one.shown
    ]
    return entry
