"""The document of a run: what was evaluated, how, and what came out. Schema tui-eval/run@1."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from engine.collection import Collection
from engine.dataset import Dataset
from engine.evaluate import Evaluation
from engine.metrics import Measure, Profile
from engine.selection import Selection

SCHEMA = "tui-eval/run@1"
STD_DDOF = 1
"""Degrees of freedom taken off in every std; written into every result."""

_COLUMNS = ("mode", "id", "label", "formula", "mean", "std", "n")


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One number of a run, with all that a reader needs to know what it is."""

    mode: str
    id: str
    label: str
    formula: str
    mean: float
    std: float
    n: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "id": self.id,
            "label": self.label,
            "formula": self.formula,
            "mean": number(self.mean),
            "std": number(self.std),
            "n": self.n,
        }


@dataclass(frozen=True, slots=True)
class Run:
    """All that one `tui-eval run` computed."""

    dataset: Dataset
    collection: Collection
    selection: Selection
    profile: Profile
    ks: tuple[int, ...]
    evaluations: tuple[Evaluation, ...]
    inputs: Mapping[str, str]
    query_source: str = ""

    @property
    def metrics(self) -> list[MetricRow]:
        return [
            row for evaluation in self.evaluations for row in metric_rows(evaluation, self.profile)
        ]

    @property
    def notes(self) -> list[str]:
        """What a reader must know beside the numbers, one sentence each."""
        notes = [
            f"{self.collection.model.name}: {note}" for note in self.collection.alignment.notes()
        ]
        for evaluation in self.evaluations:
            empty = len(evaluation.queries.without_keyword)
            total = empty + len(evaluation.queries)
            if empty:
                notes.append(
                    f"{evaluation.mode}: {empty} of {total} queries have no keyword of the chosen "
                    "groups: left out"
                )
            notes += [f"{evaluation.mode}: {note}" for note in evaluation.scores.notes]
        return notes


def metric_rows(evaluation: Evaluation, profile: Profile) -> list[MetricRow]:
    """The numbers of one evaluation in the order of its measures."""
    return [_row(evaluation, measure, profile) for measure in evaluation.scores.measures]


def _row(evaluation: Evaluation, measure: Measure, profile: Profile) -> MetricRow:
    scores = evaluation.scores
    return MetricRow(
        mode=evaluation.mode,
        id=str(measure),
        label=profile.label(measure),
        formula=measure.formula_for(evaluation.policies.short),
        mean=scores.aggregate(measure),
        std=scores.std(measure),
        n=len(scores.counted(measure)),
    )


def run_document(run: Run) -> dict[str, Any]:
    """The run as plain values, ready for JSON."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "tui-eval", "version": tool_version()},
        "dataset": {"name": run.dataset.name, "clips": len(run.dataset.truth)},
        "model": {
            "name": run.collection.model.name,
            "metric": run.collection.model.metric,
            "encoder": run.collection.model.encoder,
            "dimension": int(run.collection.vectors.shape[1]),
        },
        "collection": _coverage(run.collection),
        "groups": list(run.selection.groups),
        "keywords": [str(keyword) for keyword in run.selection.keywords],
        "k": list(run.ks),
        "profile": run.profile.name,
        "metrics": [row.as_dict() for row in run.metrics],
        "queries": {e.mode: _query_counts(run, e) for e in run.evaluations},
        "skipped": {e.mode: e.skipped for e in run.evaluations},
        "policies": {**_policies(run), "std_ddof": STD_DDOF},
        "notes": run.notes,
        "inputs": {role: {"sha256": digest} for role, digest in run.inputs.items()},
    }


def _coverage(collection: Collection) -> dict[str, Any]:
    alignment = collection.alignment
    return {
        "clips": len(collection),
        "annotated_without_embedding": len(alignment.without_vector),
        "embedded_without_annotation": len(alignment.without_annotation),
    }


def _query_counts(run: Run, evaluation: Evaluation) -> dict[str, Any]:
    queries = evaluation.queries
    counts: dict[str, Any] = {
        "total": len(queries) + len(queries.without_keyword),
        "scored": evaluation.scores.n,
        "depth": evaluation.depth,
        "full_ranking": evaluation.complete,
    }
    if evaluation.mode == "text":
        counts |= {"source": run.query_source, "mapped": queries.mapped}
        counts["threshold"] = run.dataset.threshold
    return counts


def _policies(run: Run) -> dict[str, Any]:
    policies = run.evaluations[0].policies
    return {
        "ties": policies.ties,
        "no_relevant": policies.no_relevant,
        "no_keyword": policies.no_keyword,
        "fewer_than_k": policies.short,
        "self_clip": policies.self_clip,
        "min_similarity": policies.min_similarity,
        "duplicate_slice_id": run.dataset.duplicates,
        "unmatched_ids": "left out, counted in collection",
    }


def run_csv(rows: Sequence[MetricRow]) -> str:
    """The numbers as CSV, in full precision.

    >>> print(run_csv([MetricRow("text", "P@5", "Recall@5", "hits@5 / 5", 0.8, 0.1, 3)]).strip())
    mode,id,label,formula,mean,std,n
    text,P@5,Recall@5,hits@5 / 5,0.8,0.1,3
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        values = row.as_dict()
        writer.writerow(["" if values[name] is None else values[name] for name in _COLUMNS])
    return out.getvalue()


def number(value: float) -> float | None:
    """A float that JSON can hold: NaN and infinity have no spelling there."""
    return value if math.isfinite(value) else None


def tool_version() -> str:
    try:
        return version("tui-eval")
    except PackageNotFoundError:
        return "unknown"
