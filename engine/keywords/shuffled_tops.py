"""Measures of the first results of a query, in every shuffle of the annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Floats, Ints
from engine.base.progress import split_range
from engine.base.ranking import NO_ITEM
from engine.dataset.matching import find_gains
from engine.keywords.annotation_shuffle import AnnotationShuffle, ShuffledValues
from engine.keywords.judge import JudgedRanking
from engine.keywords.shuffle_plan import ShufflePlan
from engine.metrics import Measure, Relevance, score
from engine.metrics.policies import Policies
from engine.metrics.ties import find_group_starts

_AT_ONCE = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class TopRankings:
    """As many results of t queries as measures of the first k look at; what is beyond is no item,
    so that it does not matter how deep the rankings go or which queries were searched together."""

    indices: Ints
    scores: npt.NDArray[np.float32]
    gains: Bools | Floats
    retrieved: Bools
    collection: Ints

    @classmethod
    def of(cls, judged: JudgedRanking, k: int, policies: Policies) -> TopRankings:
        """Where ties are averaged, results that are tied with the k-th are looked at as well."""
        scores = judged.ranking.scores
        ends = np.full(len(scores), k)
        if policies.ties == "expected" and scores.shape[1] > k:
            begins = find_group_starts(scores)[:, k:]
            ends += np.where(begins.any(axis=1), begins.argmax(axis=1), begins.shape[1])
        width = min(int(ends.max(initial=k)), scores.shape[1])
        inside = np.arange(width) < ends[:, None]
        return cls(
            indices=np.where(inside, judged.ranking.indices[:, :width], NO_ITEM),
            scores=scores[:, :width].copy(),
            gains=np.where(inside, judged.gains[:, :width], False),
            retrieved=judged.retrieved[:, :width] & inside,
            collection=judged.collection,
        )

    @classmethod
    def concat(cls, parts: Sequence[TopRankings]) -> TopRankings:
        """Several chunks of queries, as if they had been taken at once."""
        width = max(part.indices.shape[1] for part in parts)
        wide = [part._widen(width) for part in parts]
        return cls(
            indices=np.concatenate([part.indices for part in wide]),
            scores=np.concatenate([part.scores for part in wide]),
            gains=np.concatenate([part.gains for part in wide]),
            retrieved=np.concatenate([part.retrieved for part in wide]),
            collection=np.concatenate([part.collection for part in wide]),
        )

    def _widen(self, width: int) -> TopRankings:
        more = ((0, 0), (0, width - self.indices.shape[1]))
        gains: Any = np.pad(self.gains, more)  # of whichever type they are
        return replace(
            self,
            indices=np.pad(self.indices, more, constant_values=NO_ITEM),
            scores=np.pad(self.scores, more),
            gains=gains,
            retrieved=np.pad(self.retrieved, more),
        )


@dataclass(slots=True)
class TopTrial:
    """Measures of the first k results; of the whole ranking, if k is how deep it goes."""

    shuffle: AnnotationShuffle
    measures: tuple[Measure, ...]
    policies: Policies
    planned: ShufflePlan
    k: int
    _parts: list[TopRankings] = field(default_factory=list)

    @property
    def shuffles(self) -> int:
        return self.planned.shuffles

    def keep(self, judged: JudgedRanking, part: slice) -> None:
        chosen = self.planned.chosen
        first, last = np.searchsorted(chosen, (part.start, part.stop))
        if first < last:
            some = judged.take(chosen[first:last] - part.start)
            self._parts.append(TopRankings.of(some, self.k, self.policies))

    @property
    def _kept(self) -> TopRankings:
        if len(self._parts) > 1:
            self._parts = [TopRankings.concat(self._parts)]
        return self._parts[0]

    def observe(self) -> ShuffledValues:
        return self._score(self._kept.gains[None], self.planned.chosen[None])

    def find_widening(self) -> Floats:
        def of_first(k: int) -> float:
            results = self._kept.indices[:, :k]
            return self.shuffle.find_widening(self.planned.chosen, results[results != NO_ITEM])

        return np.array([of_first(measure.cutoff or self.k) for measure in self.measures])

    def carry_out(self) -> Iterator[ShuffledValues]:
        kept, shuffle, chosen = self._kept, self.shuffle, self.planned.chosen
        step = max(1, _AT_ONCE // max(kept.indices.size, len(shuffle.truth)))
        for lines in split_range(self.shuffles, step):
            other = shuffle.draw(range(lines.start, lines.stop))
            asked = shuffle.find_asked(chosen, other)
            has = other[:, kept.indices]
            if shuffle.rows is not None:
                own = shuffle.rows[chosen]
                has = shuffle.keep_own(has, own[:, None], other[:, own, None])
            bits = shuffle.queries.bits[asked.reshape(-1)]
            gains = find_gains(shuffle.truth, has.reshape(-1, has.shape[2]), bits, shuffle.rule)
            yield self._score(np.where(kept.retrieved, gains.reshape(has.shape), False), asked)

    def _score(self, gains: Bools | Floats, asked: Ints) -> ShuffledValues:
        kept, (count, queries, width) = self._kept, gains.shape
        levels = self.shuffle.levels
        scores = np.broadcast_to(np.float32(0), (count * queries, width))
        if self.policies.ties == "expected":
            scores = np.tile(kept.scores, (count, 1))
        found = score(
            Relevance(
                gains=gains.reshape(-1, width),
                scores=scores,
                returned=np.tile(kept.retrieved.sum(axis=1, dtype=np.int64), count),
                relevant=self.shuffle.relevant[asked].reshape(-1),
                collection=np.tile(kept.collection, count),
                complete=True,
                short=self.policies.fewer_than_k,
                levels=None if levels is None else levels.take(asked.reshape(-1)),
            ),
            self.measures,
            no_relevant=self.policies.no_relevant,
            ties=self.policies.ties,
        )
        return ShuffledValues(found.values.reshape(count, queries, len(self.measures)), asked)
