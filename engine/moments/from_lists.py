"""Moments in plain lists, judged by the rules of TVR: to try them without any file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.moments.assessed import Assessed, Predictions
from engine.moments.source import MOST
from engine.moments.tasks import Task
from engine.moments.truth import Truth
from engine.moments.tvr.scoring import assess


def assess_lists(
    task: Task,
    wanted: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    found: Sequence[Sequence[tuple[str, float, float]]],
    most: int = MOST,
) -> Assessed:
    """Judge predictions; the ids of the queries are their places, from 0.

    wanted  per query the right video and its spans in seconds
    found   per query the predictions, best first: video, start, end

    >>> assess_lists("VCMR", [("a", [(10, 20)])], [[("b", 10, 20), ("a", 10, 15)]]).ious
    array([0. , 0.5], dtype=float32)
    """
    rows = [row for predictions in found for row in predictions]
    names = dict.fromkeys([*(video for video, _ in wanted), *(row[0] for row in rows)])
    indices = {name: index for index, name in enumerate(names)}
    spans = [span for _, own in wanted for span in own]
    truth = Truth(
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
    return assess(task, truth, predictions, right, most)
