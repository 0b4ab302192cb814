"""Label Scores as documents: the plain JSON of means, CSV by label and of confusions, one JSON
document with everything, and one with the neighbours of single queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.base.json_text import dump_attributes, nan_to_none
from engine.base.messages import pluralise
from engine.base.similarity import Similarity
from engine.files.csv_cells import to_csv
from engine.files.envelope import enclose
from engine.files.input_file import InputFile
from engine.labels.findings.label_finding import LabelFinding
from engine.labels.scoring.by_label import LabelRow, LabelTable
from engine.labels.scoring.label_run import LabelRun, LabelScore
from engine.labels.scoring.neighbours import QueryNeighbours
from engine.metrics import Measure, ShortListPolicy, find_profile
from engine.metrics.policies import dump_policies
from engine.results.results import Results, number_queries

LABEL_COLUMNS = (
    *("level", "direction", "k", "kind", "label", "support", "queries"),
    *("score", "random", "lift", "ceiling", "id", "formula"),
)
CONFUSION_COLUMNS = ("level", "direction", "k", "label", "found", "count", "share")


def build_means_document(run: LabelRun) -> dict[str, Any]:
    """`{"text2sensor": {"10": 0.7234, …}, …}`; of several levels, one such object for each."""
    by_level = {
        level: {
            direction: {str(k): nan_to_none(score) for k, score in scores.items()}
            for direction, scores in run.results(level).items()
        }
        for level in run.levels
    }
    return by_level if len(by_level) > 1 else by_level[run.levels[0]]


def format_labels_csv(run: LabelRun) -> str:
    """One row per level, direction, K and label, and the means over the labels."""
    return to_csv(LABEL_COLUMNS, _label_rows(run))


def _label_rows(run: LabelRun) -> Iterator[tuple[object, ...]]:
    for score in run.scores:
        for k in run.ks:
            for row in LabelTable.of(score, k).rows():
                yield (
                    *(score.level.name, score.direction.name, k, row.kind, row.label),
                    *(row.support, row.queries),
                    *map(nan_to_none, (row.score, row.random, row.lift, row.ceiling)),
                    *_named(score, k),
                )


def format_confusion_csv(run: LabelRun) -> str:
    """One row for every pair of labels that occurs: how often `found` was found for `label`."""
    return to_csv(CONFUSION_COLUMNS, _confusion_rows(run))


def _confusion_rows(run: LabelRun) -> Iterator[tuple[object, ...]]:
    for score in run.scores:
        for k, table in zip(score.ks, score.confusion, strict=True):
            names = score.level.names
            for label in np.flatnonzero(table.totals).tolist():
                total = table.total(label)
                for other, times in table.top(label, len(names)):
                    yield (
                        *(score.level.name, score.direction.name, k, names[label], names[other]),
                        *(times, times / total),
                    )


def build_labels_document(
    run: LabelRun,
    found: Sequence[LabelFinding],
    *,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything that is known of a run."""
    policies = run.scores[0].policies
    fields = {
        "metric": {"id": "LabelScore@k", "formula": write_label_formula(policies.fewer_than_k)},
        "items": run.items,
        "k": list(run.ks),
        "settings": dict(settings),
        "levels": {
            level: {"labels": len(run.of_level(level)[0].level.names)} for level in run.levels
        },
        "scores": [
            {
                "level": score.level.name,
                "direction": score.direction.name,
                "queries": int(np.count_nonzero(score.counted)),
                "by_k": [_k_entry(score, k) for k in score.ks],
            }
            for score in run.scores
        ],
        "findings": [dump_finding(finding) for finding in found],
    }
    applied = {
        **dump_policies(policies, "labels"),
        "self": "removed within a modality; across modalities the item's own pair counts",
    }
    return enclose(
        "labels", fields, inputs=run.inputs, policies=applied, notes=collect_label_notes(run)
    )


def _k_entry(score: LabelScore, k: int) -> dict[str, Any]:
    rows = LabelTable.of(score, k)
    table = score.confusion[score.ks.index(k)]
    names = score.level.names
    measure, formula = _named(score, k)
    return {
        "k": k,
        "id": measure,
        "formula": formula,
        "score": nan_to_none(score.mean(k)),
        "macro": _row_entry(rows.macro),
        "weighted": _row_entry(rows.weighted),
        "labels": [
            {
                "label": names[label],
                **_row_entry(rows.row(label)),
                "found": {names[other]: times for other, times in table.top(label, len(names))},
            }
            for label in rows.counted.tolist()
        ],
    }


