"""Carrying out a triage for the command line: one model, or two that are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.base.errors import InputError
from engine.base.messages import list_names
from tui.cli.shared.console import make_progress_bars, open_workbench

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.triage.build_study import TriageRequest


def carry_out(request: TriageRequest, opened: Dataset, baseline: str | None) -> dict[str, Any]:
    """The document of a triage, with what changed since the baseline if one is named."""
    from engine.report.triage.document import build_triage_document
    from engine.triage.compare_models import triage_models
    from tui.opening.source import dump_source

    model = opened.model(request.run.model).name
    if baseline is not None and opened.model(baseline).name == model:
        others = [name for name in opened.models if name != model]
        raise InputError(
            f"{model} would be compared with itself",
            hint=f"name another model: {list_names(others) or 'the dataset has no other'}",
        )
    request = replace(request, run=replace(request.run, model=model))
    with open_workbench(opened) as bench, make_progress_bars() as report:
        done = triage_models(request, bench, baseline, report)
        return build_triage_document(
            done.opened,
            done.triage,
            source=dump_source(opened),
            baseline=baseline,
            changes=done.changes,
        )
