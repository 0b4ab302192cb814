"""Where a clip stands, so that another view of it can go on there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class ClipMoment(NamedTuple):
    """
    seconds  after the first frame
    """

    clip: str
    seconds: float
    is_paused: bool


def find_place(times: Sequence[float], seconds: float) -> int:
    """The frame that is shown so many seconds after the first; the last one stays.

    >>> find_place((1.0, 1.5, 2.0), 0.6), find_place((1.0, 1.5, 2.0), 9.0)
    (1, 2)
    """
    shown = [place for place, time in enumerate(times) if time - times[0] <= seconds + 1e-3]
    return shown[-1] if shown else 0
