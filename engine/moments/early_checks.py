"""What the inspector of moments can show. Without numpy: checked before a screen is opened, as far
as the first lines of the files say it, and again when they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError, Place
from engine.moments.tasks import TVR_TASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.moments.moments_source import MomentsRequest
    from engine.moments.tasks import Task

_WINDOWS, _SALIENCY = "pred_relevant_windows", "pred_saliency_scores"


def refuse_early(request: MomentsRequest, task: Task | None) -> None:
    """Refuse what the first lines already show: no windows, or a task of the other benchmark.

    What is unclear (packed files, long lines, whatever is wrong with them) is left to their reader.
    """
    predicted = _first_line(request.predictions)
    if {"qid", _SALIENCY} <= predicted and _WINDOWS not in predicted:
        raise only_saliency_error(request.predictions)
    benchmark = request.benchmark
    keys = _first_line(request.truth)
    is_tvr = benchmark == "tvr" or (benchmark == "auto" and "desc_id" in keys)
    is_qvh = benchmark == "qvh" or (benchmark == "auto" and "qid" in keys and not is_tvr)
    if task == "MR" and is_tvr:
        raise InputError(
            "is for TVR, which has no MR",
            Place(request.predictions),
            hint=f"ask for one of {', '.join(TVR_TASKS)}",
        )
    if task in TVR_TASKS and is_qvh:
        raise InputError(
            f"is for QVHighlights, which has no {task}, only MR",
            Place(request.predictions),
            hint="ask for MR, or leave --task out",
        )


def choose_task(request: MomentsRequest, tasks: Sequence[Task], task: Task | None) -> Task:
    """The task that is shown first: the one asked for, or the first of what was read."""
    if not tasks:
        raise only_saliency_error(request.predictions)
    if task is not None and task not in tasks:
        raise InputError(
            f"has no {task}", Place(request.predictions), hint=f"it has {', '.join(tasks)}"
        )
    return tasks[0] if task is None else task


def only_saliency_error(predictions: Path) -> InputError:
    return InputError(
        "holds no windows, only saliency; the inspector shows windows",
        Place(predictions),
        hint="tui-eval moments scores it",
    )


_MOST = 1 << 20
"""Bytes of a first line; a submission for TVR is one line of many more."""


def _first_line(path: Path) -> frozenset[str]:
    """The keys of the first line; none where it is not plainly a short JSON object."""
    if not path.is_file():
        return frozenset()
    try:
        with path.open("rb") as file:
            line = file.readline(_MOST)
        entry = json.loads(line) if len(line) < _MOST else None
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return frozenset(entry) if isinstance(entry, dict) else frozenset()
