"""One query of moment retrieval with what was predicted for it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from engine.base.errors import InputError, Place
from engine.base.json_text import nan_to_none
from engine.files.envelope import enclose
from engine.moments.failures.explanation import (
    PredictionDetail,
    explain_class,
    find_prediction,
)
from engine.moments.failures.failures import Failures
from engine.moments.judged_predictions import TYPES, MomentTruth
from engine.moments.moments_source import MomentsSource
from engine.moments.qvh.highlights import CLIP_SECONDS, LEAST_RATINGS
from engine.moments.qvh.source import QvhSource
from engine.moments.tasks import HitRule
from engine.report.moments.document import collect_moment_notes, dump_moments_policies

FIRST_PREDICTIONS = 10
"""Predictions that are shown unless more are asked for."""


@dataclass(frozen=True, slots=True)
class MomentDetail:
    """What a query asks for, why it is in its class, and its first predictions.

    near  the overlap from which a miss is nearly right
    """

    task: str
    at: HitRule
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
    shown: tuple[PredictionDetail, ...]


def find_row(truth: MomentTruth, text: str) -> int:
    """The query that has this id, as text or as a number."""
    names = list(map(str, truth.ids))
    if text.strip() in names:
        return names.index(text.strip())
    near = difflib.get_close_matches(text.strip()[:60], names, 1) if len(names) < 50_000 else []
    hint = f"did you mean {near[0]}?" if near else f"its first is {names[0]}" if names else ""
    raise InputError(f"has no query {text[:60]!r}", Place(truth.file), hint=hint)


def find_moment_detail(
    failures: Failures, row: int, most: int | None = FIRST_PREDICTIONS
) -> MomentDetail:
    """A query of the truth with its first predictions (None: all), in the order of the file; after
    them come the first in the right video, the best overlap and the first hit, where they are
    later.
    """
    truth, predictions = failures.judged.truth, failures.judged.predictions
    found = predictions.of(row)
    last = found.stop if most is None else min(found.stop, found.start + most)
    first = range(found.start, last)
    chosen = sorted({*first, *_find_deciding(failures, found)})
    return MomentDetail(
        task=failures.judged.task,
        at=failures.at,
        near=failures.near,
        id=truth.ids[row],
        text=truth.texts[row],
        type=None if truth.types is None else TYPES[int(truth.types[row])],
        video=truth.videos[row],
        duration=nan_to_none(float(truth.durations[row])),
        spans=tuple((start, end) for start, end in truth.spans_of(row).tolist()),
        kind=failures.names[int(failures.classes[row])],
        why=explain_class(failures, row),
        right_rank=int(failures.right_ranks[row]) or None,
        hit_rank=int(failures.hit_ranks[row]) or None,
        predictions=found.stop - found.start,
        shown=tuple(find_prediction(failures, row, at) for at in chosen),
    )


def _find_deciding(failures: Failures, found: slice) -> list[int]:
    """Where the predictions stand by which the class was decided."""
    judged = failures.judged
    counted = judged.right[found] & (judged.ranks[found] > 0)
    if not counted.any():
        return []
    overlaps = np.where(counted, judged.ious[found], -1)
    hits = judged.correct(failures.at.iou)[found]
    places = [counted.argmax(), overlaps.argmax(), *([hits.argmax()] if hits.any() else [])]
    return [found.start + int(place) for place in places]


def build_moment_document(
    source: MomentsSource,
    shown: Sequence[MomentDetail],
    near: float,
    highlights: Sequence[HighlightDetail] = (),
    unread: Sequence[str] = (),
) -> dict[str, Any]:
    """The queries that were asked for, each in every task; with their highlights, and the notes
    about the files and about what is not read of them."""
    fields = {
        "near": near,
        "queries": [_entry(one) for one in shown],
        "highlights": [asdict(one) for one in highlights],
    }
    policies, notes = (
        dump_moments_policies(source.request),
        (*collect_moment_notes(source), *unread),
    )
    return enclose("moment", fields, inputs=source.inputs, policies=policies, notes=notes)


def _entry(one: MomentDetail) -> dict[str, Any]:
    entry = {"class" if key == "kind" else key: value for key, value in asdict(one).items()}
    del entry["near"]  # the document has it, once
    entry["at"] = str(one.at)
    entry["spans"] = [list(span) for span in one.spans]
    entry["shown"] = [
        {key: nan_to_none(own) if isinstance(own, float) else own for key, own in found.items()}
        for found in entry["shown"]
    ]
    return entry


@dataclass(frozen=True, slots=True)
class RatingHits:
    """What is right from a rating on.

    hit  whether a rater finds the best predicted clip so good: HL-Hit1 is the mean over queries
    ap   average precision of the clips by saliency, the mean over raters, 0 to 1: HL-mAP likewise
    """

    level: str
    least: int
    hit: bool
    ap: float


@dataclass(frozen=True, slots=True)
class HighlightDetail:
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
    levels: tuple[RatingHits, ...]


def find_highlight_detail(source: MomentsSource, row: int) -> HighlightDetail | None:
    """The highlight of a query; None where no saliency was predicted."""
    found = source.highlights if isinstance(source, QvhSource) else None
    if found is None:
        return None
    truth, clip = source.truth, int(found.best_clips[row])
    return HighlightDetail(
        id=truth.ids[row],
        text=truth.texts[row],
        video=truth.videos[row],
        duration=nan_to_none(float(truth.durations[row])),
        clip=clip,
        start=float(clip * CLIP_SECONDS),
        end=float((clip + 1) * CLIP_SECONDS),
        levels=tuple(
            RatingHits(name, LEAST_RATINGS[name], bool(hit), float(ap))
            for name, hit, ap in zip(found.levels, found.hit1[row], found.ap[row], strict=True)
        ),
    )
