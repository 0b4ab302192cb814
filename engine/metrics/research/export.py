"""What `RetrievalMetrics` writes: JSON and CSV."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from engine.base.errors import InputError
from engine.base.json_text import as_json, escape_unprintable, nan_to_none
from engine.files.atomic import write_whole
from engine.files.csv_cells import to_csv
from engine.files.envelope import enclose
from engine.metrics.research.values import KeyDefinition, QueryMetrics
from engine.metrics.scores import STD_DDOF

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


class ExportableMetrics(Protocol):
    """What is needed of `RetrievalMetrics`."""

    @property
    def cutoffs(self) -> tuple[int, ...]: ...

    @property
    def per_query(self) -> Sequence[QueryMetrics]: ...

    def definitions(self, k: int) -> dict[str, KeyDefinition]: ...

    def get_aggregate_metrics(self, k: int | None = None) -> dict[str, float]: ...


def build_research_document(metrics: ExportableMetrics) -> dict[str, Any]:
    """Everything that was evaluated as plain values; an undefined number is None."""
    fields = {
        "cutoffs": [_cutoff(metrics, k) for k in metrics.cutoffs],
        "queries": [
            {"query": numbers.query, "ground_truth": numbers.ground_truth, **_plain(numbers)}
            for numbers in metrics.per_query
        ],
    }
    return enclose("retrieval-metrics", fields, policies=POLICIES)


def _cutoff(metrics: ExportableMetrics, k: int) -> dict[str, Any]:
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


def format_research_json(metrics: ExportableMetrics) -> str:
    """The document as JSON text."""
    return as_json(build_research_document(metrics)) + "\n"


def format_research_csv(metrics: ExportableMetrics) -> str:
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
