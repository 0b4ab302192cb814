"""What the inspector of moments can show. Without numpy: checked before a screen is opened, as far
as the first lines of the files say it, and again when they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from engine.base.errors import InputError, Place
from engine.files.points import reach
from engine.moments.tasks import SALIENCY, TVR_TASKS, WINDOWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.moments.moments_source import MomentsRequest
    from engine.moments.tasks import Task


def refuse_early(request: MomentsRequest, task: Task | None) -> None:
    """Refuse what the first lines already show: no windows, or a task of the other benchmark.

    What is unclear (packed files, long lines, whatever is wrong with them) is left to their reader.
    """
    predicted = _first_line(request.predictions)
    if {"qid", SALIENCY} <= predicted and WINDOWS not in predicted:
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


LONGEST_FIRST_LINE = 1 << 20
"""Bytes of a first line; a submission for TVR is one line of many more."""


def _first_line(path: Path) -> frozenset[str]:
    """The keys of the first line; none where it is not plainly a short JSON object."""
    if not path.is_file():  # a pipe would be waited for
        return frozenset()
    try:
        reach("read", path)
        with path.open("rb") as file:
            return list_keys(file.readline(LONGEST_FIRST_LINE))
    except OSError:
        return frozenset()


def list_keys(line: bytes) -> frozenset[str]:
    """The keys of a short JSON object; none of anything else.

    >>> sorted(list_keys(b'{"qid": 7, "vid": "a"}')), list_keys(b'{"qid": ')
    (['qid', 'vid'], frozenset())
    """
    try:
        entry = json.loads(line) if len(line) < LONGEST_FIRST_LINE else None
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(entry) if isinstance(entry, dict) else frozenset()
