"""The document of a triage: verdicts, shortfall and findings, with everything that they depend
on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.base.json_text import nan_to_none
from engine.files.envelope import enclose
from engine.metrics.policies import collect_policy_notes, dump_policies
from engine.report.triage.evidence import dump_evidence
from engine.report.triage.heading import list_chance_notes
from engine.report.triage.pictures import dump_pictures
from engine.stats import Interval
from engine.triage.analysis import Analysis
from engine.triage.baseline import FindingChange
from engine.triage.build_study import OpenedStudy
from engine.triage.finding import Finding
from engine.triage.mode_queries import ModeQueries
from engine.triage.saved_triage import SavedFinding, SavedTriage
from engine.triage.triage import Triage


def collect_triage_notes(opened: OpenedStudy) -> list[str]:
    """What a reader must know beside the findings, one sentence each."""
    study = opened.study
    notes = [f"{study.collection.model.name}: {n}" for n in study.collection.alignment.notes()]
    for asked in study.asked:
        notes += [f"{asked.mode}: {note}" for note in _describe_queries(asked)]
        found, k = asked.judged.ranking.depth, study.settings.k
        if k >= found:
            notes.append(
                f"{asked.mode}: K = {k:,} takes in all that a query can find ({found:,}): every "
                "ranking is as good as the best"
            )
    notes += opened.notes
    notes += collect_policy_notes(opened.inputs.policies, "keywords")
    return notes


def _note_resamples(found: Triage) -> list[str]:
    """Of too few resamples no p is small enough, whatever there is to find."""
    drawn, needed = found.study.settings.resamples, found.needed_resamples
    if drawn >= needed:
        return []
    return [
        f"{drawn:,} resamples are too few to prove much: corrected over {found.tested} analyses, "
        f"p cannot be small enough; draw at least {needed:,}"
    ]


def _describe_queries(asked: ModeQueries) -> list[str]:
    queries, counted = asked.queries, int(np.count_nonzero(asked.counted))
    notes = []
    if queries.left_out:
        notes.append(
            f"{len(queries.left_out):,} of {queries.asked:,} queries have no keyword of the chosen "
            "groups: left out"
        )
    if counted < len(asked):
        lacking = len(asked) - counted
        have = "has" if lacking == 1 else "have"
        notes.append(f"{lacking:,} of {len(asked):,} {have} no relevant clip: left out")
    if asked.cluster_note:
        notes.append(asked.cluster_note)
    return notes


def build_triage_document(
    opened: OpenedStudy,
    found: Triage,
    *,
    source: str | None = None,
    baseline: str | None = None,
    changes: Sequence[FindingChange] = (),
) -> dict[str, Any]:
    """The triage as plain values, ready for JSON.

    source    how the dataset can be opened again
    baseline  the model that the changes are from
    """
    study, settings = found.study, found.study.settings
    collection = study.collection
    fields = {
        "dataset": {"name": opened.dataset.name, "source": source},
        "model": {"name": collection.model.name, "metric": collection.model.metric},
        "baseline": baseline,
        "clips": len(collection),
        "sources": len(np.unique(study.sources)),
        "groups": list(study.selection.groups),
        "measure": settings.measure,
        "settings": settings.dump(),
        "visual": study.visual.name if study.visual else None,
        "second": study.second.name if study.second else None,
        "queries": {asked.mode: _dump_queries(asked) for asked in study.asked},
        "analyses": dump_analyses(found.analyses),
        "correction": {
            "method": "bonferroni over analyses, of p corrected within each",
            "analyses": found.tested,
            "alpha": settings.alpha,
        },
        "verdicts": [one.dump() for one in found.verdicts],
        "shortfall": [one.dump() for one in found.shortfalls],
        "findings": [dump_triage_finding(one) for one in found.findings],
        "evidence": dump_evidence(study, found.findings),
        "pictures": dump_pictures(found),
    }
    if baseline is not None:
        fields["changes"] = [dump_finding_change(one) for one in changes]
    return enclose(
        "triage",
        fields,
        inputs=opened.inputs.files,
        policies=dump_policies(opened.inputs.policies, "keywords"),
        notes=[
            *collect_triage_notes(opened),
            *list_chance_notes(found.shortfalls, settings.level),
            *_note_resamples(found),
        ],
    )


def dump_analyses(analyses: Sequence[Analysis]) -> list[dict[str, str]]:
    """What each answers, how, and what it needs."""
    return [
        {"name": one.name, "question": one.question, "method": one.method, "needs": one.needs}
        for one in analyses
    ]


def choose_finding(found: SavedTriage, chosen: SavedFinding) -> dict[str, Any]:
    """The document cut down to one finding and its evidence."""
    whole = dict(found.document.value)
    named = {(one.mode, one.query) for one in found.find_queries(chosen)}
    whole["findings"] = [one for one in whole["findings"] if one["id"] == chosen.id]
    whole["evidence"] = [one for one in whole["evidence"] if (one["mode"], one["query"]) in named]
    if "changes" in whole:
        whole["changes"] = [one for one in whole["changes"] if one["id"] == chosen.id]
    return whole


def _dump_queries(asked: ModeQueries) -> dict[str, Any]:
    counted = asked.counted
    mean = float(asked.values[counted].mean()) if counted.any() else math.nan
    return {
        "total": asked.queries.asked,
        "counted": int(np.count_nonzero(counted)),
        "clusters": len(np.unique(asked.clusters)),
        "mean": nan_to_none(mean),
    }


def dump_interval(interval: Interval) -> list[float | None] | None:
    """The two ends; None: there is no interval."""
    if math.isnan(interval.low) or math.isnan(interval.high):
        return None
    return [nan_to_none(interval.low), nan_to_none(interval.high)]


def dump_triage_finding(one: Finding) -> dict[str, Any]:
    """A finding as plain values."""
    return {
        "id": one.id,
        "analysis": one.analysis,
        "mode": one.mode,
        "subject": {
            "kind": one.subject.kind,
            "names": list(one.subject.names),
            "label": one.subject.label,
        },
        "outcome": one.outcome,
        "sentence": one.sentence,
        "effect": nan_to_none(one.effect),
        "unit": one.unit,
        "interval": dump_interval(one.interval),
        "p": nan_to_none(one.p),
        "corrected_p": nan_to_none(one.corrected),
        "severity": nan_to_none(one.severity),
        "harm": nan_to_none(one.harm),
        "share": one.share,
        "support": one.support,
        "support_of": one.support_of,
        "needed": one.needed or None,
        "queries": list(one.evidence.queries),
        "clips": list(one.evidence.clips),
        "remedy": one.remedy,
        "numbers": {name: nan_to_none(value) for name, value in one.numbers},
        "notes": list(one.notes),
    }


def dump_finding_change(one: FindingChange) -> dict[str, Any]:
    """What became of a finding, as plain values."""
    return {
        "id": one.id,
        "kind": one.kind,
        "before": None if one.before is None else nan_to_none(one.before.effect),
        "after": None if one.after is None else nan_to_none(one.after.effect),
        "difference": nan_to_none(one.difference),
        "added_harm": nan_to_none(one.added_harm),
        "interval": dump_interval(one.interval),
        "corrected_p": nan_to_none(one.corrected),
        "paired": one.paired,
        "unit": one.either.unit,
        "sentence": one.either.sentence,
    }
