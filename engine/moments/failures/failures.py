"""Why queries fail: each query in one class, by the first rule that applies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.base.arrays import AnyFloats, AnyInts
from engine.base.errors import InputError
from engine.moments.failures.classes import (
    CLASS_MEANINGS,
    CLASSES,
    HIT,
    NEARLY_RIGHT,
    NOT_COUNTED,
    RANKED_LOW,
    VIDEO_CLASS_MEANINGS,
    WINDOW_CLASS_MEANINGS,
    WRONG_TIME,
    WRONG_VIDEO,
    list_class_names,
)
from engine.moments.judged_predictions import JudgedPredictions
from engine.moments.tasks import HitRule, choose_near_iou


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

    judged: JudgedPredictions
    at: HitRule
    near: float
    classes: npt.NDArray[np.int8]
    right_ranks: AnyInts
    hit_ranks: AnyInts
    best_at_k: AnyFloats
    best: AnyFloats

    def __len__(self) -> int:
        return len(self.classes)

    def counts(self) -> AnyInts:
        """(5,) how many queries each class has."""
        return np.bincount(self.classes, minlength=len(CLASSES))

    def rows_of(self, code: int) -> AnyInts:
        """The queries of a class, in the order of the truth."""
        return np.flatnonzero(self.classes == code)

    @property
    def shares(self) -> AnyFloats:
        """(5,) the share of the queries that each class has, 0 to 1; NaN without queries."""
        return self.counts() / (len(self) or math.nan)

    @property
    def recall(self) -> float:
        """The share of hits; NaN without queries."""
        return float(self.shares[HIT])

    @property
    def possible(self) -> tuple[int, ...]:
        """The codes of the classes that the task has."""
        videos_alone = (HIT, RANKED_LOW, WRONG_VIDEO)
        return videos_alone if self.judged.task == "VR" else tuple(range(len(CLASSES)))

    @property
    def names(self) -> tuple[str, ...]:
        """What the task calls the classes, by code."""
        return list_class_names(self.judged.task)

    def about(self, code: int) -> str:
        """What a class means in this task."""
        by_task = {"VR": VIDEO_CLASS_MEANINGS, "MR": CLASS_MEANINGS | WINDOW_CLASS_MEANINGS}
        return by_task.get(self.judged.task, CLASS_MEANINGS)[self.names[code]]


def explain(judged: JudgedPredictions, at: HitRule, near: float | None = None) -> Failures:
    """Sort the queries into classes at a recall; in VR always without its IoU.

    The first rule that applies: a hit among the first k; a hit after k (ranked low); an overlap of
    at least `near` (nearly right; see `choose_near_iou`); a prediction in the right video (wrong
    time); else wrong video.
    """
    near = choose_near_iou(at) if near is None else near
    if judged.task != "VR":
        if at.iou is None:
            raise InputError(
                f"{at} has no IoU, which {judged.task} needs", hint=f"write it as 0.5-{at}"
            )
        if not 0 < near < at.iou:
            raise InputError(
                f"nearly right from an overlap of {near:g} is not between 0 and the IoU {at.iou:g}",
                hint="choose a smaller number above 0",
            )
    return sort_into_classes(judged, at, near)


def sort_into_classes(judged: JudgedPredictions, at: HitRule, near: float) -> Failures:
    """`explain` unchecked: where `near` is not below the IoU, nothing is nearly right."""
    videos_alone = judged.task == "VR"
    if videos_alone:
        at = HitRule(None, at.k)
    hit_ranks, right_ranks = judged.first_ranks(at.iou), judged.right_ranks
    undefined = np.full(len(judged), np.nan, judged.ious.dtype)
    best = undefined if videos_alone else judged.best_ious()
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
        judged=judged,
        at=at,
        near=near,
        classes=classes.astype(np.int8),
        right_ranks=right_ranks,
        hit_ranks=hit_ranks,
        best_at_k=undefined if videos_alone else judged.best_ious(at.k),
        best=best,
    )


def mark_predictions(failures: Failures, where: slice) -> npt.NDArray[np.int8]:
    """Per prediction its place in PREDICTION_MARKS, by the first rule that applies.

    Another video (wrong video); no rank (not counted); a hit among the first k, or after k (ranked
    low); an overlap of at least `near` (nearly right); else wrong time. VR has no times: what is in
    the right video is a hit.
    """
    judged, at = failures.judged, failures.at
    ranks, ious = judged.ranks[where], judged.ious[where]
    hits = np.ones(len(ranks), np.bool_) if at.iou is None else ious >= float(at.iou)
    codes = np.select(
        [
            ~judged.right[where],
            ranks == 0,
            hits & (ranks <= at.k),
            hits,
            ious >= float(failures.near),
        ],
        [WRONG_VIDEO, NOT_COUNTED, HIT, RANKED_LOW, NEARLY_RIGHT],
        WRONG_TIME,
    )
    return codes.astype(np.int8)
