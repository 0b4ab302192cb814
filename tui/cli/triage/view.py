"""A triage for the eye: verdicts, what the metric lacks, the worst findings, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from engine.base.messages import pluralise
from engine.base.visible import spell_message
from tui.cli.shared.metric_table import build_headline, format_notes, paint_table
from tui.cli.triage.tables import ChangesTable, FindingsTable, VerdictTable
from tui.look.safe import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.triage.saved_queries import ShownQuery
    from engine.triage.saved_triage import SavedFinding, SavedTriage


def build_triage_view(found: SavedTriage, top: int) -> list[RenderableType]:
    """What a person reads first."""
    from engine.report.triage import tables, wording

    proven = wording.choose_findings(found)
    head = build_headline(found.dataset, f"  {found.model} · {wording.describe_asked(found)}")
    parts: list[RenderableType] = [head, VerdictTable(found)]
    if found.shortfalls:
        parts.append(paint_table(tables.build_shortfall_table(found)))
    parts += [Text(wording.write_triage_headline(found), style="bold")]
    if proven:
        parts.append(FindingsTable(found, proven[:top]))
        if len(proven) > top:
            rest = pluralise(len(proven) - top, "further finding")
            parts.append(Text(f"{rest} (--top {len(proven)} lists all)", style="dim"))
    if found.baseline:
        parts += _changes(found, top)
    parts += _quiet(wording.list_quiet_analyses(found))
    parts += format_notes(found.notes)
    if proven:
        hint = f"tui-eval triage show {proven[0].id} has the evidence"
        parts += [Text(""), Text(escape(hint), style="dim")]
    return parts


def _quiet(lines: Sequence[tuple[str, str]]) -> list[RenderableType]:
    if not lines:
        return []
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    for name, sentence in lines:
        grid.add_row(name, Text(spell_message(sentence)))
    return [Text(""), Text("Nothing proven by", style="bold"), grid]


def _changes(found: SavedTriage, top: int) -> list[RenderableType]:
    from engine.report.triage import wording

    changes = wording.choose_changes(found)
    parts: list[RenderableType] = [
        Text(""),
        Text(spell_message(wording.describe_changes(found)), style="bold"),
    ]
    if changes:
        parts.append(ChangesTable(found, changes[:top]))
    return parts


def build_finding_view(found: SavedTriage, finding: SavedFinding) -> list[RenderableType]:
    """One finding: the sentence, its numbers, what to do, and the queries behind it."""
    from engine.report.triage import wording

    parts: list[RenderableType] = [
        build_headline(finding.id, f"  {found.model} on {found.dataset}"),
        Text(""),
        Text(spell_message(finding.sentence)),
        Text(""),
    ]
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    for name, value in wording.list_facts(found, finding):
        grid.add_row(name, Text(spell_message(value)))
    parts.append(grid)
    parts += format_notes(finding.notes)
    for query in found.find_queries(finding):
        parts += [Text(""), *_query(found, query)]
    if finding.clips:
        parts += [Text(""), Text("Clips", style="bold")]
        parts += [Text(f"  {escape(clip)}") for clip in finding.clips]
    return parts


def _query(found: SavedTriage, query: ShownQuery) -> Sequence[RenderableType]:
    from engine.report.triage import wording

    head = Text.assemble((escape(query.query), "bold"), f"  {wording.describe_query(found, query)}")
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right")
    for _ in range(3):
        grid.add_column(overflow="fold")
    for rank, result in enumerate(query.results, 1):
        sign, style = ("hit", "green") if result.hit else ("miss", "red")
        lacks = wording.describe_lack(result)
        grid.add_row(f"{rank}", Text(sign, style=style), escape(result.clip), Text(escape(lacks)))
    missed = ", ".join(query.missed)
    tail = [Text(f"  missed: {escape(missed)}", style="dim")] if missed else []
    return [head, grid, *tail]
