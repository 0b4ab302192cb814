"""Where the first hit of every query stands, also below the results that its metrics look at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.base.arrays import Ints
from engine.keywords.judge import JudgedRanking
from engine.results.first_hits import FirstHits

FIRST_HIT_DEPTHS = (100, 500)
"""How deep queries without a hit are ranked to find one, one depth after the other: most have one
soon, and of the others it is enough to know that theirs is far away. To go to 500 at once is no
less work, except where most queries need it: then the search does so by itself."""


def find_first_hits(
    judged: JudgedRanking, judge_deeper: Callable[[Ints, int], JudgedRanking]
) -> FirstHits:
    """The first hits of judged rankings. `judge_deeper` ranks and judges some of the queries, by
    their numbers, to a depth; it is asked only for those that may have a hit below."""
    hits = first_hits_within(judged)
    for depth in FIRST_HIT_DEPTHS:
        open_ones = np.flatnonzero((hits.beyond > 0) & (hits.beyond < depth))
        if len(open_ones):
            deeper = first_hits_within(judge_deeper(open_ones, depth))
            hits.ranks[open_ones], hits.beyond[open_ones] = deeper.ranks, deeper.beyond
    return hits


def first_hits_within(judged: JudgedRanking) -> FirstHits:
    """The first hits as far as these rankings go.

    There is none below where nothing ranks or counts as retrieved there, or is relevant at all.
    """
    depth = judged.ranking.depth
    found = judged.hits.any(axis=1)
    ranks = np.where(found, judged.hits.argmax(axis=1) + 1, 0)
    goes_on = judged.retrieved[:, -1] & (judged.collection > depth)
    beyond = np.where(goes_on & ~found & (judged.relevant > 0), depth, 0)
    return FirstHits(ranks, beyond)
