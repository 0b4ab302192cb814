"""Measures of the first hit in whole rankings, in every shuffle of the annotations.

All queries are looked at, however many: the work is about √N for each of them, not N.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats, Ints
from engine.base.progress import split_range
from engine.dataset.clip_set import find_distinct_rows
from engine.dataset.matching import find_relevant, list_relevant
from engine.keywords.annotation_shuffle import AnnotationShuffle, ShuffledValues
from engine.keywords.judge import JudgedRanking
from engine.keywords.shuffle_plan import choose_shuffles
from engine.metrics import Measure
from engine.metrics.first_hit_tally import FirstHitTally
from engine.metrics.policies import Policies

_AT_ONCE = 500_000
_FIRST_BLOCK = 32
_NOWHERE = np.iinfo(np.int32).max


@dataclass(slots=True)
class FirstHitTrial:
    """Measures that follow from the first hit alone."""

    found: ShuffledFirstHits
    measures: tuple[Measure, ...]
    policies: Policies
    _observed: list[Ints] = field(default_factory=list)

    @classmethod
    def plan(
        cls, shuffle: AnnotationShuffle, measures: tuple[Measure, ...], policies: Policies
    ) -> FirstHitTrial:
        clips, queries = len(shuffle.truth), len(shuffle.queries)
        work = ShuffledFirstHits.estimate_work(shuffle.relevant, clips)
        times = choose_shuffles(queries, work, clips)
        return cls(ShuffledFirstHits(shuffle, times), measures, policies)

    @property
    def shuffles(self) -> int:
        return len(self.found.ranks)

    def keep(self, judged: JudgedRanking, part: slice) -> None:
        self.found.add(judged, part)
        self._observed.append(np.where(judged.hits.any(axis=1), judged.hits.argmax(axis=1) + 1, 0))

    def observe(self) -> ShuffledValues:
        ranks = np.concatenate(self._observed)[None]
        return self._score(ranks, np.arange(ranks.shape[1])[None])

    def find_widening(self) -> Floats:
        shuffle = self.found.shuffle
        results = np.arange(len(shuffle.truth))
        if shuffle.rows is not None:
            results = np.delete(results, shuffle.rows[0])  # of each query as many results ask
        widening = shuffle.find_widening(np.arange(len(shuffle.queries)), results)
        return np.full(len(self.measures), widening)

    def carry_out(self) -> Iterator[ShuffledValues]:
        for lines in split_range(self.shuffles, max(1, _AT_ONCE // self.found.ranks.shape[1])):
            yield self._score(self.found.ranks[lines], self.found.asked[lines])

    def _score(self, ranks: npt.NDArray[np.integer], asked: Ints) -> ShuffledValues:
        shuffle = self.found.shuffle
        depth = len(shuffle.truth) - (shuffle.rows is not None)
        relevant = shuffle.relevant[asked].reshape(-1)
        tally = FirstHitTally(ranks.reshape(-1).astype(np.float64), relevant, depth)
        values = np.stack([one.definition.compute(tally, depth) for one in self.measures], axis=1)
        if self.policies.no_relevant == "skip":
            values[relevant == 0] = np.nan
        return ShuffledValues(values.reshape((*ranks.shape, len(self.measures))), asked)


class ShuffledFirstHits:
    """Where the first hit of every query stands in every shuffle.

    Where many clips are relevant one of them comes soon: the ranking is looked at from its top.
    Where few are, they are looked for one by one.

    asked  (s, q) whose keywords each query asks with, as numbers of queries
    ranks  (s, q) rank of the first hit, from 1; 0: none was retrieved
    """

    def __init__(self, shuffle: AnnotationShuffle, times: int) -> None:
        self.shuffle, clips = shuffle, len(shuffle.truth)
        drawn = [shuffle.draw(range(number, number + 1)) for number in range(times)]
        every = np.arange(len(shuffle.queries))
        self.asked: Ints = np.concatenate([shuffle.find_asked(every, other) for other in drawn])
        self.ranks: npt.NDArray[np.int32] = np.zeros(self.asked.shape, np.int32)
        self._other = np.concatenate([other.astype(np.int32) for other in drawn])
        self._holder = np.empty_like(self._other)
        for line, other in enumerate(drawn):
            self._holder[line, other[0]] = np.arange(clips)
        self._is_rare = shuffle.relevant**2 <= clips
        self._list_rare()

    @staticmethod
    def estimate_work(relevant: Ints, clips: int) -> int:
        """Results that are looked at in one shuffle."""
        return int(np.minimum(relevant, clips / (relevant + 1) + _FIRST_BLOCK).sum())

    def _list_rare(self) -> None:
        """The relevant clips of queries that have few, one list behind the other."""
        truth, bits = self.shuffle.truth, self.shuffle.queries.bits
        first, self._list_of = find_distinct_rows(bits)
        wanted = np.zeros(len(first), np.bool_)
        wanted[self._list_of[self._is_rare & (self.shuffle.relevant > 0)]] = True
        none = np.zeros(0, np.int64)
        lists = [
            list_relevant(truth, bits[place], self.shuffle.rule) if is_wanted else none
            for place, is_wanted in zip(first.tolist(), wanted.tolist(), strict=True)
        ]
        self._lengths = np.array([len(one) for one in lists], np.int64)
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._members = np.concatenate([none, *lists])

    def add(self, judged: JudgedRanking, part: slice) -> None:
        """The rankings of a part of the queries, to the last clip."""
        ranking = judged.ranking.indices
        returned = judged.retrieved.sum(axis=1)
        place_of = np.full((len(ranking), len(self.shuffle.truth)), _NOWHERE, np.int32)
        if len(self._members):
            ranks = np.arange(1, ranking.shape[1] + 1, dtype=np.int32)
            np.put_along_axis(place_of, ranking, ranks[None], axis=1)
        own = None if self.shuffle.rows is None else self.shuffle.rows[part]
        step = max(1, _AT_ONCE // (_FIRST_BLOCK * len(ranking)))
        for lines in split_range(len(self.ranks), step):
            asked, found = self.asked[lines, part], self.ranks[lines, part]
            some, is_rare = self.shuffle.relevant[asked] > 0, self._is_rare[asked]
            many = _Pairs.of(some & ~is_rare, asked, own, lines)
            few = _Pairs.of(some & is_rare, asked, own, lines)
            found[many.place] = self._scan(ranking, many)
            found[few.place] = self._look_up(place_of, few)
            found[found > returned] = 0

    def _scan(self, ranking: Ints, pairs: _Pairs) -> npt.NDArray[np.int32]:
        """Ranks of first hits, from the tops of the rankings."""
        first = np.zeros(len(pairs), np.int32)
        left, start, width = np.arange(len(pairs)), 0, _FIRST_BLOCK
        while len(left) and start < ranking.shape[1]:
            some = pairs.take(left)
            line = some.line[:, None]
            has = self._other[line, ranking[some.query, start : start + width]]
            if some.own is not None:
                own = some.own[:, None]
                has = self.shuffle.keep_own(has, own, self._other[line, own])
            asked = self.shuffle.queries.bits[some.asked]
            hits = find_relevant(self.shuffle.truth, has, asked, self.shuffle.rule)
            found = hits.any(axis=1)
            first[left[found]] = start + hits[found].argmax(axis=1) + 1
            left, start, width = left[~found], start + width, 2 * width
        return first

    def _look_up(self, place_of: npt.NDArray[np.int32], pairs: _Pairs) -> npt.NDArray[np.int32]:
        """Ranks of first hits, from where the clips stand that have what is asked for."""
        if not len(pairs):
            return np.zeros(0, np.int32)
        lists = self._list_of[pairs.asked]
        lengths = self._lengths[lists]
        starts = np.cumsum(lengths) - lengths
        pair = np.repeat(np.arange(len(pairs)), lengths)
        member = self._members[np.arange(len(pair)) + (self._starts[lists] - starts)[pair]]
        each = pairs.take(pair)
        holder = self._holder[each.line, member]
        if each.own is not None and not self.shuffle.together:
            # As `keep_own` has it: the query clip, which is no result, keeps its own annotations.
            holder = np.where(holder == each.own, self._holder[each.line, each.own], holder)
            holder = np.where(member == each.own, each.own, holder)
        ranks: npt.NDArray[np.int32] = np.minimum.reduceat(place_of[each.query, holder], starts)
        return ranks


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Queries of a part in some shuffles.

    line, query  (p,) which shuffle of all, and which query of the part
    asked        (p,) whose keywords the query asks with, as a number of all queries
    own          (p,) the query clip; None: it is not removed
    place        where they stand in a (s, q) array of the part
    """

    line: Ints
    query: Ints
    asked: Ints
    own: Ints | None
    place: tuple[Ints, Ints]

    @classmethod
    def of(cls, which: Bools, asked: Ints, own: Ints | None, lines: slice) -> _Pairs:
        line, query = np.nonzero(which)
        clips = None if own is None else own[query]
        return cls(line + lines.start, query, asked[line, query], clips, (line, query))

    def __len__(self) -> int:
        return len(self.line)

    def take(self, some: Ints) -> _Pairs:
        line, query = self.place
        return _Pairs(
            self.line[some],
            self.query[some],
            self.asked[some],
            None if self.own is None else self.own[some],
            (line[some], query[some]),
        )
