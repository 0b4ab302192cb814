"""Why queries fail: each query in one class, by the first rule that applies."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.errors import InputError
from engine.moments.assessed import Assessed
from engine.moments.truth import Floats, Ints

CLASSES = ("hit", "ranked low", "nearly right", "wrong time", "wrong video")
"""In the order of the rules; a query's code is the place of its class."""

HIT, RANKED_LOW, NEARLY_RIGHT, WRONG_TIME, WRONG_VIDEO = range(len(CLASSES))

ABOUT = {
    "hit": "a right moment is among the first k.",
    "ranked low": "a right moment was predicted, but after rank k.",
    "nearly right": "no moment is right, but one in the right video overlaps nearly enough.",
    "wrong time": "the right video was found, but no time in it comes near.",
    "wrong video": "no prediction that counts is in the right video.",
}
ABOUT_VIDEOS = {
    "hit": "the right video is among the first k.",
    "ranked low": "the right video was found, but after rank k.",
    "wrong video": "the right video was not found.",
}
"""The same for VR, which knows no times: it has only these classes."""

NEAR = 0.3
_NAME = re.compile(r"(?:(?P<iou>[0-9]*\.?[0-9]+)-)?r(?P<k>[1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class At:
    """What counts as a hit: an overlap of at least `iou` among the first k; None: any time does.

    >>> At.parse("0.5-r1"), str(At(None, 10))
    (At(iou=0.5, k=1), 'r10')
    """

    iou: float | None
    k: int

    @classmethod
    def parse(cls, text: str) -> At:
        """The value of an official name."""
        found = _NAME.fullmatch(text.strip())
        iou = None if found is None or found["iou"] is None else float(found["iou"])
        if found is None or (iou is not None and not 0 < iou <= 1):
            raise InputError(
                f"{text[:40]!r} names no recall", hint="write it as 0.5-r1, or r1 for videos alone"
            )
        return cls(iou, int(found["k"]))

    def __str__(self) -> str:
        return f"r{self.k}" if self.iou is None else f"{self.iou}-r{self.k}"


@dataclass(frozen=True, eq=False)
class Failures:
    """The class of every query, and what it was decided by.

    at           what counts as a hit; of VR without an IoU
    near         the overlap from which a miss is nearly right
    classes      per query the place of its class in CLASSES, int8
    right_ranks  the rank of the first prediction in the right video; 0: there is none
    hit_ranks    the rank of the first hit, after k too; 0: there is none
    best_at_k    the best overlap among the first k; NaN in VR, which knows no times
    best         the best overlap among all that count; NaN in VR
    """

    assessed: Assessed
    at: At
    near: float
    classes: npt.NDArray[np.int8]
    right_ranks: Ints
    hit_ranks: Ints
    best_at_k: Floats
    best: Floats

    def __len__(self) -> int:
        return len(self.classes)

    def counts(self) -> Ints:
        """(5,) how many queries each class has."""
        return np.bincount(self.classes, minlength=len(CLASSES))

    def rows_of(self, code: int) -> Ints:
        """The queries of a class, in the order of the truth."""
        return np.flatnonzero(self.classes == code)

    @property
    def recall(self) -> float:
        """The share of hits; NaN without queries."""
        return float(self.counts()[HIT]) / len(self) if len(self) else math.nan

    @property
    def possible(self) -> tuple[int, ...]:
        """The codes of the classes that the task has."""
        videos_alone = (HIT, RANKED_LOW, WRONG_VIDEO)
        return videos_alone if self.assessed.task == "VR" else tuple(range(len(CLASSES)))

    def about(self, code: int) -> str:
        """What a class means in this task."""
        about = ABOUT_VIDEOS if self.assessed.task == "VR" else ABOUT
        return about[CLASSES[code]]


def explain(assessed: Assessed, at: At | None = None, near: float = NEAR) -> Failures:
    """Sort the queries into classes; `at` is 0.5-r1 unless given, in VR always without its IoU.

    The first rule that applies: a hit among the first k; a hit after k (ranked low); an overlap of
    at least `near` (nearly right); a prediction in the right video (wrong time); else wrong video.
    """
    at = at or At(0.5, 1)
    if assessed.task != "VR":
        if at.iou is None:
            raise InputError(
                f"{at} has no IoU, which {assessed.task} needs", hint=f"write it as 0.5-{at}"
            )
        if not 0 < near < at.iou:
            raise InputError(
                f"nearly right from an overlap of {near:g} is not between 0 and the IoU {at.iou:g}",
                hint="choose a smaller number above 0",
            )
    return sort_into_classes(assessed, at, near)


def sort_into_classes(assessed: Assessed, at: At, near: float) -> Failures:
    """`explain` unchecked: where `near` is not below the IoU, nothing is nearly right."""
    videos_alone = assessed.task == "VR"
    if videos_alone:
        at = At(None, at.k)
    hit_ranks, right_ranks = assessed.first_ranks(at.iou), assessed.right_ranks
    undefined = np.full(len(assessed), np.nan, assessed.ious.dtype)
    best = undefined if videos_alone else assessed.best_ious()
    classes = np.select(
        [
            (hit_ranks > 0) & (hit_ranks <= at.k),
            hit_ranks > 0,
            best >= float(near),  # a Python float takes the precision of the overlaps
            right_ranks > 0,
        ],
        [HIT, RANKED_LOW, NEARLY_RIGHT, WRONG_TIME],
        WRONG_VIDEO,
    )
    return Failures(
        assessed=assessed,
        at=at,
        near=near,
        classes=classes.astype(np.int8),
        right_ranks=right_ranks,
        hit_ranks=hit_ranks,
        best_at_k=undefined if videos_alone else assessed.best_ious(at.k),
        best=best,
    )
