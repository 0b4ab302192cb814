"""The numbers of `RetrievalMetrics`: which keys there are, what each means, one query's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.base.arrays import Bools, Ints
from engine.metrics.measure import Measure
from engine.metrics.research.arguments import GivenRankings
from engine.metrics.scores import Scores, score

GroundTruthState: TypeAlias = Literal["given", "empty", "none"]
"""Relevant items were named; it was said that there are none; nothing was said."""

MEASURES = (
    ("top_k_retrieval_percentage", "TopK%@k"),
    ("precision_at_k", "P@k"),
    ("recall_at_k", "R@k"),
    ("f1_at_k", "F1@k"),
    ("average_precision", "AP"),
    ("reciprocal_rank", "RR"),
    ("ndcg_at_k", "nDCG@k"),
    ("success_at_k", "Success@k"),
    ("average_similarity", "AvgSim@k"),
    ("max_similarity", "MaxSim@k"),
    ("min_similarity", "MinSim@k"),
)
"""Every key and the pattern of its metric's id; those that need the ground truth come first."""

COUNTS = (("num_relevant", "R"), ("num_retrieved", "n"))
"""Keys of counts, and their symbols."""

_STATISTICS = ("mean", "std", "min", "max", "median")


@dataclass(frozen=True, slots=True)
class KeyDefinition:
    """What the number under a key is: the id of its metric, and the formula."""

    id: str
    formula: str


class QueryMetrics(dict[str, float]):
    """The numbers of one query by key: a plain dict that also knows its ground truth.

    ground_truth  "given"; "empty": no relevant item exists, what depends on them is NaN;
                  "none": not known what is relevant, only the similarities and counts are there
    query         the query's name, "" if it has none
    """

    def __init__(
        self, values: Mapping[str, float], ground_truth: GroundTruthState, query: str = ""
    ) -> None:
        super().__init__(values)
        self.ground_truth = ground_truth
        self.query = query

    @property
    def has_ground_truth(self) -> bool:
        return self.ground_truth != "none"

    def __missing__(self, key: str) -> float:
        if key in dict(MEASURES) or key in dict(COUNTS):
            raise KeyError(f"{key}: this query has no ground truth, only similarities")
        raise KeyError(key)


@lru_cache(64)
def build_measures(k: int) -> Mapping[str, Measure]:
    """The measure of every key at this k."""
    return {key: Measure.parse(pattern.replace("@k", f"@{k}")) for key, pattern in MEASURES}


def compute_statistics(key: str, values: npt.NDArray[np.floating] | Ints) -> dict[str, float]:
    """Mean, std (ddof = 1), min, max and median of the values; NaN where undefined."""
    if not len(values):
        return {f"{name}_{key}": float("nan") for name in _STATISTICS}
    std = values.std(ddof=1) if len(values) > 1 else np.nan
    numbers = (values.mean(), std, values.min(), values.max(), np.median(values))
    return {f"{name}_{key}": float(value) for name, value in zip(_STATISTICS, numbers, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class QueryPart:
    """Queries that were handed in together.

    judged, similar  the measures that need the ground truth, and those that do not
    known            (q,) whether there is a ground truth
    """

    k: int
    names: tuple[str, ...]
    judged: Scores
    similar: Scores
    relevant: Ints
    returned: Ints
    known: Bools

    @classmethod
    def of(cls, asked: GivenRankings, k: int, names: Sequence[str] | None) -> QueryPart:
        relevance, measures = asked.relevance(), [*build_measures(k).values()]
        return cls(
            k=k,
            names=tuple(names) if names is not None else ("",) * len(asked.indices),
            judged=score(relevance, [m for m in measures if m.needs_truth]),
            # A query without relevant item still has similarities.
            similar=score(
                relevance, [m for m in measures if not m.needs_truth], no_relevant="zero"
            ),
            relevant=asked.truth.counts,
            returned=asked.returned,
            known=asked.truth.known,
        )

    def queries(self) -> Iterable[QueryMetrics]:
        keys = list(build_measures(self.k))
        first = len(self.judged.measures)
        values = np.concatenate((self.judged.values, self.similar.values), axis=1).tolist()
        counts = zip(self.relevant.tolist(), self.returned.tolist(), strict=True)
        for name, row, known, (relevant, returned) in zip(
            self.names, values, self.known.tolist(), counts, strict=True
        ):
            start = 0 if known else first
            numbers: dict[str, float] = dict(zip(keys[start:], row[start:], strict=True))
            if known:
                numbers["num_relevant"] = relevant
            numbers |= {"num_retrieved": returned, "k": self.k}
            yield QueryMetrics(
                numbers, ("given" if relevant else "empty") if known else "none", name
            )