def write_label_formula(short: ShortListPolicy) -> str:
    """The formula for whatever k.

    >>> write_label_formula("fixed"), write_label_formula("adaptive")[-9:]
    ('same-label results among the first k / k', 'min(k, n)')
    """
    return Measure.parse("LabelScore@1").definition.formula_at("k", short)


def _named(score: LabelScore, k: int) -> tuple[str, str]:
    """The id and the formula of a score at k."""
    measure = Measure.parse(f"LabelScore@{k}")
    return str(measure), measure.formula_for(score.policies.fewer_than_k)


def _row_entry(row: LabelRow) -> dict[str, Any]:
    return dump_attributes(row, "support", "queries", "score", "random", "lift", "ceiling")


def dump_finding(finding: LabelFinding) -> dict[str, Any]:
    return {
        **dump_attributes(finding, "id", "level", "directions", "k"),
        "numbers": {name: nan_to_none(value) for name, value in finding.numbers},
        "text": finding.text,
    }


def collect_label_notes(run: LabelRun) -> tuple[str, ...]:
    """What a reader must know beside the numbers."""
    return (*run.notes, *dict.fromkeys(note for one in run.scores for note in _notes_of(one)))


def _notes_of(score: LabelScore) -> Iterator[str]:
    direction = score.direction
    if not direction.is_self and not direction.is_prototype:
        yield "across modalities an item can find its own pair, which has its label"
    alone = score.without_relevant
    if alone:
        has, counts, are = ("has", "counts", "is") if alone == 1 else ("have", "count", "are")
        doing = f"{counts} 0" if score.policies.no_relevant == "zero" else f"{are} left out"
        yield (
            f"{direction.name}, {score.level.name}: {pluralise(alone, 'query')} {has} a label that "
            f"no other item has, and {doing}"
        )
    beyond = [str(k) for k in score.ks if k > score.reachable]
    if beyond:
        size = "stays K" if score.policies.fewer_than_k == "fixed" else "is their number"
        verb = "is" if len(beyond) == 1 else "are"
        yield (
            f"{direction.name}: K={', '.join(beyond)} {verb} more than the {score.reachable:,} "
            f"items that can be found; the denominator {size}"
        )


def collect_label_results(run: LabelRun, name: str) -> Results:
    """The values of every query, for comparisons and gates; the direction is the mode.

    Of several levels the mode is level/direction.
    """
    several = len(run.levels) > 1
    modes, queries, keywords = list[str](), list[str](), list[tuple[str, ...]]()
    for score in run.scores:
        mode = f"{score.level.name}/{score.direction.name}" if several else score.direction.name
        modes += [mode] * len(score.names)
        queries += score.names
        labels = [f"{score.level.name}:{label}" for label in score.level.names]
        keywords += [(labels[code],) for code in score.codes.tolist()]
    return Results(
        name=name,
        language=find_profile("label"),
        measures=tuple(Measure.parse(f"LabelScore@{k}") for k in run.ks),
        keys=number_queries(modes, queries),
        values=np.concatenate([np.column_stack([*map(one.values, one.ks)]) for one in run.scores]),
        keywords=tuple(keywords),
        relevant=np.concatenate([score.relevant for score in run.scores]),
        policies=tuple(dump_policies(run.scores[0].policies, "labels").items()),
        inputs=tuple((role, file.sha256) for role, file in run.inputs.items()),
        notes=collect_label_notes(run),
    )


def build_neighbours_document(
    shown: Sequence[QueryNeighbours],
    k: int,
    similarity: Similarity,
    inputs: Mapping[str, InputFile] | None = None,
) -> dict[str, Any]:
    """Every query with what it found, level by level `same` or not."""
    queries = [_neighbours_entry(one) for one in shown]
    fields = {"k": k, "similarity": similarity, "queries": queries}
    notes = collect_neighbour_notes(shown)
    return enclose("label-neighbours", fields, inputs=inputs, notes=notes)


def collect_neighbour_notes(shown: Sequence[QueryNeighbours]) -> tuple[str, ...]:
    """What a reader must know beside single queries."""
    return tuple(dict.fromkeys(note for one in shown for note in one.notes))


def _neighbours_entry(one: QueryNeighbours) -> dict[str, Any]:
    return {
        "direction": one.direction.name,
        "query": one.query,
        "labels": dict(zip(one.levels, one.labels, strict=True)),
        "hits": {level: one.hits(place) for place, level in enumerate(one.levels)},
        "found": [
            {
                "rank": rank,
                "id": found.id,
                "row": found.row,
                "similarity": found.similarity,
                "labels": dict(zip(one.levels, found.labels, strict=True)),
                "same": {
                    level: found.labels[place] == one.labels[place]
                    for place, level in enumerate(one.levels)
                },
            }
            for rank, found in enumerate(one.found, start=1)
        ],
    }
