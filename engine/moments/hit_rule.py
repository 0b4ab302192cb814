"""At: the recall at which failures are explained, by its official name; and the usual choices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.base.errors import InputError

if TYPE_CHECKING:
    from engine.moments.moments_source import MomentsRequest

NEAR_IOU = 0.3
_NAME = re.compile(r"(?:(?P<iou>[0-9]*\.?[0-9]+(?:e-[0-9]{1,3})?)-)?r(?P<k>[1-9][0-9]{0,8})")


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


def choose_hit_rule(request: MomentsRequest) -> HitRule:
    """Where failures are explained unless it is said: at the smallest IoU and k asked for.

    >>> from pathlib import Path
    >>> from engine.moments.moments_source import MomentsRequest
    >>> choose_hit_rule(
    ...     MomentsRequest(Path("p.json"), Path("gt.jsonl"), ious=(0.5, 0.7), ks=(1, 5))
    ... )
    HitRule(iou=0.5, k=1)
    """
    return HitRule(min(request.ious), min(request.ks))


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
