"""A model with its baseline: the same queries, the same resamples, and what changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.base.progress import ProgressHook
from engine.keywords.workbench import Workbench
from engine.triage.baseline import FindingChange, compare_findings
from engine.triage.build_study import OpenedStudy, TriageRequest, open_study
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
    before = triage(old.wanting(one.id for one in found.findings), analyses, report)
    missing = {one.id for one in before.findings} - {one.id for one in found.findings}
    if missing:
        found = triage(opened.study.wanting(missing), analyses, report)
    shared = before.findings
    if not share_draws(opened.study, old):
        shared = tuple(replace(one, draws=None) for one in shared)
    changes = compare_findings(shared, found.findings, request.settings)
    return ComparedTriage(opened, found, before, changes)


def share_draws(one: Study, other: Study) -> bool:
    """Whether what was drawn for two studies belongs together: they have the same clips, and the
    same queries in the same clusters."""
    return (
        one.truth.ids == other.truth.ids
        and np.array_equal(one.sources, other.sources)
        and len(one.asked) == len(other.asked)
        and all(
            ours.mode == theirs.mode
            and ours.queries.names == theirs.queries.names
            and np.array_equal(ours.clusters, theirs.clusters)
            for ours, theirs in zip(one.asked, other.asked, strict=True)
        )
    )
