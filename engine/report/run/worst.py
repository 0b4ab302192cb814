"""The queries that a report shows in full: the worst ones, or the worst regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from engine.keywords.judge import Breakdown
from engine.report.run.clips import Clips, Picture
from engine.report.run.findings import Findings, ModeFindings
from engine.results.results import QueryKey, Ranked, Results

RESULTS = 5
"""Results of a query that are shown."""
LOST = 3
"""Hits of the baseline that the run lost, and that are shown."""

Verdict: TypeAlias = Literal["hit", "partial match", "miss", "not retrieved"]


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A result of a query.

    rank    0: it is not among the results that were kept
    before  its rank in the baseline, 0 for none; None without a baseline
    """

    rank: int
    id: str
    score: float
    gain: float
    verdict: Verdict
    breakdown: Breakdown | None
    picture: Picture | None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class ShownQuery:
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
    picture: Picture | None
    kept: int
    results: tuple[ShownResult, ...]
    lost: tuple[ShownResult, ...] = ()


def worst_queries(
    found: Findings, mode: ModeFindings, count: int, clips: Clips
) -> tuple[ShownQuery, ...]:
    """The queries with the lowest value, of equal ones those with more relevant clips first.

    With a baseline (the first, if there are several): by how much the run is worse than it, then
    as without one.
    """
    own = mode.results
    column = own.column(found.main) * (-1 if found.main.lower_is_better else 1)
    baseline = _baseline(found, mode)
    before = _values_before(found, mode.results, baseline)
    change = np.where(np.isnan(before), np.inf, column - before)
    order = np.lexsort((-own.relevant, column, change))
    rows = [row for row in order.tolist() if not np.isnan(column[row])][:count]
    return tuple(_shown(found, own, row, baseline, clips) for row in rows)


def _baseline(found: Findings, mode: ModeFindings) -> Results | None:
    if not found.baselines or mode.compared is None:
        return None
    return found.baselines[0].results.of_mode(mode.mode)


def _values_before(found: Findings, own: Results, baseline: Results | None) -> np.ndarray:
    """(q,) the baseline's values, larger is better; NaN where it has none. Without one, all 0."""
    if baseline is None:
        # Nothing to compare with: every query changed as much as any other.
        return own.column(found.main) * (-1 if found.main.lower_is_better else 1)
    values = baseline.column(found.main) * (-1 if found.main.lower_is_better else 1)
    places = [baseline.places.get(key, -1) for key in own.keys]
    return np.array([values[place] if place >= 0 else np.nan for place in places])


def _shown(
    found: Findings, own: Results, row: int, baseline: Results | None, clips: Clips
) -> ShownQuery:
    key, keywords = own.keys[row], own.keywords[row]
    kept = own.ranked[row] if own.ranked else Ranked((), (), ())
    place = None if baseline is None else baseline.places.get(key)
    old = _kept(baseline, place)
    ranks = None if old is None else {clip: n for n, clip in enumerate(old.ids, start=1)}
    picture = clips.picture(key.query) if key.mode == "video" else None

    def shown(ranked: Ranked, at: int, rank: int) -> ShownResult:
        clip, score, gain = ranked.ids[at], ranked.scores[at], ranked.gains[at]
        least = found.run.facts.min_similarity
        retrieved = least is None or score >= least
        marks = clips.breakdown(clip, keywords, score, retrieved) if keywords else None
        return ShownResult(
            rank=rank,
            id=clip,
            score=score,
            gain=gain,
            verdict=verdict(gain, retrieved, marks),
            breakdown=marks,
            picture=clips.picture(clip),
            before=None if ranks is None else ranks.get(clip, 0),
        )

    lost = []
    if old is not None:
        gone = (at for at, clip in enumerate(old.ids) if old.gains[at] > 0 and clip not in kept.ids)
        lost = [shown(old, at, 0) for at in list(gone)[:LOST]]
    before = None if baseline is None or place is None else baseline.column(found.main)[place]
    return ShownQuery(
        key=key,
        keywords=keywords,
        relevant=int(own.relevant[row]),
        value=float(own.column(found.main)[row]),
        before=None if before is None or np.isnan(before) else float(before),
        picture=picture,
        kept=len(kept),
        results=tuple(shown(kept, at, at + 1) for at in range(min(RESULTS, len(kept)))),
        lost=tuple(lost),
    )


def _kept(baseline: Results | None, place: int | None) -> Ranked | None:
    """What the baseline kept of a query."""
    if baseline is None or place is None or not baseline.ranked:
        return None
    return baseline.ranked[place]


def verdict(gain: float, retrieved: bool, marks: Breakdown | None) -> Verdict:
    """What a result is, in a word; without its keywords a partial match cannot be told.

    >>> verdict(1.0, True, None), verdict(0.0, True, None), verdict(0.0, False, None)
    ('hit', 'miss', 'not retrieved')
    """
    if gain > 0:
        return "hit"
    if not retrieved:
        return "not retrieved"
    return "partial match" if marks is not None and marks.matched else "miss"
