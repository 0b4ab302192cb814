"""TvrSource: a TVR submission beside its ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.base.arrays import AnyInts
from engine.base.errors import InputError, Place
from engine.files.input_file import InputFile
from engine.moments.judged_predictions import JudgedPredictions, MomentTruth
from engine.moments.moments_source import MomentsRequest
from engine.moments.tasks import Task
from engine.moments.tvr.scoring import (
    TaskNumbers,
    build_tvr_document,
    compute_task_numbers,
    drop_copies,
    find_right_videos,
    judge_predictions,
)
from engine.moments.tvr.submission import Submission, read_predictions, read_submission
from engine.moments.tvr.truth import read_tvr_truth


@dataclass(eq=False)
class TvrSource:
    """What was read. Tasks are judged when they are asked for, and kept."""

    request: MomentsRequest
    truth: MomentTruth
    submission: Submission
    tasks: tuple[Task, ...]
    right_videos: AnyInts
    inputs: Mapping[str, InputFile] = field(default_factory=dict)
    benchmark: Literal["tvr"] = "tvr"
    _judged: dict[tuple[Task, bool], JudgedPredictions] = field(default_factory=dict)
    _notes: dict[Task, tuple[str, ...]] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """About the ground truth, and about the tasks that were judged."""
        return (*self.truth.notes, *(note for own in self._notes.values() for note in own))

    def judge(self, task: Task, *, scores: bool = False) -> JudgedPredictions:
        if task not in self.tasks:
            has = f"only {', '.join(self.tasks)}"
            raise InputError(f"there is no {task}, {has}", Place(self.request.predictions))
        if (task, scores) not in self._judged:
            self._judged[task, scores] = self._assess(task, scores)
        return self._judged[task, scores]

    def official(self) -> dict[str, Any]:
        """What the official script writes; a task that nobody keeps is let go."""
        return build_tvr_document({task: self._numbers(task) for task in self.tasks})

    @property
    def whole(self) -> TvrSource:
        """With the predictions that `nms` drops."""
        if self.request.nms is None:
            return self
        request = replace(self.request, nms=None)
        return replace(self, request=request, _judged={}, _notes={})

    def _numbers(self, task: Task) -> TaskNumbers:
        known = self._judged.get((task, False)) or self._judged.get((task, True))
        judged = known or self._assess(task, scores=False)
        return compute_task_numbers(judged, self.request.ious, self.request.ks)

    def _assess(self, task: Task, scores: bool) -> JudgedPredictions:
        read, self._notes[task] = read_predictions(self.submission, task, self.truth, scores=scores)
        if self.request.nms is not None and task != "VR":
            read = drop_copies(read, self.request.nms)
        return judge_predictions(task, self.truth, read, self.right_videos, self.request.most)


def open_tvr(request: MomentsRequest) -> TvrSource:
    """Read a submission and its ground truth."""
    truth = read_tvr_truth(request.truth, types=request.types)
    submission = read_submission(request.predictions)
    place = Place(request.predictions)
    lacking = [task for task in request.tasks if task not in submission.tasks]
    if lacking:
        raise InputError(
            f"has no {lacking[0]}, only {', '.join(submission.tasks)}",
            place,
            hint="ask for tasks that are there with --tasks",
        )
    tasks = tuple(t for t in submission.tasks if not request.tasks or t in request.tasks)
    indices = find_right_videos(truth, submission.video2idx, place)
    return TvrSource(request, truth, submission, tasks, indices)
