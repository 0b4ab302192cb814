"""The tasks of moment retrieval, and what counts as a hit in them, by the name of a recall.
Without numpy, as everything that a first screen needs."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, overload

from engine.base.errors import InputError

if TYPE_CHECKING:
    from engine.base.arrays import AnyInts, Bools

Task: TypeAlias = Literal["VCMR", "SVMR", "VR", "MR"]
"""Moments in a corpus of videos, in the right video, videos alone (TVR); moments in the right video
(QVHighlights)."""

TASKS: tuple[Task, ...] = get_args(Task)
TVR_TASKS: tuple[Task, ...] = TASKS[:3]

WINDOWS, SALIENCY = "pred_relevant_windows", "pred_saliency_scores"
"""The keys of predictions for QVHighlights."""

MANY_SPANS = 4
"""From this many ground-truth spans on, TVR asks a prediction to overlap two (DiDeMo's rule)."""

NEAR_IOU = 0.3
_NAME = re.compile(r"(?:(?P<iou>[0-9]*\.?[0-9]+(?:e-[0-9]{1,3})?)-)?r(?P<k>[1-9][0-9]{0,8})")


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


@dataclass(frozen=True, slots=True)
class HitRule:
    """What counts as a hit: an overlap of at least `iou` among the first k; None: any time does.

    >>> HitRule.parse("0.5-r1"), str(HitRule(None, 10)), str(HitRule(1e-05, 1))
    (HitRule(iou=0.5, k=1), 'r10', '1e-05-r1')
    """

    iou: float | None
    k: int

    @classmethod
    def parse(cls, text: str) -> HitRule:
        """The value of an official name."""
        found = _NAME.fullmatch(text.strip())
        iou = None if found is None or found["iou"] is None else float(found["iou"])
        if found is None or (iou is not None and not 0 < iou <= 1):
            raise InputError(
                f"{text[:40]!r} names no recall", hint="write it as 0.5-r1, or r1 for videos alone"
            )
        return cls(iou, int(found["k"]))

    def __str__(self) -> str:
        """The official name."""
        return f"r{self.k}" if self.iou is None else f"{float(self.iou)}-r{self.k}"


def choose_near_iou(at: HitRule) -> float:
    """From which overlap a miss is nearly right unless it is said: 0.3, or half the IoU of a hit
    where that is not more than 0.3.

    >>> (
    ...     choose_near_iou(HitRule(0.5, 1)),
    ...     choose_near_iou(HitRule(0.2, 1)),
    ...     choose_near_iou(HitRule(None, 1)),
    ... )
    (0.3, 0.1, 0.3)
    """
    return NEAR_IOU if at.iou is None or at.iou > NEAR_IOU else at.iou / 2
