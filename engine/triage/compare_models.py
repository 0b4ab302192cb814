"""A model with its baseline: the same queries, the same resamples, and what changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.base.progress import ProgressHook
from engine.keywords.workbench import Workbench
from engine.triage.baseline import FindingChange, SharedTasks, compare_findings
from engine.triage.build_study import OpenedStudy, TriageRequest, open_study
from engine.triage.mode_queries import ModeQueries
from engine.triage.registry import find_analyses
from engine.triage.study import Study
from engine.triage.triage import Triage, triage


@dataclass(frozen=True, slots=True, eq=False)
class ComparedTriage:
    """A triage, and what became of the baseline's findings; none if there is no baseline."""

    opened: OpenedStudy
    triage: Triage
    before: Triage | None = None
    changes: tuple[FindingChange, ...] = ()


def triage_models(
    request: TriageRequest,
    bench: Workbench,
    baseline: str | None = None,
    report: ProgressHook | None = None,
) -> ComparedTriage:
    """Triage the model of a request, and the baseline likewise.

    A finding that only one of the two would list is measured in the other as well.
    """
    analyses = find_analyses(request.analyses)
    opened = open_study(request, bench, report)
    found = triage(opened.study, analyses, report)
    if baseline is None:
        return ComparedTriage(opened, found)
    other = replace(request, run=replace(request.run, model=baseline))
    old = open_study(other, bench, report).study
    found, before = complete_triages(found, old, report)
    shared = find_shared_tasks(opened.study, old)
    changes = compare_findings(before.findings, found.findings, request.settings, shared)
    notes = opened.notes + tuple(_note_others(opened.study, baseline, shared))
    return ComparedTriage(replace(opened, notes=notes), found, before, changes)


def complete_triages(
    found: Triage, old: Study, report: ProgressHook | None = None
) -> tuple[Triage, Triage]:
    """Both triages, with all that either would list."""
    before = triage(old.wanting(one.id for one in found.findings), found.analyses, report)
    missing = {one.id for one in before.findings} - {one.id for one in found.findings}
    if missing:
        found = triage(found.study.wanting(missing), found.analyses, report)
    return found, before


def find_shared_tasks(one: Study, other: Study) -> SharedTasks:
    """What was asked of both, so that what was drawn for them belongs together: None if they have
    the same clips of the same sources, and each mode with the same queries in the same clusters."""
    if one.truth.ids != other.truth.ids or not np.array_equal(one.sources, other.sources):
        return ()
    theirs = {asked.mode: asked for asked in other.asked}
    modes = [
        asked.mode
        for asked in one.asked
        if asked.mode in theirs and _is_same_task(asked, theirs[asked.mode])
    ]
    return (None, *modes)


def _is_same_task(one: ModeQueries, other: ModeQueries) -> bool:
    return (
        one.queries.names == other.queries.names
        and np.array_equal(one.queries.bits, other.queries.bits)
        and np.array_equal(one.clusters, other.clusters)
    )


def _note_others(study: Study, baseline: str, shared: SharedTasks) -> Iterator[str]:
    """What the changes leave open."""
    if None not in shared:
        yield f"{baseline} has other clips: changes are not measured"
        return
    for asked in study.asked:
        if asked.mode not in shared:
            yield f"{baseline} has other {asked.mode} queries: their changes are not measured"
