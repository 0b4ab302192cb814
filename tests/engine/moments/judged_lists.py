"""Moments judged by the rules of TVR, from plain lists: what examples are made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.moments.judged_predictions import JudgedPredictions, MomentTruth, Predictions
from engine.moments.moments_source import MOST_PREDICTIONS
from engine.moments.tasks import Task
from engine.moments.tvr.scoring import judge_predictions


def judge_lists(
    task: Task,
    wanted: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    found: Sequence[Sequence[tuple[str, float, float]]],
    most: int = MOST_PREDICTIONS,
) -> JudgedPredictions:
    """Judge predictions; the ids of the queries are their places, from 0.

    wanted  per query the right video and its spans in seconds
    found   per query the predictions, best first: video, start, end
    """
    rows = [row for predictions in found for row in predictions]
    names = dict.fromkeys([*(video for video, _ in wanted), *(row[0] for row in rows)])
    indices = {name: index for index, name in enumerate(names)}
    spans = [span for _, own in wanted for span in own]
    truth = MomentTruth(
        file=Path("lists"),
        ids=tuple(range(len(wanted))),
        texts=("",) * len(wanted),
        videos=tuple(video for video, _ in wanted),
        durations=np.full(len(wanted), np.nan),
        span_offsets=np.cumsum([0, *(len(own) for _, own in wanted)]),
        spans=np.array(spans, np.float64).reshape(-1, 2),
        types=None,
        lines=np.arange(1, len(wanted) + 1),
    )
    predictions = Predictions(
        offsets=np.cumsum([0, *map(len, found)]),
        videos=np.array([indices[row[0]] for row in rows], np.int64),
        spans=np.array([row[1:] for row in rows], np.float64).reshape(-1, 2),
        scores=None,
        names={index: name for name, index in indices.items()},
    )
    right = np.array([indices[video] for video in truth.videos], np.int64)
    return judge_predictions(task, truth, predictions, right, most)
