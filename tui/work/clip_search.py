"""Clips found by a part of their id or by their keywords, in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.base.caches import OnceCache
from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.dataset.clip_finder import ClipFinder, ClipMatches
    from engine.dataset.ground_truth import GroundTruth
    from tui.work.bench import Bench


class ClipSearch:
    """Looks among the clips of a model that is read; the newest request wins."""

    def __init__(self, bench: Bench, lanes: LaneGroup) -> None:
        self._bench = bench
        self._finding = lanes.lane("find")
        self._finders: OnceCache[str, ClipFinder] = OnceCache(self._make)

    def truth(self, model: str) -> GroundTruth | None:
        """The clips of a model; None: they are not read yet."""
        return self._finders[model].truth if self._bench.is_open(model) else None

    def find(
        self, typed: str, model: str, done: Callable[[ClipMatches], None], failed: FailureHook
    ) -> None:
        """The clips that match; nothing happens as long as they are not read."""

        def work(ticket: Ticket[ClipMatches]) -> ClipMatches:
            return self._finders[model].find(typed, check=ticket.check)

        if self._bench.is_open(model):
            self._finding.submit(work, done, failed)

    def find_best(self, typed: str, model: str) -> ClipMatches | None:
        """The best one, in whichever thread asks for it; None: the clips are not read yet."""
        return self._finders[model].find(typed, most=1) if self._bench.is_open(model) else None

    def wait_until_read(self, model: str) -> None:
        """Wait for the clips, in another thread than the screens'."""
        self._bench.model(model)

    def cancel(self) -> None:
        self._finding.cancel()

    def _make(self, model: str) -> ClipFinder:
        from engine.dataset.clip_finder import ClipFinder

        return ClipFinder(self._bench.model(model).truth)
