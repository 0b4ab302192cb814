"""Moments: read, explained, analysed and written in the background, the newest request first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.work.explained_task import ExplainedTask, MomentQuery
from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.moments.failures.task_analysis import TaskAnalysis
    from engine.moments.judged_predictions import JudgedPredictions
    from engine.moments.moments_source import MomentsRequest, MomentsSource
    from engine.moments.tasks import HitRule, Task


class MomentsService:
    """Reads, explains and reports; every call returns at once and answers by callback."""

    def __init__(self, request: MomentsRequest, near: float | None, lanes: LaneGroup) -> None:
        self.request = request
        self._near = near
        self._reading = lanes.lane("read")
        self._reporting = lanes.lane("report")
        self._judged: tuple[MomentsSource, dict[Task, JudgedPredictions]] | None = None

    @property
    def busy(self) -> bool:
        return self._reading.busy

    def read(
        self,
        task: Task | None,
        at: HitRule | None,
        done: Callable[[ExplainedTask], None],
        failed: FailureHook,
    ) -> None:
        """Read both files, and explain a task; None: the first that there is."""

        def work(ticket: Ticket[ExplainedTask]) -> ExplainedTask:
            from engine.moments.early_checks import choose_task
            from engine.moments.open_files import open_moments

            source = open_moments(self.request)
            ticket.check()
            return self._explained(source, choose_task(self.request, source.tasks, task), at)

        self._reading.submit(work, done, failed)

    def explain(
        self,
        source: MomentsSource,
        task: Task,
        at: HitRule | None,
        done: Callable[[ExplainedTask], None],
        failed: FailureHook,
    ) -> None:
        """Explain a task of what was read."""
        self._reading.submit(lambda _: self._explained(source, task, at), done, failed)

    def _explained(self, source: MomentsSource, task: Task, at: HitRule | None) -> ExplainedTask:
        from engine.moments.failures.failures import explain
        from engine.moments.moments_source import choose_hit_rule
        from engine.moments.tasks import HitRule

        if self._judged is None or self._judged[0] is not source:
            self._judged = (source, {})
        kept = self._judged[1]
        if task not in kept:
            kept[task] = source.judge(task, scores=True)
        request = source.request
        at = at or choose_hit_rule(request)
        if at.iou is None and task != "VR":  # as VR was, with the IoU that moments need
            at = HitRule(choose_hit_rule(request).iou, at.k)
        return ExplainedTask(source, explain(kept[task], at, self._near))

    def analyse(
        self, explained: ExplainedTask, done: Callable[[TaskAnalysis], None], failed: FailureHook
    ) -> None:
        """What the small report shows."""

        def work(_: Ticket[TaskAnalysis]) -> TaskAnalysis:
            from engine.moments.failures.task_analysis import analyse_task

            ks = sorted({*explained.source.request.ks, explained.at.k})
            return analyse_task(explained.failures, ks)

        self._reporting.submit(work, done, failed)

    def cancel(self) -> None:
        """What is under way is no longer waited for."""
        self._reading.cancel()


def build_query_document(query: MomentQuery) -> str:
    """The query with all of its predictions, as `tui-eval moments --show ID --json` has them."""
    from engine.base.json_text import as_json
    from engine.report.moments.moment_detail import build_moment_document, find_moment_detail

    failures = query.explained.failures
    shown = find_moment_detail(failures, query.row, most=len(query))
    return as_json(build_moment_document(query.explained.source, [shown], failures.near))
