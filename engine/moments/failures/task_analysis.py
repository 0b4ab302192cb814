"""What is found out about the queries of a task: why they fail, and where. Are short moments, or
long videos, the hard ones?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.moments.failures.classes import CLASSES, HIT
from engine.moments.failures.failures import Failures, explain
from engine.moments.judged_predictions import JudgedPredictions
from engine.moments.moments_source import MomentsSource, choose_hit_rule
from engine.moments.tasks import HitRule, Task

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class LengthBin:
    """The queries with a length from `low` up to, not including, `high`; the last bin includes it.

    low, high  seconds; both NaN: the lengths are not known
    counts     (5,) queries of each class
    """

    low: float
    high: float
    counts: AnyInts

    @property
    def n(self) -> int:
        """How many queries it has."""
        return int(self.counts.sum())

    @property
    def shares(self) -> AnyFloats:
        """(5,) the share of its queries that each class has, 0 to 1; NaN without queries."""
        return self.counts / (self.n or math.nan)

    @property
    def recall(self) -> float:
        """The share of hits; NaN without queries."""
        return float(self.shares[HIT])

    @property
    def known(self) -> bool:
        return not math.isnan(self.low)


def split_by_length(
    failures: Failures, lengths: AnyFloats, edges: Sequence[float] | None = None
) -> tuple[LengthBin, ...]:
    """The queries in bins of their length: quartiles unless edges are given; equal edges are one.

    What lies beyond given edges has a bin of its own, which is open (infinite) on that side.
    Lengths that are not known are in a last bin.
    """
    known = np.isfinite(lengths)
    bins = []
    if known.any():
        limits = _limits(lengths[known], edges)
        last = len(limits) - 2
        places = np.clip(np.searchsorted(limits, lengths, side="right") - 1, 0, last)
        bins = [
            _bin(
                failures, known & (places == place), float(limits[place]), float(limits[place + 1])
            )
            for place in range(last + 1)
        ]
    if not known.all():
        bins.append(_bin(failures, ~known, math.nan, math.nan))
    return tuple(bins)


def _limits(lengths: AnyFloats, edges: Sequence[float] | None) -> AnyFloats:
    limits = np.unique(np.quantile(lengths, QUARTILES) if edges is None else np.asarray(edges))
    if edges is not None:
        shorter = [-math.inf] if lengths.min() < limits[0] else []
        longer = [math.inf] if lengths.max() > limits[-1] else []
        limits = np.concatenate([shorter, limits, longer])
    return limits if len(limits) > 1 else np.repeat(limits, 2)


def _bin(failures: Failures, chosen: Bools, low: float, high: float) -> LengthBin:
    return LengthBin(low, high, np.bincount(failures.classes[chosen], minlength=len(CLASSES)))


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
    """What is behind the classes of a task: the curve at these k, and the lengths."""
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
    """R@k at every IoU; NaN without queries. In VR times are ignored: all columns are the same."""
    values = np.full((len(ks), len(ious)), np.nan)
    for column, iou in enumerate(ious if len(judged) else ()):
        if judged.task == "VR" and column:
            values[:, column] = values[:, 0]
            continue
        first = judged.first_ranks(iou)
        ranks = np.sort(first[first > 0])
        values[:, column] = np.searchsorted(ranks, ks, side="right") / len(judged)
    return RecallCurve(tuple(ks), tuple(ious), values)
