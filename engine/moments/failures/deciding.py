"""Which span of the truth decides about a prediction, and how many seconds they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine.moments.tasks import needs_two

if TYPE_CHECKING:
    from engine.moments.assessed import Assessed

Span: TypeAlias = tuple[float, float]
"""Start and end in seconds."""


def shared(one: Span, other: Span) -> float:
    """Seconds that two spans share.

    >>> shared((0.0, 10.0), (5.0, 20.0)), shared((0.0, 1.0), (5.0, 20.0))
    (5.0, 0.0)
    """
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


def deciding_span(span: Span, truth: Sequence[Span], place: int = 0) -> int | None:
    """Which span of the truth overlaps best (0), second best (1), …; None: there is none.

    >>> deciding_span((0.0, 10.0), [(20.0, 30.0), (0.0, 9.0)])
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


def shared_seconds(assessed: Assessed, row: int, prediction: int) -> float:
    """Seconds that a prediction shares with the span of its query that decides; 0: with none.

    prediction  where it stands among all predictions

    >>> from engine.moments.from_lists import assess_lists
    >>> shared_seconds(assess_lists("VCMR", [("a", [(10, 20)])], [[("a", 12, 30)]]), 0, 0)
    8.0
    """
    truth = [(float(start), float(end)) for start, end in assessed.truth.spans_of(row)]
    start, end = (float(str(time)) for time in assessed.predictions.spans[prediction])
    second = int(needs_two(assessed.task, len(truth)))
    chosen = deciding_span((start, end), truth, second)
    return 0.0 if chosen is None else shared((start, end), truth[chosen])
