"""What is found out about the queries of a task: why they fail, and where."""

from __future__ import annotations

from dataclasses import dataclass

from engine.moments.assessed import Task
from engine.moments.curve import Curve, recall_curve
from engine.moments.failures import NEAR, At, Failures, explain
from engine.moments.lengths import LengthBin, by_length
from engine.moments.source import MomentsSource


@dataclass(frozen=True, eq=False)
class Findings:
    """One task: its queries by class, recall over k and IoU, and both by length in seconds."""

    failures: Failures
    curve: Curve
    by_video: tuple[LengthBin, ...]
    by_moment: tuple[LengthBin, ...]

    @property
    def task(self) -> Task:
        return self.failures.assessed.task


def find_out(
    source: MomentsSource, at: At | None = None, near: float = NEAR
) -> tuple[Findings, ...]:
    """Every task of the source, in its order; `at` is the smallest IoU and k that was asked for."""
    request = source.request
    at = at or At(min(request.ious), min(request.ks))
    return tuple(_of_task(source, task, at, near) for task in source.tasks)


def _of_task(source: MomentsSource, task: Task, at: At, near: float) -> Findings:
    failures = explain(source.assessed(task), at, near)
    truth = source.truth
    return Findings(
        failures=failures,
        curve=recall_curve(failures.assessed, source.request.ks),
        by_video=by_length(failures, truth.durations),
        by_moment=by_length(failures, truth.moment_lengths),
    )
