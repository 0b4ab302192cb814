"""ExplainedTask: opened predictions, and why each of their queries fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.moments.failures.explanation import (
    PredictionDetail,
    Span,
    find_prediction,
    format_overlap,
)
from engine.moments.tasks import needs_two

if TYPE_CHECKING:
    from engine.base.arrays import AnyInts
    from engine.moments.failures.failures import Failures
    from engine.moments.judged_predictions import MomentTruth, Predictions
    from engine.moments.moments_source import MomentsSource
    from engine.moments.tasks import HitRule, Task


@dataclass(frozen=True, eq=False)
class ExplainedTask:
    """A source, and why its queries fail at one metric."""

    source: MomentsSource
    failures: Failures

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
        return format_metric(self.failures)

    @property
    def finds_videos(self) -> bool:
        """Whether a prediction can be in another video; in QVHighlights none can."""
        return self.task != "MR"

    def overlap(self, iou: float) -> str:
        """An IoU as the command line writes it: never on the other side of what is asked for."""
        return format_overlap(iou, (self.failures.near, self.at.iou or 0.0))

    def __len__(self) -> int:
        return len(self.truth)

    def as_cells(self, rows: AnyInts) -> Iterator[list[str]]:
        """The queries as `tui-eval moments --per-query` writes them, at this metric."""
        from engine.files.csv_cells import escape_formula, join_cell
        from engine.report.moments.per_query import collect_query_columns

        ious = () if self.at.iou is None else (self.at.iou,)
        columns = collect_query_columns([self.failures], self.source.benchmark, ious, (self.at.k,))
        columns["keywords"] = [join_cell(words) for words in columns["keywords"]]
        yield list(columns)
        for row in rows.tolist():
            cells = (values[row] for values in columns.values())
            yield ["" if cell is None else escape_formula(str(cell)) for cell in cells]

    def query(self, row: int) -> MomentQuery:
        from engine.moments.judged_predictions import TYPES

        truth = self.truth
        spans = tuple((float(start), float(end)) for start, end in truth.spans_of(row))
        return MomentQuery(
            explained=self,
            row=row,
            id=str(truth.ids[row]),
            text=truth.texts[row],
            video=truth.videos[row],
            duration=float(truth.durations[row]),
            type="" if truth.types is None else f"type {TYPES[int(truth.types[row])]}",
            code=int(self.failures.classes[row]),
            spans=spans,
            needs_two=needs_two(self.task, len(spans)),
        )


def format_metric(failures: Failures) -> str:
    """The metric by its official name, such as VCMR 0.5-r1."""
    return f"{failures.judged.task} {failures.at}"


@dataclass(frozen=True, eq=False)
class MomentQuery:
    """One query with its truth and its ranked predictions, in plain values.

    duration   seconds; NaN: not known
    type       what the description speaks of; empty: the file does not say
    code       its class
    spans      the ground truth
    needs_two  whether a prediction must overlap two spans; QVHighlights has no such rule
    """

    explained: ExplainedTask
    row: int
    id: str
    text: str
    video: str
    duration: float
    type: str
    code: int
    spans: tuple[Span, ...]
    needs_two: bool

    @property
    def _where(self) -> slice:
        """Where its predictions stand among all."""
        return self.explained.predictions.of(self.row)

    def __len__(self) -> int:
        """How many predictions there are."""
        return int(self._where.stop) - int(self._where.start)

    def prediction(self, place: int) -> PredictionDetail:
        """The prediction at a place of the list, from 0."""
        return find_prediction(self.explained.failures, self.row, self._where.start + place)

    def reaches(self, place: int, iou: float) -> bool:
        """Whether the prediction at a place is in the right video with at least this IoU."""
        judged, at = self.explained.failures.judged, self._where.start + place
        # In the precision of the overlaps, as they are compared by the rules.
        return bool(judged.right[at] and (judged.ious[at : at + 1] >= float(iou))[0])

    @cached_property
    def right_places(self) -> tuple[int, ...]:
        """The places of the predictions in the right video."""
        return tuple(map(int, self.explained.failures.judged.right[self._where].nonzero()[0]))

    @cached_property
    def right_spans(self) -> tuple[Span, ...]:
        """The predicted spans in the right video."""
        spans = self.explained.predictions.spans[self._where]
        return tuple((float(spans[n][0]), float(spans[n][1])) for n in self.right_places)
