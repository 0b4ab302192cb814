"""One query: which span of the truth decides about a prediction, and one sentence that says why the
query is in its class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.moments.failures.classes import HIT, PREDICTION_MARKS, RANKED_LOW, WRONG_VIDEO
from engine.moments.tasks import needs_two

if TYPE_CHECKING:
    from engine.moments.failures.failures import Failures
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
    """
    truth = [(float(start), float(end)) for start, end in judged.truth.spans_of(row)]
    start, end = (float(str(time)) for time in judged.predictions.spans[prediction])
    second = int(needs_two(judged.task, len(truth)))
    chosen = find_deciding_span((start, end), truth, second)
    return 0.0 if chosen is None else measure_overlap((start, end), truth[chosen])


def explain_class(failures: Failures, row: int) -> str:
    """What decided the class of a query, with its numbers."""
    code, rank = int(failures.classes[row]), int(failures.hit_ranks[row])
    what = "the right video" if failures.at.iou is None else "a right moment"
    if code == HIT:
        return f"{what} is at rank {rank}."
    if code == RANKED_LOW:
        return f"{what} is at rank {rank}, after {failures.at.k}."
    return _no_video(failures, row) if code == WRONG_VIDEO else _no_time(failures, row)


def _no_time(failures: Failures, row: int) -> str:
    best, needed = shorten_number(failures.best[row]), failures.at.iou or 0.0
    judged = failures.judged
    found = f"the right video is at rank {int(failures.right_ranks[row])}"
    spans = int(judged.truth.span_counts[row])
    two = needs_two(judged.task, spans)
    if best == 0:
        missed = "two of its moments" if two else "the moment" if spans == 1 else "its moments"
        if judged.task == "MR":  # there every window is in the right video
            return f"no window overlaps {missed}."
        return f"{found}, but no time in it overlaps {missed}."
    shown = format_overlap(best, (failures.near, needed))
    second = " (with the second best of its moments)" if two else ""
    best_of = f"the best overlap is {shown}{second}, {needed:g} is needed."
    return best_of if judged.task == "MR" else f"{found}; {best_of}"


def _no_video(failures: Failures, row: int) -> str:
    judged = failures.judged
    given = judged.predictions.of(row)
    count = given.stop - given.start
    if count == 0:
        return "it has no predictions."
    if judged.right[given].any():
        return "the right video comes only after the predictions that count."
    if count == 1:
        return "the only prediction is in another video."
    return f"all {count:,} predictions are in other videos."


_MOST_DIGITS = 20


def shorten_number(value: Any) -> float:
    """The shortest decimals that mean a number: 0.7 of single precision is 0.7.

    Compared with a threshold they say the same as the number in its own precision.

    >>> import numpy as np
    >>> float(np.float32(0.7)), shorten_number(np.float32(0.7))
    (0.699999988079071, 0.7)
    """
    return float(str(value))


def format_overlap(overlap: float, limits: Sequence[float] = (), digits: int = 3) -> str:
    """An overlap in few digits, cut off: what is less than 0.5 never reads 0.500, and what is above
    0 never reads 0. More digits where a limit would else lie between the text and the number.

    >>> (
    ...     format_overlap(0.4567),
    ...     format_overlap(0.49998),
    ...     format_overlap(1.0),
    ...     format_overlap(0.00004),
    ... )
    ('0.456', '0.499', '1.000', '0.001')
    >>> format_overlap(0.49998, digits=2), format_overlap(0.45678, limits=[0.4567])
    ('0.49', '0.4567')
    """
    exact = Decimal(str(overlap))
    for places in range(digits, _MOST_DIGITS):
        unit = Decimal(1).scaleb(-places)
        text = exact.quantize(unit, ROUND_DOWN)
        if exact > 0:
            text = max(text, unit)
        if all((float(text) >= limit) == (overlap >= limit) for limit in limits):
            return str(text)
    return str(overlap)


@dataclass(frozen=True, slots=True)
class PredictionDetail:
    """One prediction.

    place   its place in the list, from 1
    rank    what k is compared with; None: it does not count
    video   None: no video has that index
    iou     the overlap that counts; None in a wrong video, and in VR
    shared  seconds that it shares with the span that decides; None where `iou` is
    score   what the system thought of it; None if that was not read
    mark    one of PREDICTION_MARKS
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

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def code(self) -> int:
        """The place of its mark in PREDICTION_MARKS."""
        return PREDICTION_MARKS.index(self.mark)

    @property
    def right(self) -> bool:
        """Whether it is in the right video."""
        return self.code != WRONG_VIDEO

    @property
    def video_text(self) -> str:
        return f"unknown video {self.index}" if self.video is None else self.video


def find_prediction(failures: Failures, row: int, at: int) -> PredictionDetail:
    """One prediction of a query; `at`: where it stands among all predictions."""
    from engine.moments.failures.failures import mark_predictions

    judged = failures.judged
    given = judged.predictions
    index = int(given.videos[at])
    timed = failures.at.iou is not None and bool(judged.right[at])
    score = None if given.scores is None else shorten_number(given.scores[at])
    return PredictionDetail(
        place=at - given.of(row).start + 1,
        rank=int(judged.ranks[at]) or None,
        video=given.names.get(index),
        index=index,
        start=shorten_number(given.spans[at, 0]),
        end=shorten_number(given.spans[at, 1]),
        iou=shorten_number(judged.ious[at]) if timed else None,
        shared=round(measure_shared_seconds(judged, row, at), 6) if timed else None,
        score=None if score is None or math.isnan(score) else score,
        mark=PREDICTION_MARKS[mark_predictions(failures, slice(at, at + 1))[0]],
    )
