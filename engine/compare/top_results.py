"""The first K results of a query in two systems: their ranks, what came in and what fell out."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.base.arrays import Ints
from engine.base.ranking import NO_ITEM
from engine.compare.align import AlignedSystems
from engine.compare.saved_side import SavedSide
from engine.dataset.matching import find_relevant
from engine.keywords.evaluated_run import EvaluatedRun


class RankedPlace(NamedTuple):
    """Where a result stands, whether it is relevant, and whether it counts."""

    rank: int
    relevant: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class TopResult:
    """A result that stands among the first K of one of the models at least.

    before, after  its rank; 0: it is below the first K
    counts         whether it reached the least similarity, before and after
    """

    clip: str
    relevant: bool
    before: int
    after: int
    counts: tuple[bool, bool] = (True, True)


def find_top(own: EvaluatedRun | SavedSide, row: int) -> dict[str, RankedPlace]:
    """The first K of one query of one system, by their ids."""
    if isinstance(own, SavedSide):
        kept = own.saved.kept(row)
        return {
            name: RankedPlace(rank, gain > 0, True)
            for rank, (name, gain) in enumerate(zip(kept.ids, kept.gains, strict=True), start=1)
        }
    judged, truth = own.evaluation.judged, own.truth
    filled = judged.ranking.indices[row] != NO_ITEM
    indices, retrieved = judged.ranking.indices[row][filled], judged.retrieved[row][filled]
    bits = judged.query_bits[row : row + 1]
    relevant = find_relevant(truth, indices[None, :], bits, judged.rule)[0]
    rows = zip(indices.tolist(), relevant.tolist(), retrieved.tolist(), strict=True)
    return {truth.ids[n]: RankedPlace(rank, *said) for rank, (n, *said) in enumerate(rows, start=1)}


def pair_top_results(
    before: Mapping[str, RankedPlace],
    after: Mapping[str, RankedPlace],
    without: Collection[str] = (),
) -> tuple[TopResult, ...]:
    """Every result of either side but those `without`, the relevant ones first; each by its rank
    before, then those that came in.

    >>> first = RankedPlace(1, True, True)
    >>> found = pair_top_results({"a": first}, {"b": first})
    >>> [(one.clip, one.before, one.after) for one in found]
    [('a', 1, 0), ('b', 0, 1)]
    """
    found = []
    for clip in dict.fromkeys((*before, *after)):
        first, second = before.get(clip), after.get(clip)
        one = first or second
        if one is not None and clip not in without:
            counts = (first is None or first.counts, second is None or second.counts)
            ranks = first.rank if first else 0, second.rank if second else 0
            found.append(TopResult(clip, one.relevant, *ranks, counts))
    found.sort(key=lambda one: (not one.relevant, one.before or math.inf, one.after))
    return tuple(found)


def find_never_itself(
    old: EvaluatedRun | SavedSide, new: EvaluatedRun | SavedSide
) -> tuple[str, str] | None:
    """The model in which no clip finds itself, and the one in which it may; None: both alike.

    Then the query's own clip is no result that fell out or came in.
    """
    if isinstance(old, SavedSide) or isinstance(new, SavedSide) or new.mode != "video":
        return None  # of saved results it is not known
    within = [own.table.model for own in (old, new) if own.run.collection.asks_itself]
    across = [own.table.model for own in (old, new) if not own.run.collection.asks_itself]
    return (within[0], across[0]) if within and across else None


def count_flips(part: AlignedSystems, with_itself: bool = True) -> tuple[Ints, Ints]:
    """(q,) relevant results that count in one system only: those lost, and those won."""
    flips = np.zeros((2, len(part.keys)), np.int64)
    for row, key in enumerate(part.keys):
        own = () if with_itself else (key.query,)
        old, new = (system.kept(row).hits.difference(own) for system in part.systems)
        flips[:, row] = len(old - new), len(new - old)
    return flips[0], flips[1]
