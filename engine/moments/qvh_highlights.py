"""HL-mAP and HL-Hit1 of QVHighlights, for all queries at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.moments.qvh_numbers import Ragged
from engine.moments.qvh_steps import best_from_each_hit, ordinals
from engine.moments.truth import Floats, Ints

LEVELS = ("Fair", "Good", "VeryGood")
"""A clip is a highlight from a rating of 2, 3 or 4 on."""

RATERS = 3
CLIP_SECONDS = 2
_LEAST = np.array([2.0, 3.0, 4.0])
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Ratings:
    """What three raters said about the clips of a query; clips they did not see have 0.

    clips   the number of clips of the video
    rated   the indices of the rated clips, a list per query
    scores  one row per rated clip, one column per rater
    """

    clips: Ints
    rated: Ragged
    scores: Floats


@dataclass(frozen=True, eq=False)
class Highlights:
    """Per query of the truth how well predicted saliency finds the highlights.

    hit1        1 where any rater finds the best predicted clip a highlight; a column per level
    rater_ap    average precision, per level, query and rater
    best_clips  the clip with the highest predicted saliency, from 0; the first of several
    """

    hit1: Floats
    rater_ap: Floats
    best_clips: Ints
    levels: tuple[str, ...] = LEVELS

    @cached_property
    def ap(self) -> Floats:
        """Average precision, the mean over raters; a column per level."""
        by_level: Floats = self.rater_ap.mean(axis=2)
        return by_level.T


def score_highlights(ratings: Ratings, saliency: Ragged) -> Highlights:
    """Hits of the best clip, and average precision by rater.

    The best clip is looked for in the whole list; for average precision the list is cut to the
    clips of the video, or filled up with 0. Clips of equal saliency are found together. AP is the
    mean, over the saliencies at which recall grows, of the best precision there or at lower ones.
    Recall as float32 tells apart as many highlights as a video can have, so hits are counted.
    """
    last = _last_of_repeated(ratings)
    queries, clips = ratings.rated.queries[last], ratings.rated.values[last].astype(np.int64)
    scores = ratings.scores[last]
    best = _best_clips(saliency)
    is_best = clips == best[queries]
    hit1 = np.zeros((len(best), len(LEVELS)))
    hit1[queries[is_best]] = scores[is_best].max(axis=1, keepdims=True) >= _LEAST
    above = _scored_as_high(ratings.clips, saliency, queries, clips)
    return Highlights(hit1, _average_precision(queries, above, scores, len(best)), best)


def _last_of_repeated(ratings: Ratings) -> Ints:
    """Rated clips without those that are rated again further on."""
    queries, clips = ratings.rated.queries, ratings.rated.values
    order = np.lexsort((clips, queries))
    again = (np.diff(queries[order]) == 0) & (np.diff(clips[order]) == 0)
    return np.sort(order[np.concatenate([~again, [True]])])


def _best_clips(saliency: Ragged) -> Ints:
    most = np.maximum.reduceat(saliency.values, saliency.offsets[:-1])
    queries = saliency.queries
    best = np.flatnonzero(saliency.values == most[queries])[::-1]  # the first is written last
    clips = np.zeros(len(most), np.int64)
    clips[queries[best]] = saliency.places[best]
    return clips


def _scored_as_high(clips: Ints, saliency: Ragged, queries: Ints, rated: Ints) -> Ints:
    """For every rated clip how many clips of the video have its saliency or more."""
    found = np.empty(len(rated), np.int64)
    order = np.argsort(clips, kind="stable")  # videos of one length share a block
    block_of = np.empty(len(clips), np.int64)
    row_of = np.empty(len(clips), np.int64)
    per_block = max(1, _BLOCK // int(clips.max()))
    block_of[order], row_of[order] = np.divmod(np.arange(len(clips)), per_block)
    for block in range(int(block_of.max()) + 1):
        members = order[block * per_block : (block + 1) * per_block]
        here = block_of[queries] == block
        table = _as_high_in_block(clips[members], _rows(saliency, members))
        found[here] = table[row_of[queries[here]], rated[here]]
    return found


def _rows(lists: Ragged, members: Ints) -> Ragged:
    starts, counts = lists.offsets[:-1][members], lists.counts[members]
    before = np.cumsum(counts) - counts
    return Ragged.of(
        counts, lists.values[np.arange(counts.sum()) + np.repeat(starts - before, counts)]
    )


def _as_high_in_block(clips: Ints, saliency: Ragged) -> Ints:
    width = int(clips.max())
    table = np.zeros((len(clips), width))
    queries, places = saliency.queries, saliency.places
    inside = places < clips[queries]
    table[queries[inside], places[inside]] = saliency.values[inside]
    table[np.arange(width) >= clips[:, None]] = -np.inf
    order = np.argsort(-table, axis=1)
    ranked = np.take_along_axis(table, order, axis=1)
    # The last place with the same saliency: going backwards, the latest place where one ended.
    ends = np.where(ranked[:, :-1] != ranked[:, 1:], np.arange(1, width), width)
    ends = np.hstack([ends, np.full((len(clips), 1), width)])
    as_high = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    found = np.empty_like(order)
    np.put_along_axis(found, order, as_high, axis=1)
    return found


def _average_precision(queries: Ints, above: Ints, scores: Floats, count: int) -> Floats:
    order = np.lexsort((above, queries))
    queries, above, scores = queries[order], above[order], scores[order]
    level_rater = (_LEAST[:, None, None] <= scores.T).reshape(-1, len(queries))
    kind, clip = np.nonzero(level_rater)
    rows, depth = kind * count + queries[clip], above[clip]
    hits = ordinals(rows, np.bincount(rows, minlength=len(level_rater) * count))
    last = (np.diff(rows, append=-1) != 0) | (np.diff(depth, append=-1) != 0)
    rows, precisions = rows[last], hits[last] / depth[last]
    ap = np.zeros(len(level_rater) * count)
    for group, best in best_from_each_hit(precisions, np.bincount(rows, minlength=len(ap))):
        ap[group] = best.sum(axis=1) / best.shape[1]
    by_rater = ap.reshape(len(LEVELS), RATERS, count)
    return np.ascontiguousarray(by_rater.transpose(0, 2, 1))
