"""One sentence about one query: why it is in its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.moments.failures.classes import HIT, RANKED_LOW, WRONG_VIDEO
from engine.moments.failures.overlap_text import overlap_text, shortest
from engine.moments.tasks import needs_two

if TYPE_CHECKING:
    from engine.moments.failures.failures import Failures


def why(failures: Failures, row: int) -> str:
    """What decided the class of a query, with its numbers.

    >>> from engine.moments.at import At
    >>> from engine.moments.failures.failures import explain
    >>> from engine.moments.from_lists import assess_lists
    >>> assessed = assess_lists("VCMR", [("a", [(10, 20)])], [[("b", 10, 20), ("a", 10, 20)]])
    >>> why(explain(assessed, At(0.5, 1)), 0)
    'a right moment is at rank 2, after 1.'
    """
    code, rank = int(failures.classes[row]), int(failures.hit_ranks[row])
    what = "the right video" if failures.at.iou is None else "a right moment"
    if code == HIT:
        return f"{what} is at rank {rank}."
    if code == RANKED_LOW:
        return f"{what} is at rank {rank}, after {failures.at.k}."
    return _no_video(failures, row) if code == WRONG_VIDEO else _no_time(failures, row)


def _no_time(failures: Failures, row: int) -> str:
    best, needed = shortest(failures.best[row]), failures.at.iou or 0.0
    assessed = failures.assessed
    found = f"the right video is at rank {int(failures.right_ranks[row])}"
    spans = int(assessed.truth.span_counts[row])
    two = needs_two(assessed.task, spans)
    if best == 0:
        missed = "two of its moments" if two else "the moment" if spans == 1 else "its moments"
        if assessed.task == "MR":  # there every window is in the right video
            return f"no window overlaps {missed}."
        return f"{found}, but no time in it overlaps {missed}."
    shown = overlap_text(best, (failures.near, needed))
    second = " (with the second best of its moments)" if two else ""
    best_of = f"the best overlap is {shown}{second}, {needed:g} is needed."
    return best_of if assessed.task == "MR" else f"{found}; {best_of}"


def _no_video(failures: Failures, row: int) -> str:
    assessed = failures.assessed
    given = assessed.predictions.of(row)
    count = given.stop - given.start
    if count == 0:
        return "it has no predictions."
    if assessed.right[given].any():
        return "the right video comes only after the predictions that count."
    if count == 1:
        return "the only prediction is in another video."
    return f"all {count:,} predictions are in other videos."
