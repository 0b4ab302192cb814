"""Which queries changed between two systems, and what came in or fell out of their results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.compare.align import AlignedSystems
from engine.metrics import Measure
from engine.results.results import KeptResults, QueryKey


@dataclass(frozen=True, slots=True)
class Flip:
    """A result that is kept by one of the systems at least; a rank of 0: it is not kept there."""

    id: str
    gain: float
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query in two systems.

    change  the value's change, positive where the newer system is the better one
    flips   results whose rank changed, the relevant ones first; empty if none were kept
    """

    key: QueryKey
    keywords: tuple[str, ...]
    before: float
    after: float
    change: float
    flips: tuple[Flip, ...]


def find_query_changes(
    part: AlignedSystems, pair: tuple[int, int], measure: Measure, most: int | None = None
) -> tuple[QueryChange, ...]:
    """The queries that count for both, worst regression first; equal ones in their order."""
    old, new = part.systems[pair[0]], part.systems[pair[1]]
    before, after = old.column(measure), new.column(measure)
    change = before - after if measure.lower_is_better else after - before
    order = np.argsort(change, kind="stable")  # NaN comes last
    order = order[~np.isnan(change[order])][:most]
    keywords = part.keywords
    return tuple(
        QueryChange(
            key=part.keys[row],
            keywords=keywords[row],
            before=float(before[row]),
            after=float(after[row]),
            change=float(change[row]),
            flips=find_flips(old.ranked[row], new.ranked[row]) if old.ranked and new.ranked else (),
        )
        for row in order.tolist()
    )


def find_flips(before: KeptResults, after: KeptResults) -> tuple[Flip, ...]:
    """The results whose rank differs; relevant ones first, then by their better rank.

    >>> old = KeptResults(("a", "b"), (0.9, 0.8), (1.0, 0.0))
    >>> find_flips(old, KeptResults(("b", "c"), (0.9, 0.8), (0.0, 0.0)))[0]
    Flip(id='a', gain=1.0, before=1, after=0)
    """
    first, second = (
        {item: rank for rank, item in enumerate(ranked.ids, start=1)} for ranked in (before, after)
    )
    gains = dict(zip(before.ids, before.gains, strict=True))
    gains |= dict(zip(after.ids, after.gains, strict=True))
    found = [
        Flip(item, gains[item], first.get(item, 0), second.get(item, 0))
        for item in gains
        if first.get(item, 0) != second.get(item, 0)
    ]

    def place(flip: Flip) -> tuple[bool, int, str]:
        return flip.gain <= 0, min(filter(None, (flip.before, flip.after))), flip.id

    return tuple(sorted(found, key=place))
