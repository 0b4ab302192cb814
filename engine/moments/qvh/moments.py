"""MR-R1 and MR-mAP of QVHighlights, for all queries at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts, Bools
from engine.moments.qvh.average_precision import find_best_precisions, number_hits
from engine.moments.ragged_lists import RaggedLists
from engine.moments.spans import find_best_overlaps, find_survivors, pair_windows, true_iou

IOUS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
LENGTHS = {"short": (0, 10), "middle": (10, 30), "long": (30, 150)}
"""Seconds above which, and up to which, a span is called so."""

RANGES = (*LENGTHS, "full")
"""Spans of these lengths; all."""

MOST_WINDOWS = 10
"""Windows of a query that average precision looks at."""

_FULL = RANGES.index("full")


@dataclass(frozen=True, eq=False)
class MomentScores:
    """What MR-R1 and MR-mAP are the means of; one row per range, then per query of the truth.

    asked  whether the query has a span in the range
    first  the overlap of the first window, with the best of the spans in the range
    ap     average precision, one column per IoU
    """

    asked: Bools
    first: AnyFloats
    ap: AnyFloats


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Windows that overlap a span enough for the lowest IoU.

    contest  a range and a query: range · queries + query
    place    the place of the window in the order of scores, from 0
    span     the span within its contest; no two contests share one
    overlap  true IoU
    """

    contest: AnyInts
    place: AnyInts
    span: AnyInts
    overlap: AnyFloats


def score_moments(truth: RaggedLists, windows: RaggedLists) -> MomentScores:
    """Average precision and the overlap of the first window, per range and query.

    Average precision looks at the first ten windows of a list, in the order of their scores (equal
    scores: in the order of the list). Each in turn takes the span that it overlaps most of those
    still free; of equal overlaps the later span. If that is at least the IoU, it is a hit.
    AP = Σ (recall at hit k − recall at hit k − 1) · best precision at hit k or later.
    """
    ranges = _ranges(truth)
    asked = np.stack([_counts(truth, inside) > 0 for inside in ranges])
    first = np.zeros(asked.shape)
    for row, inside in enumerate(ranges):
        first[row] = _first_overlaps(truth, inside, windows)
    positives = np.concatenate([_counts(truth, inside) for inside in ranges])
    hits = _hits(_candidates(truth, ranges, _ranked(windows)), len(positives))
    return MomentScores(asked, first, _average_precision(hits, positives).reshape(*asked.shape, -1))


def _ranges(truth: RaggedLists) -> list[Bools]:
    """Per range which spans are in it."""
    lengths = truth.values[:, 1] - truth.values[:, 0]
    bounded = [(low < lengths) & (lengths <= high) for low, high in LENGTHS.values()]
    return [*bounded, np.ones(len(lengths), np.bool_)]


def _counts(truth: RaggedLists, inside: Bools) -> AnyInts:
    return np.diff(np.concatenate([[0], np.cumsum(inside)])[truth.offsets])


def _first_overlaps(truth: RaggedLists, inside: Bools, windows: RaggedLists) -> AnyFloats:
    spans = RaggedLists.of(_counts(truth, inside), truth.values[inside])
    able = np.flatnonzero((spans.counts > 0) & (windows.counts > 0))
    overlaps = np.zeros(len(spans.counts))
    firsts = windows.values[windows.offsets[able]]
    overlaps[able] = find_best_overlaps(firsts, able, spans.offsets, spans.values)
    return overlaps


def _ranked(windows: RaggedLists) -> RaggedLists:
    """The first ten windows of every list, best score first."""
    kept = windows.places < MOST_WINDOWS
    values, queries = windows.values[kept], windows.queries[kept]
    order = np.lexsort((-values[:, 2], queries))
    return RaggedLists.of(np.minimum(windows.counts, MOST_WINDOWS), values[order])


