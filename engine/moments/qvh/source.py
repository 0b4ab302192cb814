"""QvhSource: predictions for QVHighlights beside its ground truth, with the official scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts
from engine.base.errors import InputError, Place
from engine.files.input_file import InputFile
from engine.moments.judged_predictions import JudgedPredictions, MomentTruth, Predictions
from engine.moments.moments_source import Benchmark, MomentsRequest
from engine.moments.qvh.files import QvhFiles, read_qvh
from engine.moments.qvh.highlights import HighlightScores, score_highlights
from engine.moments.qvh.moments import IOUS, RANGES, MomentScores, score_moments, suppress
from engine.moments.ragged_lists import RaggedLists
from engine.moments.spans import find_best_overlaps
from engine.moments.tasks import Task

OfficialScores: TypeAlias = dict[str, dict[str, float]]


def build_qvh_document(
    moments: MomentScores | None, highlights: HighlightScores | None, order: AnyInts
) -> dict[str, Any]:
    """The document of the official script: percentages with two decimals, keys in its order. Brief
    scores first, then those of every level and range.

    order  the queries in the order of the predictions. Means are taken in it: what is added first
           can decide about the last digit.
    """
    brief: dict[str, float] = {}
    parts: dict[str, Any] = {}
    if moments is not None:
        ranges = {name: _range(moments, row, order) for row, name in enumerate(RANGES)}
        brief |= _brief_moments(ranges)
        parts |= ranges
    if highlights is not None:
        levels = _levels(highlights, order)
        brief |= {
            f"{name}-{key.removeprefix('HL-')}": value
            for name, scores in levels.items()
            for key, value in scores.items()
        }
        parts |= levels
    return {"brief": brief} | {name: parts[name] for name in sorted(parts)}


def to_percent(share: float) -> float:
    """A share as the script writes it.

    >>> to_percent(1 / 3)
    33.33
    """
    return float(f"{100 * share:.2f}")


def _range(moments: MomentScores, row: int, order: AnyInts) -> OfficialScores:
    """Scores over the queries with a span in the range; NaN if there are none."""
    queries = order[moments.asked[row][order]]
    names = [str(iou) for iou in IOUS]
    if not len(queries):
        undefined = dict.fromkeys(names, float("nan"))
        return {"MR-mAP": {**undefined, "average": float("nan")}, "MR-R1": undefined}
    ap = moments.ap[row][queries].mean(axis=0)
    first = moments.first[row][queries]
    return {
        "MR-mAP": {
            **{name: to_percent(value) for name, value in zip(names, ap, strict=True)},
            "average": to_percent(np.mean(ap)),
        },
        "MR-R1": {
            name: to_percent(np.mean(first >= iou)) for name, iou in zip(names, IOUS, strict=True)
        },
    }


def _brief_moments(ranges: dict[str, OfficialScores]) -> dict[str, float]:
    full = ranges["full"]
    return {
        "MR-full-R1@0.5": full["MR-R1"]["0.5"],
        "MR-full-R1@0.7": full["MR-R1"]["0.7"],
        "MR-full-mAP": full["MR-mAP"]["average"],
        "MR-full-mAP@0.5": full["MR-mAP"]["0.5"],
        "MR-full-mAP@0.75": full["MR-mAP"]["0.75"],
        "MR-long-mAP": ranges["long"]["MR-mAP"]["average"],
        "MR-middle-mAP": ranges["middle"]["MR-mAP"]["average"],
        "MR-short-mAP": ranges["short"]["MR-mAP"]["average"],
    }


def _levels(highlights: HighlightScores, order: AnyInts) -> OfficialScores:
    return {
        f"HL-min-{name}": {
            "HL-mAP": to_percent(np.mean(highlights.rater_ap[level][order])),
            "HL-Hit1": to_percent(float(highlights.hit1[:, level].mean())),
        }
        for level, name in enumerate(highlights.levels)
    }


TASK: Task = "MR"


@dataclass(frozen=True, eq=False)
class QvhSource:
    """An opened pair of files. Scores are computed when they are asked for, and kept."""

    request: MomentsRequest
    files: QvhFiles
    inputs: Mapping[str, InputFile] = field(default_factory=dict)

    @property
    def benchmark(self) -> Benchmark:
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

    @property
    def whole(self) -> QvhSource:
        """With the windows that `nms` drops, in the order of the file."""
        if self.request.nms is None:
            return self
        return replace(self, request=replace(self.request, nms=None))

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
