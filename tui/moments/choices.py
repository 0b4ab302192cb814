"""What one can choose: the next task, IoU or k, and the class whose queries are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from engine.moments.hit_rule import HitRule
from tui.moments.signs import WORST_FIRST, class_text

if TYPE_CHECKING:
    from engine.moments.tasks import Task
    from tui.moments.explained import ExplainedTask

ALL_CLASSES = "all classes"
T = TypeVar("T")


def _after(now: T, choices: Sequence[T]) -> T:
    return choices[(choices.index(now) + 1) % len(choices)]


def next_task(explained: ExplainedTask) -> Task:
    return _after(explained.task, explained.source.tasks)


def ious(explained: ExplainedTask) -> list[float]:
    """The IoUs that one key goes through: those of the request, and the one that is used."""
    now = [] if explained.at.iou is None else [explained.at.iou]
    return sorted({*explained.source.request.ious, *now})


def next_iou(explained: ExplainedTask) -> HitRule:
    """The metric at the next IoU; the same where there is none."""
    at = explained.at
    return at if at.iou is None else HitRule(_after(at.iou, ious(explained)), at.k)


def next_k(explained: ExplainedTask) -> HitRule:
    at = explained.at
    return HitRule(at.iou, _after(at.k, sorted({*explained.source.request.ks, at.k})))


def class_options(explained: ExplainedTask) -> list[tuple[str, str, str]]:
    """The classes with the digit that chooses each, the worst first, and what they mean."""
    failures = explained.failures
    counts = failures.counts()
    codes = [code for code in WORST_FIRST if code in failures.possible]
    options = [("0", ALL_CLASSES, f"{len(failures):,} queries")]
    for number, code in enumerate(codes, start=1):
        about = f"{int(counts[code]):,}: {class_text(failures, code)}"
        options.append((str(number), explained.shown(code).name, about))
    return options
