"""A triage beside the run that it explains: whether it is of the same model, and its tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from engine.base.errors import InputError
from engine.base.messages import fit_on_line
from engine.report.run.markdown_and_latex import NamedTable
from engine.report.triage.tables import (
    build_changes_table,
    build_findings_table,
    build_shortfall_table,
    build_verdict_table,
)
from engine.report.triage.wording import choose_changes, choose_findings
from engine.results.saved_run import RunFacts
from engine.triage.saved_triage import SavedTriage

MOST_FINDINGS = 10
"""Findings and changes in a report."""


def check_triage_fits(found: SavedTriage, facts: RunFacts) -> None:
    """Refuse a triage of another model or dataset. What a run does not say fits everything."""
    model = dict(facts.model).get("name", "")
    named = f" --model {shlex.quote(model)}" if model else ""
    pairs = (
        ("model", found.model, model),
        ("dataset", found.dataset, facts.dataset),
    )
    for what, name, other in pairs:
        if other and name != other:
            raise InputError(
                f"this triage is of the {what} {fit_on_line(name)}, the run of "
                f"{fit_on_line(other)}",
                found.document.place,
                hint=f"triage the {what} of the run: tui-eval triage{named} --out triage.json",
            )
    own = dict(found.document.part("inputs").named()).get("annotations")
    known = facts.input("annotations")
    if own is not None and known is not None and own["sha256"].text() != known:
        raise InputError(
            "the annotations of this triage are not those of the run",
            found.document.place,
            hint="run and triage the dataset as it is now",
        )


def list_triage_tables(found: SavedTriage, top: int = MOST_FINDINGS) -> Iterator[NamedTable]:
    """The tables of a triage, each with its name; of nothing there is none."""
    if found.verdicts:
        yield "triage-verdicts", build_verdict_table(found)
    if found.shortfalls:
        yield "triage-shortfall", build_shortfall_table(found)
    proven = choose_findings(found)[:top]
    if proven:
        yield "triage-findings", build_findings_table(found, proven)
    changes = choose_changes(found)[:top]
    if changes:
        yield "triage-changes", build_changes_table(found, changes)
