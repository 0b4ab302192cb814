"""A triage for the eye: verdicts, where the metric falls short, findings, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from engine.base.messages import pluralise
from engine.base.visible import spell_message
from tui.cli.shared.metric_table import build_headline, format_notes, paint_table
from tui.cli.triage.tables import (
    build_change_lines,
    build_finding_lines,
    build_verdict_lines,
    number_findings,
)
from tui.look.safe import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.triage.saved_queries import ShownQuery
    from engine.triage.saved_triage import SavedFinding, SavedTriage

_NAMES = 19
"""Columns of the name of an analysis with its mode, beside its sentence."""
_FACTS = 28
"""Columns of the names of numbers behind a finding, beside them."""


def build_triage_view(found: SavedTriage, top: int) -> list[RenderableType]:
    """What a person reads first."""
    from engine.report.triage import heading, tables, wording

    proven = wording.choose_findings(found)
    head = build_headline(found.dataset, f"  {found.model} · {wording.describe_asked(found)}")
    measure = heading.describe_measure(found.measure)
    said = [Text(spell_message(measure), style="dim")] if measure else []
    parts: list[RenderableType] = [head, *said, build_verdict_lines(found)]
    parts += format_notes(tables.list_verdict_notes(found), style="dim")
    if found.shortfalls:
        shortfall = tables.build_shortfall_table(found)
        parts += [*_head(shortfall.caption), paint_table(shortfall)]
        parts += format_notes(heading.list_chance_notes(found.shortfalls, found.level))
    parts += _head(wording.write_triage_headline(found), gap=not found.shortfalls)
    if proven:
        parts.append(build_finding_lines(found, proven[:top]))
        parts += _say_rest(len(proven), top, "finding")
    if found.baseline:
        parts += _list_changes(found, top)
    for title, lines in wording.group_other_sentences(found):
        parts += _list_sentences(title, lines)
    notes = heading.list_other_notes(found)
    if notes:
        parts += [Text(""), *format_notes(notes)]
    if found.findings:
        number = number_findings(found)[(proven or found.findings)[0].id]
        hint = f"tui-eval triage show {number} has the evidence of a finding, --json has all"
        count = len(found.findings)
        numbers = f"What is not proven, facts and unknowns are numbered, too: 1 to {count:,}"
        parts += [Text(""), Text(f"{hint}\n{numbers}" if count > 1 else hint, style="dim")]
    return parts


def _head(text: str, *, gap: bool = True) -> list[RenderableType]:
    """A line above what follows; a table before it has left a gap."""
    head = Text(spell_message(text), style="bold")
    return [Text(""), head] if gap else [head]


def _say_rest(count: int, top: int, noun: str) -> list[RenderableType]:
    if count <= top:
        return []
    return [Text(f"{pluralise(count - top, f'further {noun}')} (--top {count} lists all)", "dim")]


def _list_sentences(heading: str, lines: Sequence[tuple[str, str]]) -> list[RenderableType]:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", max_width=_NAMES)
    for name, sentence in lines:
        grid.add_row(name, Text(spell_message(sentence)))
    return [*_head(heading), grid]


def _list_changes(found: SavedTriage, top: int) -> list[RenderableType]:
    from engine.report.triage import wording

    changes = wording.choose_changes(found)
    parts = _head(wording.describe_changes(found))
    if changes:
        parts += [build_change_lines(found, changes[:top])]
        parts += _say_rest(len(changes), top, "change")
        note = wording.note_unsure_changes(found)
        parts += format_notes([note] if note else [], style="dim")
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
    grid.add_column(style="dim", max_width=_FACTS)
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

    about = spell_message(wording.describe_query(found, query))
    head = Text.assemble((escape(query.query), "bold"), f"  {about}")
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right")
    for _ in range(3):
        grid.add_column(overflow="fold")
    for rank, result in enumerate(query.results, 1):
        sign, style = ("hit", "green") if result.hit else ("miss", "red")
        lacks = wording.describe_lack(result)
        clip = Text(escape(result.clip))
        grid.add_row(f"{rank}", Text(sign, style=style), clip, Text(spell_message(lacks)))
    missed = ", ".join(query.missed)
    tail = [Text(f"  missed: {escape(missed)}", style="dim")] if missed else []
    return [head, grid, *tail]
