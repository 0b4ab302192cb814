"""RetrievalMetrics: the metrics of a paper for one query after another, and their means.

    metrics = RetrievalMetrics()
    for query in queries:
        metrics.evaluate_query(query.results, query.scores, query.relevant, k=5)
    metrics.get_aggregate_metrics()["mean_recall_at_k"]

Every number is one of the registry's measures, so it equals what `tui-eval` prints under that id.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.base.errors import InputError
from engine.base.json_text import as_json, escape_unprintable, nan_to_none
from engine.files.atomic import write_whole
from engine.files.csv_cells import to_csv
from engine.files.envelope import enclose
from engine.metrics.definition import SYMBOLS
from engine.metrics.research.arguments import Item, RelevantItems, read_k, read_query
from engine.metrics.research.batch import RelevantItemsPerQuery, read_batch
from engine.metrics.research.values import (
    COUNTS,
    KeyDefinition,
    QueryMetrics,
    QueryPart,
    build_measures,
    compute_statistics,
)
from engine.metrics.scores import STD_DDOF, Scores

POLICIES = {
    "order": "as handed in; scores are not sorted",
    "no_relevant": "skip",
    "no_ground_truth": "similarity only",
    "fewer_than_k": "fixed",
    "average_precision": "over the whole list handed in",
    "reciprocal_rank": "over the whole list handed in",
    "ndcg_gain": "linear",
    "std_ddof": STD_DDOF,
}
"""What was done where definitions differ."""


class RetrievalMetrics:
    """Evaluates queries one by one or in batches, and keeps every value.

    | key | metric id | formula |
    |---|---|---|
    | `top_k_retrieval_percentage` | `TopK%@k` | 100 · hits@k / R |
    | `precision_at_k` | `P@k` | hits@k / k |
    | `recall_at_k` | `R@k` | hits@k / R |
    | `f1_at_k` | `F1@k` | 2 · hits@k / (k + R) |
    | `average_precision` | `AP` | Σ P@i · rel_i / R, over the whole list handed in |
    | `reciprocal_rank` | `RR` | 1 / rank of the first hit in the whole list, 0 without one |
    | `ndcg_at_k` | `nDCG@k` | DCG@k / ideal DCG@k, DCG = Σ g_i/log2(i+1) |
    | `success_at_k` | `Success@k` | 1 if hits@k ≥ 1, else 0 |
    | `average_similarity` | `AvgSim@k` | mean of the first min(k, n) similarities |
    | `max_similarity` | `MaxSim@k` | largest of the first min(k, n) similarities |
    | `min_similarity` | `MinSim@k` | smallest of the first min(k, n) similarities |
    | `num_relevant`, `num_retrieved`, `k` | R, n, k | as counted |

    The order of the items is the ranking; scores are not sorted, and need not fall. With fewer
    than k results the denominator stays k. A query without relevant item is left out of the means
    and counted. A query without ground truth has similarities only.

    >>> metrics = RetrievalMetrics()
    >>> found = metrics.evaluate_query(
    ...     [120, 300, 450, 600, 780], [0.95, 0.89, 0.87, 0.82, 0.80], [120, 450, 780, 1200], k=5
    ... )
    >>> found["top_k_retrieval_percentage"], found["precision_at_k"], found["recall_at_k"]
    (75.0, 0.6, 0.75)
    >>> metrics.definitions(5)["precision_at_k"]
    KeyDefinition(id='P@5', formula='hits@5 / 5')
    """

    def __init__(self) -> None:
        self._parts: list[QueryPart] = []

    def evaluate_query(
        self,
        retrieved_indices: Iterable[Item],
        similarity_scores: Iterable[float],
        relevant_indices: RelevantItems[Item] | None,
        k: int,
        *,
        query: str = "",
    ) -> QueryMetrics:
        """The numbers of one ranking, best result first.

        Items are indices or ids (texts). `relevant_indices` are the relevant items, or a mapping
        from items to grades (0 or less: not relevant); [] says that there are none, None that it
        is not known. `query` names the query in exports.
        """
        asked = read_query(retrieved_indices, similarity_scores, relevant_indices)
        part = QueryPart.of(asked, read_k(k), (query,))
        self._parts.append(part)
        (numbers,) = part.queries()
        return numbers

    def evaluate_batch(
        self,
        retrieved: npt.ArrayLike,
        scores: npt.ArrayLike,
        relevant: RelevantItemsPerQuery | None,
        k: int,
        *,
        queries: Sequence[str] | None = None,
    ) -> tuple[QueryMetrics, ...]:
        """The numbers of many rankings in one pass, the same as one by one.

        retrieved  queries × depth item indices, -1 after the last result
        scores     the same shape
        relevant   one entry per query as in `evaluate_query`, or a queries × items matrix of
                   grades or booleans (an array, or sparse with indptr, indices and data)

        >>> metrics = RetrievalMetrics()
        >>> both = metrics.evaluate_batch([[4, 2], [7, -1]], [[0.9, 0.8], [0.7, 0]], [{2}, None], 2)
        >>> both[0]["reciprocal_rank"], both[1].has_ground_truth
        (0.5, False)
        """
        part = QueryPart.of(read_batch(retrieved, scores, relevant, queries), read_k(k), queries)
        self._parts.append(part)
        return tuple(part.queries())

    def __len__(self) -> int:
        return sum(len(part.names) for part in self._parts)

    @property
    def per_query(self) -> tuple[QueryMetrics, ...]:
        """Every query so far, in the order of evaluation."""
        return tuple(numbers for part in self._parts for numbers in part.queries())

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """The ks that queries were evaluated at, ascending."""
        return tuple(sorted({part.k for part in self._parts if part.names}))

    def reset(self) -> None:
        """Forget every query."""
        self._parts.clear()

    def get_aggregate_metrics(self, k: int | None = None) -> dict[str, float]:
        """Statistics over the queries that count, each under `mean_`, `std_` (ddof = 1), `min_`,
        `max_` and `median_` and its key; also

        map, mrr      means of `average_precision` and `reciprocal_rank`
        num_queries   all; of them num_scored count, num_without_relevant have no relevant item
                      and num_without_ground_truth no ground truth

        NaN is an undefined number: the std of one query, say. Without any ground truth the keys
        that need one are not there. If queries were evaluated at several k, name one.

        >>> metrics = RetrievalMetrics()
        >>> for relevant in ([1], [2], []):
        ...     _ = metrics.evaluate_query([1, 2], [0.9, 0.8], relevant, k=2)
        >>> numbers = metrics.get_aggregate_metrics()
        >>> numbers["mrr"], numbers["num_queries"], numbers["num_without_relevant"]
        (0.75, 3, 1)
        """
        k = self._one_cutoff(k)
        parts = [part for part in self._parts if part.k == k]
        known = np.concatenate([part.known for part in parts] or [np.zeros(0, np.bool_)])
        relevant = np.concatenate([part.relevant for part in parts] or [np.zeros(0, np.int64)])
        counts = {
            "num_queries": len(known),
            "num_scored": int(np.count_nonzero(relevant > 0)),
            "num_without_relevant": int(np.count_nonzero(known & (relevant == 0))),
            "num_without_ground_truth": int(np.count_nonzero(~known)),
        }
        if not parts:
            return {**counts}
        assert k is not None
        numbers: dict[str, float] = {}
        judged = Scores.concat([part.judged for part in parts])
        similar = Scores.concat([part.similar for part in parts])
        for key, measure in build_measures(k).items():
            if known.any() or not measure.needs_truth:
                scores = judged if measure.needs_truth else similar
                numbers |= compute_statistics(key, scores.counted(measure))
        if known.any():
            numbers |= compute_statistics("num_relevant", relevant[known])
            numbers["map"] = numbers["mean_average_precision"]
            numbers["mrr"] = numbers["mean_reciprocal_rank"]
        returned = np.concatenate([part.returned for part in parts])
        return {**numbers, **compute_statistics("num_retrieved", returned), **counts, "k": k}

    def _one_cutoff(self, k: int | None) -> int | None:
        """The k to aggregate at; None if there is no query."""
        cutoffs = self.cutoffs
        if k is not None and read_k(k) not in cutoffs:
            at = ", ".join(map(str, cutoffs)) or "none"
            raise InputError(f"no query was evaluated at k = {k}", hint=f"there is k = {at}")
        if k is None and len(cutoffs) > 1:
            raise InputError(
                f"queries were evaluated at k = {', '.join(map(str, cutoffs))}: a mean over them "
                "has no definition",
                hint=f"name one, as in get_aggregate_metrics(k={cutoffs[-1]})",
            )
        return k if k is not None else (cutoffs[0] if cutoffs else None)

    @staticmethod
    def definitions(k: int) -> dict[str, KeyDefinition]:
        """For every key the metric's id and formula at this k.

        >>> RetrievalMetrics.definitions(10)["average_precision"]
        KeyDefinition(id='AP', formula='Σ P@i · rel_i / R')
        """
        symbols = dict(SYMBOLS)
        return {
            **{
                key: KeyDefinition(str(m), m.formula)
                for key, m in build_measures(read_k(k)).items()
            },
            **{key: KeyDefinition(symbol, symbols[symbol]) for key, symbol in COUNTS},
            "k": KeyDefinition("k", "the cut-off"),
        }

    def export_to_json(self, path: str | os.PathLike[str]) -> None:
        """Write every query, the aggregates and their definitions: tui-eval/retrieval-metrics@2."""
        write_report(format_research_json(self), path)

    def export_to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write one row per query; an undefined number is an empty cell."""
        write_report(format_research_csv(self), path)


