"""What is found out about the queries of a task: why they fail, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.moments.at import At, usual_at
from engine.moments.failures.curve import Curve, recall_curve
from engine.moments.failures.failures import Failures, explain
from engine.moments.failures.lengths import LengthBin, by_length
from engine.moments.source import MomentsSource
from engine.moments.tasks import Task


@dataclass(frozen=True, eq=False)
class TaskFindings:
    """One task: its queries by class, recall over k and IoU, and both by length in seconds."""

    failures: Failures
    curve: Curve
    by_video: tuple[LengthBin, ...]
    by_moment: tuple[LengthBin, ...]

    @property
    def task(self) -> Task:
        return self.failures.assessed.task


def find_out(
    source: MomentsSource, at: At | None = None, near: float | None = None
) -> tuple[TaskFindings, ...]:
    """Every task of the source, in its order; None: see `usual_at` and `usual_near`."""
    at = at or usual_at(source.request)
    return tuple(
        task_findings(explain(source.assessed(task), at, near), source.request.ks)
        for task in source.tasks
    )


def task_findings(failures: Failures, ks: Sequence[int]) -> TaskFindings:
    """What is behind the classes of a task: the curve at these k, and the lengths.

    >>> from engine.moments.from_lists import assess_lists
    >>> assessed = assess_lists("VCMR", [("a", [(10, 20)])], [[("b", 10, 20), ("a", 10, 20)]])
    >>> found = task_findings(explain(assessed, At(0.5, 1)), (1, 5))
    >>> found.task, found.curve.ks, [(one.low, one.n) for one in found.by_moment]
    ('VCMR', (1, 5), [(10.0, 1)])
    """
    truth = failures.assessed.truth
    return TaskFindings(
        failures=failures,
        curve=recall_curve(failures.assessed, ks),
        by_video=by_length(failures, truth.durations),
        by_moment=by_length(failures, truth.moment_lengths),
    )
