"""One sentence about one query: why it is in its class."""

from __future__ import annotations

from engine.moments.failures import HIT, RANKED_LOW, WRONG_VIDEO, Failures


def why(failures: Failures, row: int) -> str:
    """What decided the class of a query, with its numbers."""
    code, rank = int(failures.classes[row]), int(failures.hit_ranks[row])
    what = "the right video" if failures.at.iou is None else "a right moment"
    if code == HIT:
        return f"{what} is at rank {rank}."
    if code == RANKED_LOW:
        return f"{what} is at rank {rank}, after {failures.at.k}."
    return _no_video(failures, row) if code == WRONG_VIDEO else _no_time(failures, row)


def _no_time(failures: Failures, row: int) -> str:
    best, needed = float(failures.best[row]), failures.at.iou or 0.0
    found = f"the right video is at rank {int(failures.right_ranks[row])}"
    spans = int(failures.assessed.truth.span_counts[row])
    if best == 0:
        missed = "two of its moments" if spans >= 4 else "the moment"
        return f"{found}, but no time in it overlaps {missed}."
    second = " (with the second best of its moments)" if spans >= 4 else ""
    return f"{found}; the best overlap is {short_of(best, needed)}{second}, {needed:g} is needed."


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


def short_of(value: float, needed: float) -> str:
    """A number in few digits; what is less than `needed` is never rounded up to it.

    >>> short_of(0.4567, 0.5), short_of(0.49999, 0.5)
    ('0.457', '0.49999')
    """
    for digits in range(3, 9):
        text = f"{value:.{digits}f}"
        if (float(text) < needed) == (value < needed):
            return text
    return repr(value)
