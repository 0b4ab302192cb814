"""Label Score@K label by label, against chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Floats
from engine.labels.scoring.label_run import LabelScore

LabelRowKind: TypeAlias = Literal["label", "macro", "weighted"]


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label of a direction at one K, or a mean over the labels.

    support  items with the label among those that are searched; of a mean: all of them
    queries  queries with the label that count
    score    LabelScore@K; NaN where no query counts
    random   what a random order would score: the label's share of the items that can be found,
             times items that can be found / K where K is more and the denominator stays K
    ceiling  what a perfect order would score: a label of fewer than K items cannot fill K places
    """

    kind: LabelRowKind
    label: str
    support: int
    queries: int
    score: float
    random: float
    ceiling: float

    @property
    def lift(self) -> float:
        """How many times chance; NaN where chance finds nothing.

        >>> LabelRow("label", "walk", 20, 20, 0.6, 0.2, 1.0).lift
        3.0
        """
        return round(self.score / self.random, 12) if self.random > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class LabelTable:
    """All labels of one direction at one K, as arrays in the order of the level's names."""

    score: LabelScore
    k: int
    queries: npt.NDArray[np.int64]
    scores: Floats
    random: Floats
    ceiling: Floats

    @classmethod
    def of(cls, score: LabelScore, k: int) -> LabelTable:
        labels = len(score.level.names)
        codes = score.codes[score.counted]
        queries = np.bincount(codes, minlength=labels)
        hits = score.hits[score.counted, score.ks.index(k)]
        found = np.bincount(codes, weights=hits, minlength=labels)
        others = score.level.support - score.direction.is_self
        size = score.size(k)
        reached = min(k, score.reachable)
        with np.errstate(invalid="ignore"):
            scores = found / (queries * size)
        return cls(
            score=score,
            k=k,
            queries=queries,
            scores=scores,
            random=others * reached / (score.reachable * size),  # rounded once, as the scores are
            ceiling=np.minimum(others, k) / size,
        )

    @property
    def counted(self) -> npt.NDArray[np.int64]:
        """The labels that some query has."""
        return np.flatnonzero(self.queries)

    @property
    def means(self) -> Floats:
        """The scores as other tables have them: the mean of each label's values, added in order.

        They differ from `scores` in the last digit of a float64, and so where a half is rounded.
        """
        counted = self.score.counted
        sums = np.bincount(
            self.score.codes[counted],
            self.score.values(self.k)[counted],
            minlength=len(self.queries),
        )
        return np.where(self.queries > 0, sums / np.maximum(self.queries, 1), np.nan)

    @property
    def mean_of_values(self) -> float:
        """The score of the direction, in the same way."""
        values = self.score.values(self.k)[self.score.counted]
        return float(values.mean()) if len(values) else float("nan")

    @property
    def macro(self) -> LabelRow:
        """Every label counts the same."""
        return self._mean("macro", np.ones(len(self.counted)))

    @property
    def weighted(self) -> LabelRow:
        """Every query counts the same: the score of the direction."""
        return self._mean("weighted", self.queries[self.counted].astype(np.float64))

    def _mean(self, kind: LabelRowKind, weights: Floats) -> LabelRow:
        def mean(values: Floats) -> float:
            return float(np.average(values, weights=weights)) if len(values) else float("nan")

        score = self.score.mean(self.k) if kind == "weighted" else mean(self.scores[self.counted])
        return LabelRow(
            kind=kind,
            label="",
            support=len(self.score.level),
            queries=int(self.queries.sum()),
            score=score,
            random=mean(self.random[self.counted]),
            ceiling=mean(self.ceiling[self.counted]),
        )

    def row(self, label: int) -> LabelRow:
        level = self.score.level
        counts = int(level.support[label]), int(self.queries[label])
        values = (float(own[label]) for own in (self.scores, self.random, self.ceiling))
        return LabelRow("label", level.names[label], *counts, *values)

    def rows(self) -> list[LabelRow]:
        """Every label that some query has, then the two means."""
        return [*map(self.row, self.counted.tolist()), self.macro, self.weighted]
