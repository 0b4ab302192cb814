"""A model with its baseline: the same queries, the same resamples, and what changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.base.progress import ProgressHook
from engine.keywords.workbench import Workbench
from engine.triage.baseline import FindingChange, compare_findings
from engine.triage.build_study import OpenedStudy, TriageRequest, open_study
from engine.triage.registry import find_analyses
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
    before = triage(
        open_study(other, bench, report).study.wanting(one.id for one in found.findings),
        analyses,
        report,
    )
    missing = {one.id for one in before.findings} - {one.id for one in found.findings}
    if missing:
        found = triage(opened.study.wanting(missing), analyses, report)
    changes = compare_findings(before.findings, found.findings, request.settings)
    return ComparedTriage(opened, found, before, changes)
