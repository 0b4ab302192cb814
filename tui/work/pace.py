"""Pace: how quickly long work goes, and how much longer it will take."""

from __future__ import annotations

from collections import deque
from typing import Final

from engine.base.progress import Step

WINDOW: Final = 10.0
"""Seconds that a rate looks back: texts that were encoded before go by at another rate than new
ones."""


class Pace:
    """The steps of the stage under way, with their times.

    >>> pace = Pace()
    >>> for second in range(4):
    ...     pace.note(Step("text", "mapping", 10 * second, 60), now=float(second))
    >>> pace.rate, pace.left
    (10.0, 3.0)
    """

    def __init__(self) -> None:
        self.step: Step | None = None
        self._noted: deque[tuple[float, int]] = deque()

    def note(self, step: Step, now: float) -> None:
        if self.step is None or step.stage != self.step.stage:
            self._noted.clear()  # each stage goes at its own rate
        self.step = step
        self._noted.append((now, step.done))
        while len(self._noted) > 2 and self._noted[1][0] <= now - WINDOW:
            self._noted.popleft()

    @property
    def rate(self) -> float | None:
        """Queries in a second; None while it cannot be told. The first step is not counted: what
        starts, starts slowly."""
        if not self._noted:
            return None
        (first, before), (last, done) = self._noted[0], self._noted[-1]
        return (done - before) / (last - first) if last > first and done > before else None

    @property
    def left(self) -> float | None:
        """Seconds until the stage is done."""
        rate = self.rate
        if self.step is None or rate is None:
            return None
        return (self.step.total - self.step.done) / rate
