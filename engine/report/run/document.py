"""The document of a run: what was evaluated, how, and what came out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engine.dataset.relevant_sources import count_sources, describe_sources
from engine.files.csv_cells import to_csv
from engine.files.envelope import enclose
from engine.keywords.evaluate import Evaluation
from engine.keywords.evaluated_run import collect_results
from engine.keywords.not_understood import describe_share
from engine.keywords.run import Run
from engine.metrics import Profile
from engine.metrics.chance import ALPHA
from engine.metrics.policies import collect_policy_notes, dump_policies
from engine.metrics.scores import STD_DDOF
from engine.report.per_query.write import dump_queries
from engine.report.run.instead import dump_instead
from engine.report.run.keywords_at_k import dump_keywords_at_k
from engine.report.tables.numbers import format_number
from engine.results.results import CHANCE_COLUMNS, MetricRow, build_metric_rows
from engine.text.mapping.unexplained import UnexplainedWords

_LISTED_WORDS = 100
"""Words that no keyword explains, in JSON."""


def collect_metric_rows(evaluation: Evaluation, profile: Profile) -> list[MetricRow]:
    """The numbers of one evaluation in the order of its measures."""
    return build_metric_rows(
        evaluation.mode,
        evaluation.scores,
        profile,
        evaluation.policies.fewer_than_k,
        evaluation.chance,
        evaluation.tested,
    )


def collect_run_rows(run: Run) -> list[MetricRow]:
    """The numbers of all modes of a run."""
    return [row for e in run.evaluations for row in collect_metric_rows(e, run.profile)]


def collect_run_notes(run: Run) -> list[str]:
    """What a reader must know beside the numbers, one sentence each."""
    notes = [f"{run.collection.model.name}: {note}" for note in run.collection.alignment.notes()]
    for evaluation in run.evaluations:
        notes += [f"{evaluation.mode}: {note}" for note in _query_notes(run, evaluation)]
        notes += [f"{evaluation.mode}: {note}" for note in evaluation.scores.notes]
        notes += [f"{evaluation.mode}: {note}" for note in _chance_notes(run, evaluation)]
    notes += collect_policy_notes(run.request.policies, "keywords")
    if run.request.policies.one_per == "source":
        notes.append(describe_sources(run.collection.truth))
    return notes


def _query_notes(run: Run, evaluation: Evaluation) -> list[str]:
    queries, source = evaluation.queries, run.sources[evaluation.mode]
    notes, these = [], f"of {queries.asked} queries"
    if queries.asked < source.available:
        limit = f", limit {run.request.limit}" if run.request.limit else ""
        notes.append(f"{queries.asked} of {source.available} queries ({source.name}{limit})")
    if queries.left_out:
        none = "have no keyword of the chosen groups: left out"
        notes.append(f"{len(queries.left_out)} {these} {none}")
    if queries.narrowed:
        outside = "name keywords outside the chosen groups, which do not count"
        notes.append(f"{queries.narrowed} {these} {outside}")
    if queries.unexplained.queries:
        notes.append(describe_share(queries.unexplained))
    return notes


def _chance_notes(run: Run, evaluation: Evaluation) -> list[str]:
    """What is not above chance, and what that was found from if not from all queries."""
    rows = collect_metric_rows(evaluation, run.profile)
    notes = []
    below = [row for row in rows if row.above_chance is False and not math.isnan(row.chance)]
    if below:
        notes.append(f"not above chance (p > {ALPHA:g}): {', '.join(map(_describe_below, below))}")
    samples: dict[str, list[str]] = {}
    for row in rows:
        if row.above_chance is not None and row.chance_sample:
            samples.setdefault(row.chance_sample, []).append(row.label)
    for sample, labels in samples.items():
        notes.append(f"{', '.join(labels)} against chance: {sample}, drawn at random")
    return notes


def _describe_below(row: MetricRow) -> str:
    sample = f", {row.chance_sample}" if row.chance_sample else ""
    return f"{row.label} {format_number(row.mean)} (chance {format_number(row.chance)}{sample})"


def dump_unexplained_words(found: UnexplainedWords) -> dict[str, Any]:
    """How many mapped queries have words that no keyword explains, and the most frequent ones."""
    return {
        "queries": found.queries,
        "share": found.share if found.mapped else None,
        "different": len(found.words),
        "words": [{"word": word, "queries": n} for word, n in found.words[:_LISTED_WORDS]],
    }


def build_run_document(run: Run, source: str | None = None) -> dict[str, Any]:
    """The run as plain values, ready for JSON.

    `source` is how its dataset can be opened again; a report finds the clips' frames by it.
    """
    fields = {
        "dataset": {"name": run.dataset.name, "clips": len(run.dataset.truth), "source": source},
        "model": {
            "name": run.collection.model.name,
            "metric": run.collection.model.metric,
            "encoder": run.collection.model.encoder,
            "dimension": int(run.collection.vectors.shape[1]),
        },
        "collection": {
            "clips": len(run.collection),
            "sources": count_sources(run.collection.truth),
            "annotated_without_embedding": len(run.collection.alignment.without_vector),
            "embedded_without_annotation": len(run.collection.alignment.without_annotation),
        },
        "groups": list(run.selection.groups),
        "keywords": [str(keyword) for keyword in run.selection.keywords],
        "k": list(run.request.ks),
        "profile": run.profile.name,
        "metrics": [row.as_dict(CHANCE_COLUMNS) for row in collect_run_rows(run)],
        "queries": {e.mode: _query_counts(run, e) for e in run.evaluations},
        "skipped": {e.mode: e.skipped for e in run.evaluations},
        "instead": {e.mode: dump_instead(run, e) for e in run.evaluations},
        "keywords_at_k": {e.mode: dump_keywords_at_k(run, e) for e in run.evaluations},
        "per_query": list(dump_queries(collect_results(run))),
    }
    policies = {
        **dump_policies(run.request.policies, "keywords"),
        "duplicate_slice_id": run.dataset.duplicates,
        "unmatched_ids": "left out, counted in collection",
        "std_ddof": STD_DDOF,
    }
    return enclose(
        "run", fields, inputs=run.inputs, policies=policies, notes=collect_run_notes(run)
    )


def _query_counts(run: Run, evaluation: Evaluation) -> dict[str, Any]:
    queries, source = evaluation.queries, run.sources[evaluation.mode]
    counts: dict[str, Any] = {
        "source": source.name,
        "available": source.available,
        "limit": run.request.limit,
        "total": queries.asked,
        "scored": evaluation.scores.n,
        "depth": evaluation.depth,
        "full_ranking": evaluation.complete,
    }
    if evaluation.tested is not None:
        counts |= {"chance": {"alpha": ALPHA}}
    if evaluation.mode == "text":
        counts |= {"mapped": queries.mapped, "narrowed": queries.narrowed}
        counts |= {"threshold": run.dataset.threshold, "synonyms": dict(run.dataset.synonyms)}
        counts |= {"never_means": dict(run.dataset.never_means)}
        counts |= {"unexplained": dump_unexplained_words(queries.unexplained)}
    elif run.request.sample is not None:
        counts |= {"sample": run.request.sample, "seed": run.request.seed}
    return counts


def format_run_csv(rows: Sequence[MetricRow]) -> str:
    """The numbers as CSV, in full precision.

    >>> print(
    ...     format_run_csv(
    ...         [
    ...             MetricRow(
    ...                 *("text", "P@5", "Recall@5", "hits@5 / 5", 0.8, 0.1, 3),
    ...                 chance=0.2,
    ...                 chance_p=0.002,
    ...                 chance_n=3,
    ...                 chance_shuffles=499,
    ...             )
    ...         ]
    ...     ).strip()
    ... )
    mode,id,label,formula,mean,std,n,chance,chance_p,above_chance,chance_n,chance_shuffles
    text,P@5,Recall@5,hits@5 / 5,0.8,0.1,3,0.2,0.002,True,3,499
    """
    return to_csv(CHANCE_COLUMNS, (list(row.as_dict(CHANCE_COLUMNS).values()) for row in rows))
