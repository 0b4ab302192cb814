"""What the moment screen needs: the engine in the background, where the newest request wins, and
the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tui.work.lanes import DeliveryHook, FailureHook, Lane, Ticket

if TYPE_CHECKING:
    from engine.moments.failures.task_analysis import TaskAnalysis
    from engine.moments.judged_predictions import JudgedPredictions
    from engine.moments.moments_source import MomentsRequest, MomentsSource
    from engine.moments.tasks import HitRule, Task
    from tui.look.glyphs import Glyphs
    from tui.moments.explained import ExplainedTask


class MomentsServices:
    """Reads, explains and reports; every call returns at once and answers by callback."""

    def __init__(self, request: MomentsRequest, near: float | None, deliver: DeliveryHook) -> None:
        self._request = request
        self._near = near
        self._reading = Lane("read", deliver)
        self._reporting = Lane("report", deliver)
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

            source = open_moments(self._request)
            ticket.check()
            return self._explained(source, choose_task(self._request, source.tasks, task), at)

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
        from tui.moments.explained import ExplainedTask

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

    def report(
        self, explained: ExplainedTask, done: Callable[[TaskAnalysis], None], failed: FailureHook
    ) -> None:
        def work(_: Ticket[TaskAnalysis]) -> TaskAnalysis:
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


class MomentsHost(Protocol):
    """What the Moments screen needs of the app.

    state  what is being done: reading, computing; empty if nothing is
    """

    glyphs: Glyphs
    services: MomentsServices
    state: str

    @property
    def reading_text(self) -> str: ...

    @property
    def file_name(self) -> str: ...

    def read(self) -> None: ...

    def stop_reading(self) -> None: ...

    def use_task(self, task: Task) -> None: ...

    def use_metric(self, at: HitRule) -> None: ...

    def attempt(self, work: Callable[[], object]) -> bool: ...
