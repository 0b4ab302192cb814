"""TVR: the rules by which a prediction counts, and the numbers of the official script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.base.errors import InputError, Place
from engine.base.messages import pluralise
from engine.base.progress import split_range
from engine.moments.judged_predictions import TYPES, JudgedPredictions, MomentTruth, Predictions
from engine.moments.spans import find_survivors, hull_iou
from engine.moments.tasks import HitRule, Task, needs_two

_TOGETHER = 1 << 16
"""Predictions whose overlaps are computed at a time: they fit into the processor's cache."""

TaskNumbers: TypeAlias = tuple[dict[str, float], dict[str, float | str]]
"""Percentages by name, over all queries and by type of description."""


def judge_predictions(
    task: Task, truth: MomentTruth, predictions: Predictions, right_videos: AnyInts, most: int
) -> JudgedPredictions:
    """Apply the rules to predictions; `right_videos` is the index of every query's video."""
    queries = predictions.queries
    # As float32, as the official script holds them: indices from 2**24 on may be confused.
    right = predictions.videos.astype(np.float32) == right_videos.astype(np.float32)[queries]
    used = _numbered(np.ones(len(queries), np.bool_), predictions) <= most
    ranks = _numbered(right & used if task == "SVMR" else used, predictions)
    ious = np.zeros(len(queries), np.float32)
    if task != "VR":
        found = np.flatnonzero(right & used)
        for piece in split_range(len(found), _TOGETHER):
            places = found[piece]
            ious[places] = _overlaps(task, truth, queries[places], predictions.spans[places])
    return JudgedPredictions(task, truth, predictions, right, ious, ranks)


def _numbered(which: Bools, predictions: Predictions) -> AnyInts:
    """Within each list, the chosen ones numbered from 1; the others have 0."""
    counted = np.cumsum(which, dtype=np.int32)
    before = np.concatenate([np.zeros(1, np.int32), counted])[predictions.offsets[:-1]]
    counted -= before[predictions.queries]
    counted[~which] = 0
    return counted


def _overlaps(task: Task, truth: MomentTruth, queries: AnyInts, spans: AnyFloats) -> AnyFloats:
    """Per prediction the overlap that counts, in float32.

    With one span of ground truth the overlap with it; with several the best; with four or more the
    second best, because an overlap with two is needed.
    """
    counts = truth.span_counts[queries]
    spans = spans.astype(np.float32)
    wanted = truth.spans.astype(np.float32)
    best = np.zeros((2, len(queries)), np.float32)
    left = np.flatnonzero(counts > 0)
    slot = 0
    while len(left):
        own = wanted[truth.span_offsets[:-1][queries[left]] + slot]
        ious = hull_iou(spans[left, 0], spans[left, 1], own[:, 0], own[:, 1])
        first, second = best[0, left], best[1, left]
        best[1, left] = np.maximum(second, np.minimum(first, ious))
        best[0, left] = np.maximum(first, ious)
        slot += 1
        left = left[counts[left] > slot]
    return best[needs_two(task, counts).astype(np.intp), np.arange(len(queries))]


def drop_copies(predictions: Predictions, threshold: float) -> Predictions:
    """The predictions that stay after non-maximum suppression, in their order."""
    stays = find_survivors(predictions.queries, predictions.videos, predictions.spans, threshold)
    kept = np.concatenate([[0], np.cumsum(stays)])[predictions.offsets]
    return Predictions(
        offsets=kept,
        videos=predictions.videos[stays],
        spans=predictions.spans[stays],
        scores=None if predictions.scores is None else predictions.scores[stays],
        names=predictions.names,
    )


def find_right_videos(truth: MomentTruth, video2idx: dict[str, int], place: Place) -> AnyInts:
    """The index of every query's video."""
    lacking = [row for row, name in enumerate(truth.videos) if name not in video2idx]
    if lacking:
        names = dict.fromkeys(truth.videos[row] for row in lacking)
        raise InputError(
            f"video2idx lacks {pluralise(len(names), 'video')} of {truth.file.name}, "
            f"first {next(iter(names))!r} of desc_id {truth.ids[lacking[0]]}",
            place,
            hint="map every video of the split to its index",
        )
    return np.array([video2idx[name] for name in truth.videos], np.int64)


def compute_task_numbers(
    judged: JudgedPredictions, ious: Sequence[float], ks: Sequence[int]
) -> TaskNumbers:
    """The percentages of one task, over all queries and by type of description."""
    thresholds = [None] if judged.task == "VR" else ious
    hits = {
        str(HitRule(iou, k)): (ranks > 0) & (ranks <= k)
        for iou in thresholds
        for ranks in [judged.first_ranks(iou)]
        for k in ks
    }
    overall = {name: _percentage(np.mean(found)) for name, found in hits.items()}
    types = judged.truth.types
    if types is None:
        return overall, {}
    by_type: dict[str, float | str] = {
        f"{name}-{metric}": _percentage(_share(found & (types == code), types == code))
        for code, name in enumerate(TYPES)
        for metric, found in hits.items()
    }
    ratios = (f"{t} {_percentage(np.mean(types == code))}" for code, t in enumerate(TYPES))
    return overall, {**by_type, "desc_type_ratio": " ".join(ratios)}


def build_tvr_document(
    numbers: Mapping[Task, TaskNumbers],
) -> dict[str, Any]:
    """All tasks, then all tasks by type, as the official script orders them.

    >>> build_tvr_document({"VR": ({"r1": 50.0}, {"v-r1": 50.0})})
    {'VR': {'r1': 50.0}, 'VR_by_type': {'v-r1': 50.0}}
    """
    document: dict[str, Any] = {task: overall for task, (overall, _) in numbers.items()}
    document |= {f"{task}_by_type": by_type for task, (_, by_type) in numbers.items() if by_type}
    return document


def _share(found: Bools, among: Bools) -> np.float64:
    """NaN where there is none."""
    count = np.count_nonzero(among)
    return np.float64(np.count_nonzero(found) / count if count else np.nan)


def _percentage(share: np.floating[Any]) -> float:
    """Rounded as numpy rounds, by a factor of 100: that is what the official script does.

    >>> _percentage(np.float64(0.123456))
    12.35
    """
    return float(np.round(np.float64(share) * 100, 2))
