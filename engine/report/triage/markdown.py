"""A triage as Markdown, for a ticket or a pull request."""

from __future__ import annotations

from engine.base.visible import spell_message
from engine.report.tables.report_table import as_markdown, escape_markdown, list_markdown
from engine.report.triage.heading import (
    describe_measure,
    list_chance_notes,
    list_other_notes,
)
from engine.report.triage.tables import (
    build_changes_table,
    build_findings_table,
    build_shortfall_table,
    build_verdict_table,
)
from engine.report.triage.wording import (
    choose_changes,
    choose_findings,
    describe_asked,
    describe_changes,
    group_other_sentences,
    write_remedy,
    write_triage_headline,
)
from engine.triage.saved_triage import SavedTriage


def format_triage_markdown(found: SavedTriage, top: int) -> str:
    """Verdicts, shortfall, the worst findings with their sentences, changes, and the rest."""
    proven = choose_findings(found)[:top]
    title = f"Triage of {found.model} on {found.dataset}"
    parts = [
        f"# {_escape(title)}",
        *map(_escape, filter(None, [describe_asked(found), describe_measure(found.measure)])),
        as_markdown(build_verdict_table(found)),
    ]
    if found.shortfalls:
        parts.append(as_markdown(build_shortfall_table(found)))
        parts += map(_escape, list_chance_notes(found.shortfalls, found.level))
    parts += ["## Findings", _escape(write_triage_headline(found))]
    if proven:
        parts.append(as_markdown(build_findings_table(found, proven)))
        parts.append(
            list_markdown(f"{one.sentence} {write_remedy(one.remedy)}".strip() for one in proven)
        )
    if found.baseline:
        changes = choose_changes(found)[:top]
        parts += [f"## Since {_escape(found.baseline)}", _escape(describe_changes(found))]
        if changes:
            parts.append(as_markdown(build_changes_table(found, changes)))
    for heading, lines in group_other_sentences(found):
        parts += [f"## {heading}", list_markdown(f"{name}: {said}" for name, said in lines)]
    notes = list_other_notes(found)
    if notes:
        parts += ["## Notes", list_markdown(notes)]
    return "\n\n".join(parts)


def _escape(text: str) -> str:
    return escape_markdown(spell_message(text))
