"""The documents of scored run files: one run, or several."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from engine.base.json_text import as_json
from engine.base.messages import pluralise
from engine.files.csv_cells import to_csv
from engine.files.envelope import enclose
from engine.metrics import Measure
from engine.metrics.policies import collect_policy_notes, dump_policies
from engine.metrics.scores import STD_DDOF
from engine.rankings.request import NamedRunScores
from engine.report.per_query.write import dump_queries
from engine.report.tables.report_table import (
    Cell,
    Column,
    ReportTable,
    find_best_places,
    make_table,
)
from engine.results.results import METRIC_COLUMNS, RANKED, MetricRow, build_metric_rows


def collect_score_rows(run: NamedRunScores) -> list[MetricRow]:
    """The numbers of a run in the order of its measures."""
    scored = run.scored
    return build_metric_rows(RANKED, scored.scores, run.language, scored.policies.fewer_than_k)


def collect_score_notes(run: NamedRunScores) -> list[str]:
    """What a reader must know beside the numbers, one sentence each."""
    return [*run.scored.notes, *collect_policy_notes(run.scored.policies, "rankings")]


def build_score_document(run: NamedRunScores) -> dict[str, Any]:
    """The run as plain values, ready for JSON, but for its `per_query` entries."""
    scored = run.scored
    fields = {
        "run": run.name,
        "k": list(run.ks),
        "profile": run.language.name,
        "metrics": [row.as_dict() for row in collect_score_rows(run)],
        "queries": {**asdict(scored.counts), "scored": scored.scores.n},
        "collection": scored.collection,
    }
    return enclose(
        "score", fields, inputs=run.inputs, policies=_policies(run), notes=collect_score_notes(run)
    )


def _policies(run: NamedRunScores) -> dict[str, Any]:
    return {
        **dump_policies(run.scored.policies, "rankings"),
        "unjudged_items": "not relevant",
        "relevant_from_grade": "above 0",
        "std_ddof": STD_DDOF,
    }


def format_scores_json(runs: Sequence[NamedRunScores]) -> str:
    """One document, or one around those of several runs; every query is one line."""
    texts = [
        as_json({**build_score_document(run), "per_query": [*dump_scored_queries(run)]})
        for run in runs
    ]
    if len(texts) == 1:
        return texts[0]
    first = runs[0]
    shared = {r: f for r, f in first.inputs.items() if all(run.inputs[r] == f for run in runs)}
    notes = merge_notes(runs)
    around = enclose("scores", {"runs": []}, inputs=shared, policies=_policies(first), notes=notes)
    inside = ",\n".join("    " + text.replace("\n", "\n    ") for text in texts)
    return as_json(around).removesuffix("[]\n}") + f"[\n{inside}\n  ]\n}}"


def dump_scored_queries(run: NamedRunScores) -> Iterator[dict[str, Any]]:
    """One entry per query, ready for JSON, with its text where that is known."""
    for entry in dump_queries(run.scored.results(run.name, run.language)):
        text = run.texts.get(entry["query"])
        yield entry if text is None else {**entry, "text": text}


def format_scores_csv(runs: Sequence[NamedRunScores]) -> str:
    """The numbers as CSV, in full precision; several runs stand one below the other."""
    several = len(runs) > 1
    head = (*(("run",) if several else ()), *METRIC_COLUMNS)
    rows = [
        [*((run.name,) if several else ()), *row.as_dict().values()]
        for run in runs
        for row in collect_score_rows(run)
    ]
    return to_csv(head, rows)


def build_scores_list(runs: Sequence[NamedRunScores]) -> ReportTable:
    """Several runs one below the other, metric by metric: fits where `build_scores_table` does
    not."""
    head = [Column("metric", "left"), Column("value"), Column("run", "left")]
    body: list[list[str | Cell]] = []
    formulas = {}
    for line in zip(*(collect_score_rows(run) for run in runs), strict=True):
        best = find_best_runs(line)
        for place, (run, row) in enumerate(zip(runs, line, strict=True)):
            texts = format_mean(row), run.name
            label = row.label if place == 0 else ""
            body.append([label, *(Cell(text, place in best) for text in texts)])
        name = line[0].label if line[0].label == line[0].id else f"{line[0].label} ({line[0].id})"
        formulas[name] = line[0].formula
    notes = [f"{name} = {formula}" for name, formula in formulas.items()]
    return make_table(head, body, write_caption(runs), [*notes, *merge_notes(runs)])


def build_scores_table(runs: Sequence[NamedRunScores]) -> ReportTable:
    """One run with std and n, or several side by side with the best in bold."""
    lines = list(zip(*(collect_score_rows(run) for run in runs), strict=True))
    named = any(row.label != row.id for row, *_ in lines)
    head = [Column("metric", "left")]
    if len(runs) == 1:
        head += [Column("value"), Column("std"), Column("n")]
    else:
        head += [Column(run.name) for run in runs]
    head += [Column("id", "left")] * named + [Column("formula", "left")]
    body: list[list[str | Cell]] = []
    for line in lines:
        row = line[0]
        if len(runs) == 1:
            cells: list[str | Cell] = [format_mean(row), format_deviation(row), f"{row.n}"]
        else:
            best = find_best_runs(line)
            cells = [Cell(format_mean(r), place in best) for place, r in enumerate(line)]
        body.append([row.label, *cells, *([row.id] if named else []), row.formula])
    return make_table(head, body, write_caption(runs), merge_notes(runs))


def write_caption(runs: Sequence[NamedRunScores]) -> str:
    """Which runs were scored, over how many queries."""
    judged = pluralise(runs[0].scored.counts.judged, "judged query")
    return f"{', '.join(run.name for run in runs)}: {judged}"


def merge_notes(runs: Sequence[NamedRunScores]) -> list[str]:
    """The notes of all runs; what holds for some of them only says for which."""
    notes = {run.name: collect_score_notes(run) for run in runs}
    every = dict.fromkeys(note for own in notes.values() for note in own)
    common = [note for note in every if all(note in own for own in notes.values())]
    sizes = {run.name: run.scored.scores.n for run in runs}
    if len(set(sizes.values())) > 1:
        named = ", ".join(f"{name} {n:,}" for name, n in sizes.items())
        common.insert(0, f"the means are over different queries: {named}")
    return common + [
        f"{name}: {note}" for name, own in notes.items() for note in own if note not in common
    ]


def find_best_runs(line: Sequence[MetricRow]) -> frozenset[int]:
    """Which of several runs have the best number."""
    lower = Measure.parse(line[0].id).lower_is_better
    return find_best_places([row.mean for row in line], lower_is_better=lower)


def format_mean(row: MetricRow) -> str:
    """A number for the eye."""
    return "–" if row.n == 0 or not math.isfinite(row.mean) else f"{row.mean:.{_digits(row)}f}"


def format_deviation(row: MetricRow) -> str:
    """Its standard deviation; beside a median, the deviation from the mean would mislead."""
    return f"{row.std:.{_digits(row)}f}" if row.is_mean and row.n > 1 else ""


def _digits(row: MetricRow) -> int:
    return 2 if abs(row.mean) >= 10 else 4
