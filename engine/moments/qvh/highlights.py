"""HL-mAP and HL-Hit1 of QVHighlights, for all queries at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.base.arrays import AnyFloats, AnyInts
from engine.moments.qvh.average_precision import find_best_precisions, number_hits
from engine.moments.ragged_lists import RaggedLists

LEAST_RATINGS = {"Fair": 2, "Good": 3, "VeryGood": 4}
"""The rating from which on a clip is a highlight, by the name of the level."""

RATING_LEVELS = tuple(LEAST_RATINGS)

RATERS = 3
CLIP_SECONDS = 2
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Ratings:
    """What three raters said about the clips of a query; clips they did not see have 0.

    clips   the number of clips of the video
    rated   the indices of the rated clips, a list per query
    scores  one row per rated clip, one column per rater
    """

    clips: AnyInts
    rated: RaggedLists
    scores: AnyFloats


@dataclass(frozen=True, eq=False)
class HighlightScores:
    """Per query of the truth how well predicted saliency finds the highlights.

    hit1        1 where any rater finds the best predicted clip a highlight; a column per level
    rater_ap    average precision, per level, query and rater
    best_clips  the clip with the highest predicted saliency, from 0; the first of several
    """

    hit1: AnyFloats
    rater_ap: AnyFloats
    best_clips: AnyInts
    levels: tuple[str, ...] = RATING_LEVELS

    @cached_property
    def ap(self) -> AnyFloats:
        """Average precision, the mean over raters; a column per level."""
        by_level: AnyFloats = self.rater_ap.mean(axis=2)
        return by_level.T


def score_highlights(ratings: Ratings, saliency: RaggedLists) -> HighlightScores:
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
    hit1 = np.zeros((len(best), len(RATING_LEVELS)))
    hit1[queries[is_best]] = scores[is_best].max(axis=1, keepdims=True) >= tuple(
        LEAST_RATINGS.values()
    )
    above = _scored_as_high(ratings.clips, saliency, queries, clips)
    return HighlightScores(hit1, _average_precision(queries, above, scores, len(best)), best)


def _last_of_repeated(ratings: Ratings) -> AnyInts:
    """Rated clips without those that are rated again further on."""
    queries, clips = ratings.rated.queries, ratings.rated.values
    if ((np.diff(clips) > 0) | (np.diff(queries) > 0)).all():
        return np.arange(len(clips))
    order = np.lexsort((clips, queries))
    again = (np.diff(queries[order]) == 0) & (np.diff(clips[order]) == 0)
    return np.sort(order[np.concatenate([~again, [True]])])


def _best_clips(saliency: RaggedLists) -> AnyInts:
    most = np.maximum.reduceat(saliency.values, saliency.offsets[:-1])
    # Backwards: of several best clips the first is written last.
    best = np.flatnonzero(saliency.values == np.repeat(most, saliency.counts))[::-1]
    clips = np.zeros(len(most), np.int64)
    clips[saliency.queries[best]] = saliency.places[best]
    return clips


def _scored_as_high(
    clips: AnyInts, saliency: RaggedLists, queries: AnyInts, rated: AnyInts
) -> AnyInts:
    """For every rated clip how many clips of the video have its saliency or more."""
    found = np.empty(len(rated), np.int64)
    step = max(1, _BLOCK // int(clips.max()))
    for first in range(0, len(clips), step):
        last = min(first + step, len(clips))
        offsets = saliency.offsets[first : last + 1]
        values = saliency.values[offsets[0] : offsets[-1]]
        table = _as_high_in_block(clips[first:last], RaggedLists(offsets - offsets[0], values))
        here = slice(*np.searchsorted(queries, [first, last]).tolist())
        found[here] = table[queries[here] - first, rated[here]]
    return found


def _as_high_in_block(clips: AnyInts, saliency: RaggedLists) -> AnyInts:
    width = int(clips.max())
    places = np.arange(width)
    given = np.minimum(saliency.counts, clips)
    table = np.zeros((len(clips), width))
    table[places < given[:, None]] = saliency.values[saliency.places < clips[saliency.queries]]
    table[places >= clips[:, None]] = -np.inf
    order = np.argsort(-table, axis=1)
    ranked = np.take_along_axis(table, order, axis=1)
    # Where the clips of one saliency end; going backwards, the latest end that was passed.
    ends = np.full(table.shape, width)
    np.copyto(ends[:, :-1], places[1:], where=ranked[:, :-1] != ranked[:, 1:])
    as_high = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    np.put_along_axis(ends, order, as_high, axis=1)
    return ends


def _average_precision(
    queries: AnyInts, above: AnyInts, scores: AnyFloats, count: int
) -> AnyFloats:
    """Per level, query and rater."""
    order = np.argsort(queries * (above.max() + 1) + above)
    queries, above, scores = queries[order], above[order], scores[order]
    found = [
        _steps(queries[highlights], above[highlights], count)
        for least in LEAST_RATINGS.values()
        for highlights in (scores >= least).T
    ]
    steps = np.concatenate([counts for counts, _ in found])
    ap = np.zeros(len(steps))
    for rows, best in find_best_precisions(np.concatenate([each for _, each in found]), steps):
        ap[rows] = best.sum(axis=1) / best.shape[1]
    by_rater = ap.reshape(len(RATING_LEVELS), RATERS, count)
    return np.ascontiguousarray(by_rater.transpose(0, 2, 1))


def _steps(queries: AnyInts, above: AnyInts, count: int) -> tuple[AnyInts, AnyFloats]:
    """Where recall grows: how often per query, and the precision each time."""
    hits = number_hits(queries, np.bincount(queries, minlength=count))
    last = (np.diff(queries, append=-1) != 0) | (np.diff(above, append=-1) != 0)
    return np.bincount(queries[last], minlength=count), hits[last] / above[last]
