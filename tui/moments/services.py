"""The engine as the moment screen sees it: in the background, the newest request wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from tui.work.lanes import Deliver, Lane, Ticket

if TYPE_CHECKING:
    from engine.moments.assessed import Assessed
    from engine.moments.at import At
    from engine.moments.failures.task_findings import TaskFindings
    from engine.moments.source import MomentsRequest, MomentsSource
    from engine.moments.tasks import Task
    from tui.moments.explained import Explained

Failed: TypeAlias = Callable[[Exception], None]


class MomentsServices:
    """Reads, explains and reports; every call returns at once and answers by callback."""

    def __init__(self, request: MomentsRequest, near: float | None, deliver: Deliver) -> None:
        self._request = request
        self._near = near
        self._reading = Lane("read", deliver)
        self._reporting = Lane("report", deliver)
        self._assessed: tuple[MomentsSource, dict[Task, Assessed]] | None = None

    @property
    def busy(self) -> bool:
        return self._reading.busy

    def read(
        self, task: Task | None, at: At | None, done: Callable[[Explained], None], failed: Failed
    ) -> None:
        """Read both files, and explain a task; None: the first that there is."""

        def work(ticket: Ticket[Explained]) -> Explained:
            from engine.moments.inspectable import chosen_task
            from engine.moments.opening import open_moments

            source = open_moments(self._request)
            ticket.check()
            return self._explained(source, chosen_task(self._request, source.tasks, task), at)

        self._reading.submit(work, done, failed)

    def explain(
        self,
        source: MomentsSource,
        task: Task,
        at: At | None,
        done: Callable[[Explained], None],
        failed: Failed,
    ) -> None:
        """Explain a task of what was read."""
        self._reading.submit(lambda _: self._explained(source, task, at), done, failed)

    def _explained(self, source: MomentsSource, task: Task, at: At | None) -> Explained:
        from engine.moments.at import At, usual_at
        from engine.moments.failures.failures import explain
        from tui.moments.explained import Explained

        if self._assessed is None or self._assessed[0] is not source:
            self._assessed = (source, {})
        kept = self._assessed[1]
        if task not in kept:
            kept[task] = source.assessed(task, scores=True)
        request = source.request
        at = at or usual_at(request)
        if at.iou is None and task != "VR":  # as VR was, with the IoU that moments need
            at = At(usual_at(request).iou, at.k)
        return Explained(source, explain(kept[task], at, self._near))

    def report(
        self, explained: Explained, done: Callable[[TaskFindings], None], failed: Failed
    ) -> None:
        def work(_: Ticket[TaskFindings]) -> TaskFindings:
            from tui.moments.report_text import findings_of

            return findings_of(explained)

        self._reporting.submit(work, done, failed)

    def cancel(self) -> None:
        """What is under way is no longer waited for."""
        self._reading.cancel()

    def close(self) -> None:
        """End what was started here; never waits for work under way."""
        self._reading.close()
        self._reporting.close()
