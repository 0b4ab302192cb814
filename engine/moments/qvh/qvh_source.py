"""QvhSource: predictions for QVHighlights beside its ground truth, with the official scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from engine.base.arrays import AnyFloats
from engine.base.errors import InputError, Place
from engine.files.input_file import InputFile
from engine.moments.judged_predictions import JudgedPredictions, Predictions
from engine.moments.moments_source import Benchmark, MomentsRequest
from engine.moments.qvh.document import build_qvh_document
from engine.moments.qvh.files import QvhFiles, read_qvh
from engine.moments.qvh.highlights import HighlightScores, score_highlights
from engine.moments.qvh.moments import RANGES, MomentScores, score_moments, suppress
from engine.moments.qvh.numbers import RaggedLists
from engine.moments.qvh.overlaps import find_best_overlaps
from engine.moments.tasks import Task
from engine.moments.truth import MomentTruth

TASK: Task = "MR"


@dataclass(frozen=True, eq=False)
class QvhSource:
    """An opened pair of files. Scores are computed when they are asked for, and kept."""

    request: MomentsRequest
    files: QvhFiles
    inputs: Mapping[str, InputFile] = field(default_factory=dict)

    @property
    def format(self) -> Benchmark:
        return "qvh"

    @property
    def truth(self) -> MomentTruth:
        return self.files.truth

    @property
    def tasks(self) -> tuple[Task, ...]:
        return () if self.files.windows is None else (TASK,)

    @property
    def notes(self) -> tuple[str, ...]:
        return self.files.notes

    def official(self) -> dict[str, Any]:
        """The document of the official script; NaN for ranges that no query has a span in."""
        moments = None if self.files.windows is None else self._moments
        return build_qvh_document(moments, self.highlights, self.files.order)

    @cached_property
    def highlights(self) -> HighlightScores | None:
        """Per query how the highlights are found; None without predicted saliency."""
        if self.files.saliency is None or self.files.ratings is None:
            return None
        return score_highlights(self.files.ratings, self.files.saliency)

    @property
    def average_precision(self) -> AnyFloats:
        """Per query and IoU, over all spans of the query: what MR-full-mAP is the mean of."""
        ap: AnyFloats = self._moments.ap[RANGES.index("full")]
        return ap

    def judge(self, task: Task, *, scores: bool = False) -> JudgedPredictions:
        """Every window with the overlap and the rank that count for MR-R1."""
        if task != TASK:
            raise _no_task(self.request, task)
        return self._with_scores if scores else self._without_scores

    @cached_property
    def _without_scores(self) -> JudgedPredictions:
        kept = self._with_scores
        return replace(kept, predictions=replace(kept.predictions, scores=None))

    @cached_property
    def _with_scores(self) -> JudgedPredictions:
        windows = self._windows
        codes = {name: code for code, name in enumerate(dict.fromkeys(self.truth.videos))}
        videos = np.array([codes[name] for name in self.truth.videos], np.int32)
        ranks = (windows.places + 1).astype(np.int32)
        predictions = Predictions(
            offsets=windows.offsets,
            videos=videos[windows.queries],
            spans=windows.values[:, :2],
            scores=windows.values[:, 2],
            names={code: name for name, code in codes.items()},
        )
        return JudgedPredictions(
            task=TASK,
            truth=self.truth,
            predictions=predictions,
            right=np.ones(len(ranks), np.bool_),
            ious=find_best_overlaps(
                windows.values, windows.queries, self.truth.span_offsets, self.truth.spans
            ),
            ranks=np.where(ranks <= self.request.most, ranks, 0),
        )

    @cached_property
    def _moments(self) -> MomentScores:
        return score_moments(self.files.spans, self._windows)

    @cached_property
    def _windows(self) -> RaggedLists:
        if self.files.windows is None:
            raise _no_task(self.request, TASK)
        if self.request.nms is None:
            return self.files.windows
        return suppress(self.files.windows, self.request.nms)


def open_qvh(request: MomentsRequest) -> QvhSource:
    """Read and check both files of a request; InputError names what is wrong with them.

    With `nms`, windows are put in the order of their scores, those that overlap a better one by
    more are dropped, and every score is computed from what remains: the first window is the best.
    """
    source = QvhSource(request, read_qvh(request.predictions, request.truth))
    for task in request.tasks:
        if task not in source.tasks:
            raise _no_task(request, task)
    return source


def _no_task(request: MomentsRequest, task: str) -> InputError:
    if task == TASK:
        hint = 'add "pred_relevant_windows" to the predictions'
        return InputError("has no windows, which MR needs", Place(request.predictions), hint=hint)
    return InputError(f"{task!r} is no task of QVHighlights", hint="ask for MR")
