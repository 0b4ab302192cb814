"""MomentsSource: predictions and their ground truth, opened; whatever benchmark they are of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from engine.moments.tasks import HitRule, Task

if TYPE_CHECKING:  # a request is made before numpy is needed
    from collections.abc import Mapping

    from engine.files.input_file import InputFile
    from engine.moments.judged_predictions import JudgedPredictions, MomentTruth

Benchmark: TypeAlias = Literal["tvr", "qvh"]

MOST_PREDICTIONS = 100
"""Predictions per query that the official evaluation of TVR looks at."""


@dataclass(frozen=True, slots=True)
class MomentsRequest:
    """What is evaluated, and how.

    tasks  those to look at; none: all that the file has
    nms    a prediction that overlaps a better one of the same video by more than this is dropped,
           before predictions are counted
    most   predictions per query that are used
    types  False: the types of descriptions are not looked at
    """

    predictions: Path
    truth: Path
    benchmark: Benchmark | Literal["auto"] = "auto"
    tasks: tuple[str, ...] = ()
    ious: tuple[float, ...] = (0.5, 0.7)
    ks: tuple[int, ...] = (1, 5, 10, 100)
    nms: float | None = None
    most: int = MOST_PREDICTIONS
    types: bool = True


class MomentsSource(Protocol):
    """Opened predictions: the truth they are held against, and what the rules say about them.

    notes       what the user should hear: repeated ids, queries without prediction, …
    inputs      the files that were read, by role
    judge       the predictions of one task, judged when they are first asked for, and kept
    official    the document of the benchmark's own script, keys in its order; NaN where a number
                is not defined
    whole       the same files with every prediction that `nms` drops; itself if it drops none
    """

    @property
    def request(self) -> MomentsRequest: ...
    @property
    def benchmark(self) -> Benchmark: ...
    @property
    def truth(self) -> MomentTruth: ...
    @property
    def tasks(self) -> tuple[Task, ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def inputs(self) -> Mapping[str, InputFile]: ...
    def judge(self, task: Task, *, scores: bool = False) -> JudgedPredictions: ...
    def official(self) -> dict[str, Any]: ...
    @property
    def whole(self) -> MomentsSource: ...


def choose_hit_rule(request: MomentsRequest) -> HitRule:
    """Where failures are explained unless it is said: at the smallest IoU and k asked for.

    >>> choose_hit_rule(MomentsRequest(Path("p.json"), Path("gt.json"), ious=(0.5, 0.7), ks=(1, 5)))
    HitRule(iou=0.5, k=1)
    """
    return HitRule(min(request.ious), min(request.ks))