def _candidates(truth: RaggedLists, ranges: list[Bools], ranked: RaggedLists) -> _Candidates:
    queries, places = ranked.queries, ranked.places
    window, span = pair_windows(queries, truth.offsets)
    overlap = true_iou(ranked.values[window], truth.values[span])
    enough = overlap >= IOUS[0]
    window, span, overlap = window[enough], span[enough], overlap[enough]
    # A span is in all of the truth and in one range at most: the two never meet in a contest.
    inside = [bounds[span] for bounds in ranges]
    code = np.concatenate([np.full(mask.sum(), row) for row, mask in enumerate(inside)])
    window = np.concatenate([window[mask] for mask in inside])
    return _Candidates(
        contest=code * len(truth.counts) + queries[window],
        place=places[window],
        span=np.concatenate([span[mask] for mask in inside])
        + np.where(code == _FULL, len(truth.values), 0),
        overlap=np.concatenate([overlap[mask] for mask in inside]),
    )


def _hits(found: _Candidates, contests: int) -> Bools:
    """Per contest, IoU and place whether the window is a hit."""
    hits = np.zeros((contests, len(IOUS), MOST_WINDOWS), np.bool_)
    free = np.ones((int(found.span.max(initial=-1)) + 1, len(IOUS)), np.bool_)
    # One window after the other, and for each the best span first. In a turn every contest has
    # one candidate at most, so that a turn can be taken by all contests at once.
    order = np.lexsort((-found.span, -found.overlap, found.contest, found.place))
    window = found.place[order] * contests + found.contest[order]
    fresh = np.diff(window, prepend=-1) != 0
    turn_of_window = np.arange(len(window)) - np.flatnonzero(fresh)[np.cumsum(fresh) - 1]
    turns = found.place[order] * (turn_of_window.max(initial=0) + 1) + turn_of_window
    for turn in np.flatnonzero(np.bincount(turns)).tolist():
        now = order[turns == turn]
        contest, place, span = found.contest[now], found.place[now], found.span[now]
        takes = found.overlap[now, None] >= np.array(IOUS)
        takes &= free[span] & ~hits[contest, :, place]
        free[span] &= ~takes
        hits[contest, :, place] |= takes
    return hits


def _average_precision(hits: Bools, positives: AnyInts) -> AnyFloats:
    """Per contest and IoU; 0 without a hit."""
    rankings = hits.reshape(-1, MOST_WINDOWS)
    rows, places = np.nonzero(rankings)
    counts = np.bincount(rows, minlength=len(rankings))
    ap = np.zeros(len(rankings))
    wanted = np.repeat(positives, len(IOUS))
    for group, best in find_best_precisions(number_hits(rows, counts) / (places + 1), counts):
        found = best.shape[1]
        total = wanted[group, None].astype(np.float64)
        steps = np.arange(1, found + 1) / total - np.arange(found) / total
        terms = np.ascontiguousarray(steps * best[:, ::-1])
        # The way from the last hit to recall 1 adds 0, but it is a term of the official sum, and
        # numpy adds eight terms in another order than seven.
        longer = np.hstack([terms, np.zeros((len(group), 1))])
        ap[group] = np.where(total[:, 0] == found, terms.sum(axis=1), longer.sum(axis=1))
    return ap.reshape(len(positives), -1)


def suppress(windows: RaggedLists, most_overlap: float) -> RaggedLists:
    """Per query the windows that remain, best score first.

    In the order of scores (equal scores: in the order of the list), a window is dropped if its hull
    IoU with a window that stays is more than `most_overlap`.

    >>> windows = np.array([[0.0, 10.0, 0.5], [0.0, 9.0, 0.9], [20.0, 30.0, 0.1]])
    >>> suppress(RaggedLists.of([3], windows), 0.5).values
    array([[ 0. ,  9. ,  0.9],
           [20. , 30. ,  0.1]])
    """
    queries = windows.queries  # in its order windows remain sorted by query
    values = windows.values[np.lexsort((-windows.values[:, 2], queries))]
    stays = find_survivors(queries, np.zeros_like(queries), values[:, :2], most_overlap)
    return RaggedLists.of(np.bincount(queries[stays], minlength=len(windows.counts)), values[stays])