def build_research_document(metrics: RetrievalMetrics) -> dict[str, Any]:
    """Everything that was evaluated as plain values; an undefined number is None."""
    fields = {
        "cutoffs": [_cutoff(metrics, k) for k in metrics.cutoffs],
        "queries": [
            {"query": numbers.query, "ground_truth": numbers.ground_truth, **_plain(numbers)}
            for numbers in metrics.per_query
        ],
    }
    return enclose("retrieval-metrics", fields, policies=POLICIES)


def _cutoff(metrics: RetrievalMetrics, k: int) -> dict[str, Any]:
    definitions = {key: asdict(what) for key, what in metrics.definitions(k).items()}
    for name, key in (("map", "average_precision"), ("mrr", "reciprocal_rank")):
        of_one = definitions[key]
        definitions[name] = {
            "id": of_one["id"],
            "formula": f"mean over queries of {of_one['formula']}",
        }
    return {
        "k": k,
        "definitions": definitions,
        "aggregate": _plain(metrics.get_aggregate_metrics(k)),
    }


def _plain(numbers: Mapping[str, float]) -> dict[str, float | None]:
    return {key: nan_to_none(value) for key, value in numbers.items()}


def format_research_json(metrics: RetrievalMetrics) -> str:
    """The document as JSON text."""
    return as_json(build_research_document(metrics)) + "\n"


def format_research_csv(metrics: RetrievalMetrics) -> str:
    """One row per query, in full precision; the columns are the keys.

    >>> from engine.metrics import RetrievalMetrics
    >>> metrics = RetrievalMetrics()
    >>> _ = metrics.evaluate_query([1, 2], [0.5, 0.25], None, k=2, query="=a")
    >>> print(format_research_csv(metrics).splitlines()[1])
    1,'=a,none,,,,,,,,,0.375,0.5,0.25,,2,2
    """
    columns = list(metrics.definitions(1))
    rows = []
    for number, numbers in enumerate(metrics.per_query, start=1):
        values = _plain(numbers)
        name = escape_unprintable(numbers.query.replace("\n", "\\n"))
        rows.append((number, name, numbers.ground_truth, *map(values.get, columns)))
    return to_csv(("number", "query", "ground_truth", *columns), rows)


def write_report(text: str, path: str | os.PathLike[str]) -> None:
    """Write a finished text, or say in one line why that cannot be done."""
    try:
        write_whole(text, Path(path))
    except InputError as error:
        raise InputError(error.message, error.place, hint="check folder and rights") from error
