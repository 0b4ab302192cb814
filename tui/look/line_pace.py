"""How the terminal keeps up with what is painted: whether it takes what is written at once.

Over a slow line the buffers between here and there fill, and then a write waits until there is
room. That is all that can be seen from here without asking the terminal, whose answer would arrive
as keys that nobody pressed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final

BEHIND: Final = 0.25
"""Seconds that a write may wait before the terminal is taken to be behind."""

REMEMBERED: Final = 5.0
"""Seconds for which a write that waited is remembered."""

_ONCE: Final = 1
"""Writes that may wait within that time: a single one is a hiccup, of the line or of a machine that
has other work."""


class LinePace:
    """Told of each write by the thread that writes; asked by the one that paints."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._begun: float | None = None
        self._waited: deque[float] = deque(maxlen=_ONCE + 1)  # when writes that waited ended

    def begin(self) -> None:
        """Something is handed to the terminal now."""
        self._begun = self._clock()

    def end(self) -> None:
        """The terminal has taken it."""
        begun, self._begun = self._begun, None
        now = self._clock()
        if begun is not None and now - begun > BEHIND:
            self._waited.append(now)

    def forget(self) -> None:
        """What waited before says nothing any more."""
        self._waited.clear()

    @property
    def is_behind(self) -> bool:
        """Whether a write waits right now, or several did of late.

        >>> times = iter([0.0, 2.0])
        >>> pace = LinePace(lambda: next(times))
        >>> pace.begin()
        >>> pace.is_behind
        True
        """
        now, begun = self._clock(), self._begun  # the other thread may end it meanwhile
        if begun is not None and now - begun > BEHIND:
            return True
        return sum(now - ended < REMEMBERED for ended in tuple(self._waited)) > _ONCE


def find_pace(app: object) -> LinePace:
    """The pace of an app's terminal; of an app that does not say, one that is never behind."""
    found = getattr(app, "line_pace", None)
    return found if isinstance(found, LinePace) else LinePace()
