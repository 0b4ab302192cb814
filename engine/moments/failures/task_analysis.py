"""What is found out about the queries of a task: why they fail, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats
from engine.moments.failures.failures import Failures, explain
from engine.moments.failures.lengths import LengthBin, split_by_length
from engine.moments.hit_rule import HitRule, choose_hit_rule
from engine.moments.judged_predictions import JudgedPredictions
from engine.moments.moments_source import MomentsSource
from engine.moments.tasks import Task


@dataclass(frozen=True, eq=False)
class TaskAnalysis:
    """One task: its queries by class, recall over k and IoU, and both by length in seconds."""

    failures: Failures
    curve: RecallCurve
    by_video: tuple[LengthBin, ...]
    by_moment: tuple[LengthBin, ...]

    @property
    def task(self) -> Task:
        return self.failures.judged.task


def analyse_tasks(
    source: MomentsSource, at: HitRule | None = None, near: float | None = None
) -> tuple[TaskAnalysis, ...]:
    """Every task of the source, in its order; None: see `choose_hit_rule` and `choose_near_iou`."""
    at = at or choose_hit_rule(source.request)
    return tuple(
        analyse_task(explain(source.judge(task), at, near), source.request.ks)
        for task in source.tasks
    )


def analyse_task(failures: Failures, ks: Sequence[int]) -> TaskAnalysis:
    """What is behind the classes of a task: the curve at these k, and the lengths.

    >>> from engine.moments.tvr.scoring import judge_lists
    >>> judged = judge_lists("VCMR", [("a", [(10, 20)])], [[("b", 10, 20), ("a", 10, 20)]])
    >>> found = analyse_task(explain(judged, HitRule(0.5, 1)), (1, 5))
    >>> found.task, found.curve.ks, [(one.low, one.n) for one in found.by_moment]
    ('VCMR', (1, 5), [(10.0, 1)])
    """
    truth = failures.judged.truth
    return TaskAnalysis(
        failures=failures,
        curve=compute_recall_curve(failures.judged, ks),
        by_video=split_by_length(failures, truth.durations),
        by_moment=split_by_length(failures, truth.moment_lengths),
    )


CURVE_IOUS = tuple(tenths / 10 for tenths in range(1, 10))


@dataclass(frozen=True, eq=False)
class RecallCurve:
    """values[i, j]: the share of queries with a hit among the first ks[i] at ious[j], 0 to 1."""

    ks: tuple[int, ...]
    ious: tuple[float, ...]
    values: AnyFloats


def compute_recall_curve(
    judged: JudgedPredictions, ks: Sequence[int], ious: Sequence[float] = CURVE_IOUS
) -> RecallCurve:
    """R@k at every IoU; NaN without queries. In VR times are ignored: all columns are the same.

    >>> from engine.moments.tvr.scoring import judge_lists
    >>> judged = judge_lists("VCMR", [("a", [(10, 20)])], [[("b", 10, 20), ("a", 10, 16)]])
    >>> compute_recall_curve(judged, ks=(1, 5), ious=(0.5, 0.7)).values.tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    values = np.full((len(ks), len(ious)), np.nan)
    for column, iou in enumerate(ious if len(judged) else ()):
        if judged.task == "VR" and column:
            values[:, column] = values[:, 0]
            continue
        first = judged.first_ranks(iou)
        ranks = np.sort(first[first > 0])
        values[:, column] = np.searchsorted(ranks, ks, side="right") / len(judged)
    return RecallCurve(tuple(ks), tuple(ious), values)
