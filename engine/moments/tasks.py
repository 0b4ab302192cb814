"""The tasks of moment retrieval, and the one rule that only some of them have. Without numpy, as
everything that a first screen needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

if TYPE_CHECKING:
    from engine.base.arrays import AnyInts, Bools

Task: TypeAlias = Literal["VCMR", "SVMR", "VR", "MR"]
"""Moments in a corpus of videos, in the right video, videos alone (TVR); moments in the right video
(QVHighlights)."""

TASKS: tuple[Task, ...] = get_args(Task)
TVR_TASKS: tuple[Task, ...] = TASKS[:3]

MANY_SPANS = 4
"""From this many ground-truth spans on, TVR asks a prediction to overlap two (DiDeMo's rule)."""


@overload
def needs_two(task: Task, spans: int) -> bool: ...
@overload
def needs_two(task: Task, spans: AnyInts) -> Bools: ...
def needs_two(task: Task, spans: Any) -> Any:
    """Whether a query with so many spans asks for an overlap with two of them; in arrays, too.

    >>> needs_two("VCMR", 4), needs_two("VCMR", 3), needs_two("MR", 4)
    (True, False, False)
    """
    return spans >= (MANY_SPANS if task in TVR_TASKS else math.inf)
