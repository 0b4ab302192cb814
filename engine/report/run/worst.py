"""The queries that a report shows in full: the worst ones, or the worst regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.base.json_text import nan_to_none
from engine.keywords.judge import Breakdown
from engine.report.run.clips import ClipPicture, RunClips
from engine.report.run.run_report import ModeReport, RunReport
from engine.results.results import KeptResults, QueryKey, Results

RESULTS_SHOWN = 5
"""Results of a query that are shown."""
LOST_SHOWN = 3
"""Hits of the baseline that the run lost, and that are shown."""

ResultVerdict: TypeAlias = Literal["hit", "partial match", "miss", "not retrieved"]


@dataclass(frozen=True, slots=True)
class ResultDetail:
    """A result of a query.

    rank    0: it is not among the results that were kept
    before  its rank in the baseline, 0 for none; None without a baseline
    """

    rank: int
    id: str
    score: float
    gain: float
    verdict: ResultVerdict
    breakdown: Breakdown | None
    picture: ClipPicture | None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class QueryDetail:
    """A query with its value and its first results.

    relevant  −1 where it is not known
    before    the baseline's value; None without one
    kept      how many results were kept in all
    lost      hits of the baseline that are not among the kept results
    """

    key: QueryKey
    keywords: tuple[str, ...]
    relevant: int
    value: float
    before: float | None
    picture: ClipPicture | None
    kept: int
    results: tuple[ResultDetail, ...]
    lost: tuple[ResultDetail, ...] = ()


def find_worst_queries(
    found: RunReport, mode: ModeReport, count: int, clips: RunClips
) -> tuple[QueryDetail, ...]:
    """The queries with the lowest value, of equal ones those with more relevant clips first.

    With a baseline (the first, if there are several): by how much the run is worse than it, then
    as without one.
    """
    own = mode.results
    sign = -1 if found.main.lower_is_better else 1
    column = sign * own.column(found.main)
    compared = found.baselines and mode.compared is not None
    baseline = found.baselines[0].results.of_mode(mode.mode) if compared else None
    change = np.zeros(len(own))  # nothing to compare with: all changed alike
    if baseline is not None:
        values = sign * baseline.column(found.main)
        places = [baseline.places.get(key, -1) for key in own.keys]
        before = np.array([values[place] if place >= 0 else np.nan for place in places])
        change = np.where(np.isnan(before), np.inf, column - before)
    order = np.lexsort((-own.relevant, column, change))
    rows = [row for row in order.tolist() if not np.isnan(column[row])][:count]
    return tuple(_shown(found, own, row, baseline, clips) for row in rows)


def _shown(
    found: RunReport, own: Results, row: int, baseline: Results | None, clips: RunClips
) -> QueryDetail:
    key, keywords = own.keys[row], own.keywords[row]
    kept = own.kept(row)
    old, before = None, np.nan
    if baseline is not None and key in baseline.places:
        place = baseline.places[key]
        old = baseline.ranked[place] if baseline.ranked else None
        before = baseline.column(found.main)[place]
    ranks = None if old is None else {clip: n for n, clip in enumerate(old.ids, start=1)}
    picture = clips.picture(key.query) if key.mode == "video" else None

    def shown(ranked: KeptResults, at: int, rank: int) -> ResultDetail:
        clip, score, gain = ranked.ids[at], ranked.scores[at], ranked.gains[at]
        least = found.run.facts.min_similarity
        retrieved = least is None or score >= least
        marks = clips.breakdown(clip, keywords, score, retrieved) if keywords else None
        return ResultDetail(
            rank=rank,
            id=clip,
            score=score,
            gain=gain,
            verdict=classify_result(gain, retrieved, marks),
            breakdown=marks,
            picture=clips.picture(clip),
            before=None if ranks is None else ranks.get(clip, 0),
        )

    lost = []
    if old is not None:
        gone = (at for at, clip in enumerate(old.ids) if old.gains[at] > 0 and clip not in kept.ids)
        lost = [shown(old, at, 0) for at in list(gone)[:LOST_SHOWN]]
    return QueryDetail(
        key=key,
        keywords=keywords,
        relevant=int(own.relevant[row]),
        value=float(own.column(found.main)[row]),
        before=nan_to_none(float(before)),
        picture=picture,
        kept=len(kept),
        results=tuple(shown(kept, at, at + 1) for at in range(min(RESULTS_SHOWN, len(kept)))),
        lost=tuple(lost),
    )


def classify_result(gain: float, retrieved: bool, marks: Breakdown | None) -> ResultVerdict:
    """What a result is, in a word; without its keywords a partial match cannot be known.

    >>> (
    ...     classify_result(1.0, True, None),
    ...     classify_result(0.0, True, None),
    ...     classify_result(0.0, False, None),
    ... )
    ('hit', 'miss', 'not retrieved')
    """
    if gain > 0:
        return "hit"
    if not retrieved:
        return "not retrieved"
    return "partial match" if marks is not None and marks.matched else "miss"
