"""Work that is asked for more often than it is done: at once or after a pause, and then once."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual.message_pump import MessagePump
from textual.timer import Timer

DETAIL_PAUSE = 0.12
"""Seconds between two paintings of a detail while a key is held down: over SSH, 30 details a
second would be 200 KB."""


class _Delayed:
    """Calls `work` later."""

    def __init__(self, node: MessagePump, pause: float, work: Callable[[], None]) -> None:
        self._node = node
        self._pause = pause
        self._work = work
        self._timer: Timer | None = None

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


class Throttle(_Delayed):
    """Calls `work` at most once in `pause` seconds; the last request is never lost."""

    _last = float("-inf")

    def __call__(self) -> None:
        wait = self._last + self._pause - monotonic()
        if wait <= 0:
            self.now()
        elif self._timer is None:
            self._timer = self._node.set_timer(wait, self.now)

    def now(self) -> None:
        """Do it, whatever was done lately."""
        self.cancel()
        self._last = monotonic()
        self._work()


class Debounce(_Delayed):
    """Calls `work` once requests have rested for `pause` seconds."""

    def __call__(self) -> None:
        self.cancel()
        self._timer = self._node.set_timer(self._pause, self._work)


class Delay(_Delayed):
    """Calls `work` `pause` seconds after a request; further ones meanwhile are done with it."""

    def __call__(self) -> None:
        if self._timer is None:
            self._timer = self._node.set_timer(self._pause, self._now)

    def _now(self) -> None:
        self.cancel()
        self._work()
