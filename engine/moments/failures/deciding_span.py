"""Which span of the truth decides about a prediction, and how many seconds they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine.moments.tasks import needs_two

if TYPE_CHECKING:
    from engine.moments.judged_predictions import JudgedPredictions

Span: TypeAlias = tuple[float, float]
"""Start and end in seconds."""


def measure_overlap(one: Span, other: Span) -> float:
    """Seconds that two spans share.

    >>> measure_overlap((0.0, 10.0), (5.0, 20.0)), measure_overlap((0.0, 1.0), (5.0, 20.0))
    (5.0, 0.0)
    """
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


def find_deciding_span(span: Span, truth: Sequence[Span], place: int = 0) -> int | None:
    """Which span of the truth overlaps best (0), second best (1), …; None: there is none.

    >>> find_deciding_span((0.0, 10.0), [(20.0, 30.0), (0.0, 9.0)])
    1
    """
    import numpy as np

    from engine.moments.spans import hull_iou

    if len(truth) <= place:
        return None
    ends = np.array(truth)
    mine = np.broadcast_to(np.array(span), ends.shape)
    ious = hull_iou(mine[:, 0], mine[:, 1], ends[:, 0], ends[:, 1])
    order = np.argsort(-ious, kind="stable")
    chosen = int(order[place])
    return chosen if ious[chosen] > 0 else None


def measure_shared_seconds(judged: JudgedPredictions, row: int, prediction: int) -> float:
    """Seconds that a prediction shares with the span of its query that decides; 0: with none.

    prediction  where it stands among all predictions

    >>> from engine.moments.tvr.scoring import judge_lists
    >>> measure_shared_seconds(judge_lists("VCMR", [("a", [(10, 20)])], [[("a", 12, 30)]]), 0, 0)
    8.0
    """
    truth = [(float(start), float(end)) for start, end in judged.truth.spans_of(row)]
    start, end = (float(str(time)) for time in judged.predictions.spans[prediction])
    second = int(needs_two(judged.task, len(truth)))
    chosen = find_deciding_span((start, end), truth, second)
    return 0.0 if chosen is None else measure_overlap((start, end), truth[chosen])
