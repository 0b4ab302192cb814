"""Explained: opened predictions with the class of every query, as the screen shows them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.moments.failures.classes import HIT, RANKED_LOW
from engine.moments.failures.explanation import Span, format_overlap, shorten_number
from engine.moments.moments_source import needs_two
from tui.moments.signs import ClassSign, of_class

if TYPE_CHECKING:
    from engine.moments.failures.failures import Failures
    from engine.moments.hit_rule import HitRule
    from engine.moments.judged_predictions import JudgedPredictions, Predictions
    from engine.moments.moments_source import MomentsSource, Task
    from engine.moments.truth import MomentTruth


@dataclass(frozen=True, eq=False)
class ExplainedTask:
    """A source, and why its queries fail at one metric."""

    source: MomentsSource
    failures: Failures

    @property
    def judged(self) -> JudgedPredictions:
        return self.failures.judged

    @property
    def truth(self) -> MomentTruth:
        return self.failures.judged.truth

    @property
    def predictions(self) -> Predictions:
        return self.failures.judged.predictions

    @property
    def task(self) -> Task:
        return self.failures.judged.task

    @property
    def at(self) -> HitRule:
        return self.failures.at

    @property
    def has_times(self) -> bool:
        return self.task != "VR"

    @property
    def metric(self) -> str:
        return metric_name(self.failures)

    @property
    def finds_videos(self) -> bool:
        """Whether a prediction can be in another video; in QVHighlights none can."""
        return self.task != "MR"

    def shown(self, code: int) -> ClassSign:
        """A class as this task calls it."""
        return of_class(code, self.task)

    def overlap(self, iou: float) -> str:
        """An IoU as the command line writes it: never on the other side of what is asked for."""
        return format_overlap(iou, (self.failures.near, self.at.iou or 0.0))

    def __len__(self) -> int:
        return len(self.truth)

    def query(self, row: int) -> MomentQuery:
        return MomentQuery(self, row)


def metric_name(failures: Failures) -> str:
    """The metric by its official name, such as VCMR 0.5-r1."""
    return f"{failures.judged.task} {failures.at}"


@dataclass(frozen=True, eq=False)
class MomentQuery:
    """One query with its truth and its ranked predictions, in plain values."""

    explained: ExplainedTask
    row: int

    @property
    def id(self) -> str:
        return str(self.explained.truth.ids[self.row])

    @property
    def text(self) -> str:
        return self.explained.truth.texts[self.row]

    @property
    def video(self) -> str:
        return self.explained.truth.videos[self.row]

    @property
    def duration(self) -> float:
        """Seconds; NaN: not known."""
        return float(self.explained.truth.durations[self.row])

    @property
    def type(self) -> str:
        """What the description speaks of; empty: the file does not say."""
        from engine.moments.truth import TYPES

        types = self.explained.truth.types
        return "" if types is None else f"type {TYPES[int(types[self.row])]}"

    @property
    def code(self) -> int:
        """Its class."""
        return int(self.explained.failures.classes[self.row])

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The ground truth."""
        return tuple((float(a), float(b)) for a, b in self.explained.truth.spans_of(self.row))

    @property
    def needs_two(self) -> bool:
        """Whether a prediction must overlap two spans; QVHighlights has no such rule."""
        return needs_two(self.explained.task, len(self.spans))

    @property
    def deciding(self) -> int:
        """The overlap that counts: 0 the best, 1 the second best."""
        return 1 if self.needs_two else 0

    def __len__(self) -> int:
        """How many predictions there are."""
        where = self.explained.predictions.of(self.row)
        return int(where.stop) - int(where.start)

    def prediction(self, place: int) -> PredictionVerdict:
        """The prediction at a place of the list, from 0."""
        judged, given = self.explained.judged, self.explained.predictions
        at = given.of(self.row).start + place
        index = int(given.videos[at])
        start, end = (float(value) for value in given.spans[at])
        return PredictionVerdict(
            place=place,
            rank=int(judged.ranks[at]),
            video=given.names.get(index, f"unknown video {index}"),
            span=(start, end),
            right=bool(judged.right[at]),
            iou=shorten_number(judged.ious[at]) if self.explained.has_times else math.nan,
            score=None if given.scores is None else _known(float(given.scores[at])),
            code=self._code(at),
        )

    def _code(self, at: int) -> int:
        """What a prediction is: a place in MARKS."""
        from engine.moments.failures.failures import mark_predictions

        return int(mark_predictions(self.explained.failures, slice(at, at + 1))[0])

    def _overlaps(self, at: int, iou: float | None) -> bool:
        if iou is None or not self.explained.has_times:
            return True
        # In the precision of the overlaps, as they are compared by the rules.
        return bool((self.explained.judged.ious[at : at + 1] >= float(iou))[0])

    def reaches(self, place: int, iou: float) -> bool:
        """Whether the prediction at a place is in the right video with at least this IoU."""
        at = self.explained.predictions.of(self.row).start + place
        return bool(self.explained.judged.right[at]) and self._overlaps(at, iou)

    @cached_property
    def right_places(self) -> tuple[int, ...]:
        """The places of the predictions in the right video."""
        where = self.explained.predictions.of(self.row)
        return tuple(map(int, self.explained.judged.right[where].nonzero()[0]))

    @cached_property
    def right_spans(self) -> tuple[Span, ...]:
        """The predicted spans in the right video."""
        spans = self.explained.predictions.spans[self.explained.predictions.of(self.row)]
        return tuple((float(spans[n][0]), float(spans[n][1])) for n in self.right_places)


@dataclass(frozen=True, slots=True)
class PredictionVerdict:
    """One prediction, and what the rules say about it.

    place  its place in the list, from 0
    rank   what is compared with k, from 1; 0: it does not count
    iou    the overlap that counts; NaN in VR
    code   what it is, a place in MARKS
    """

    place: int
    rank: int
    video: str
    span: Span
    right: bool
    iou: float
    score: float | None
    code: int

    @property
    def hit(self) -> bool:
        """Whether it is right, whatever its rank."""
        return self.code in (HIT, RANKED_LOW)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
