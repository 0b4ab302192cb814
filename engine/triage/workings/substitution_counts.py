"""What is counted to see which keyword comes in place of another.

Looked at are wrong results x of queries q that ask for w, and lack it. What x has of the keywords K
of q, its H = K ∩ K(x), says among which clips it is one: those with just H of K. Of these

    base(w′) = clips of the stratum that have w′ / clips of the stratum

for every other keyword w′ of w's group that q does not ask for. Over all such results, n of them:

    O = results that have w′,  E = Σ base(w′),  lift = O / E

So keywords that go together do not stand in for each other: a result that has "urban" is held
against clips that have "urban" as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.base.arrays import Bools, Floats, Ints, Vectors
from engine.base.ranking import NO_ITEM
from engine.dataset.clip_set import BitWords, find_distinct_rows
from engine.triage.study import Study, unpack_columns

MOST_BASE_CLIPS = 20_000
"""Clips from which bases are counted: all, or a sample."""

_CELLS_AT_ONCE = 1 << 23


@dataclass(frozen=True, slots=True, eq=False)
class WrongResults:
    """The wrong results of some queries of one mode, result by result.

    queries  the rows of the queries that were looked at
    query    (r,) row of the query
    clip     (r,) row of the clip
    asks     (r, c) whether the query asks for each of the chosen keywords
    has      (r, c) whether the clip has it
    stratum  (r,) the number of the result's stratum
    sizes    (s,) clips of each stratum
    having   (s, c) those of them that have each keyword
    columns  (c,) bit columns of the chosen keywords
    """

    queries: Ints
    query: Ints
    clip: Ints
    asks: Bools
    has: Bools
    stratum: Ints
    sizes: Floats
    having: Floats
    columns: Ints

    @property
    def base(self) -> Floats:
        """(r, c) share of the clips of a result's stratum that have each keyword."""
        shares: Floats = self.having / np.maximum(self.sizes, 1)[:, None]
        return shares[self.stratum]


def collect_wrong_results(study: Study, mode: int) -> WrongResults:
    """Those of the queries that count, or of a sample. A result whose stratum has no clip in the
    sample of clips is left out."""
    asked = study.asked[mode]
    sampled = study.sample_queries(asked)
    rows = sampled[asked.counted[sampled]]
    every, hits = asked.top(study.settings.k)
    clips: Ints = every[rows]
    there = asked.judged.retrieved[rows, : study.settings.k] & (clips != NO_ITEM)
    place, rank = np.nonzero(there & ~hits[rows])
    clip, query = clips[place, rank], rows[place]
    columns = study.selection.columns
    wanted = asked.judged.query_bits[query]
    patterns = np.hstack([wanted, wanted & study.truth.bits[clip]])
    first, stratum = find_distinct_rows(patterns)
    sizes, having = _count_strata(study, patterns[first], columns)
    known = sizes[stratum] > 0
    query, clip = query[known], clip[known]
    return WrongResults(
        queries=rows,
        query=query,
        clip=clip,
        asks=unpack_columns(asked.judged.query_bits[query], columns),
        has=study.unpack(columns, clip),
        stratum=stratum[known],
        sizes=sizes,
        having=having,
        columns=columns,
    )


def _count_strata(study: Study, patterns: BitWords, columns: Ints) -> tuple[Floats, Floats]:
    """How many clips have just so many of the wanted keywords, (s,), and which others, (s, c).
    `patterns`: the wanted bits, then those of them that are there."""
    words = study.truth.bits.shape[1]
    rows = study.sample_clips(MOST_BASE_CLIPS)
    bits = study.truth.bits[rows]
    unpacked: Vectors = unpack_columns(bits, columns).astype(np.float32)
    sizes, having = np.zeros(len(patterns)), np.zeros((len(patterns), len(columns)))
    for piece in study.pieces(len(patterns), max(1, _CELLS_AT_ONCE // max(len(bits), 1))):
        match = np.ones((len(patterns[piece]), len(bits)), np.bool_)
        for word in range(words):
            wanted, there = patterns[piece, word], patterns[piece, words + word]
            if wanted.any():
                match &= (bits[:, word] & wanted[:, None]) == there[:, None]
        sizes[piece] = match.sum(axis=1)
        having[piece] = match.astype(np.float32) @ unpacked
    return sizes, having
