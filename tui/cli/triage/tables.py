"""The tables of a triage on a terminal: one line each, and as many columns as fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rich.table import Column, Table
from rich.text import Text

from engine.base.visible import spell_message
from engine.report.tables.numbers import format_number, format_p, format_signed
from engine.report.triage.tables import name_finding
from tui.cli.shared.folding import FirstForm, FoldedText
from tui.cli.shared.metric_table import fixed, make_ruled_table, number

if TYPE_CHECKING:
    from rich.console import RenderableType

    from engine.stats import Interval
    from engine.triage.saved_numbers import SavedNumber
    from engine.triage.saved_triage import SavedChange, SavedFinding, SavedTriage

_ANALYSIS = 13
"""Columns of the names of analyses where their modes stand below them: as many as the longest."""

_STYLES = {
    "fine": "green",
    "used but outvoted": "yellow",
    "readable but unused": "bold yellow",
    "not readable": "bold red",
    "not known": "dim",
    "new": "bold red",
    "worse": "red",
    "gone": "green",
    "better": "green",
}


@dataclass(frozen=True, slots=True)
class TableForm:
    """What a table shows beside its texts.

    whole      columns of their own for analyses, units, and what was before
    analyses   a column for analyses, whose modes stand below them; else they stand in the texts
    intervals  behind the numbers
    p          corrected
    """

    whole: bool = False
    analyses: bool = False
    intervals: bool = True
    p: bool = True


_FORMS = (
    (TableForm(whole=True, analyses=True), ""),
    (TableForm(analyses=True), ""),
    (TableForm(), ""),
    (TableForm(intervals=False), "intervals"),
    (TableForm(intervals=False, p=False), "p and intervals"),
)


def _choose_form(make: Callable[[TableForm, int | None], Table]) -> FirstForm:
    return FirstForm([(partial(make, form), lacks) for form, lacks in _FORMS])


def build_verdict_lines(found: SavedTriage) -> FirstForm:
    """A line per keyword group: the verdict, and the three numbers behind it; their intervals, too,
    where that leaves room for the names."""
    forms = ((True, ""), (False, "intervals"))
    return FirstForm([(partial(_make_verdicts, found, shown), lacks) for shown, lacks in forms], 14)


def _make_verdicts(found: SavedTriage, with_intervals: bool, most: int | None) -> Table:
    has_winner = any(one.winner for one in found.verdicts)
    table = make_ruled_table(
        Column("group", max_width=most),
        fixed("verdict"),
        *(number(name) for name in ("readable", "used", "kept")),
        *([Column("wins instead", max_width=most)] if has_winner else []),
        padding=(0, 1, 0, 0),
    )
    rows = [(one.selectivity, one.reliance, one.kept) for one in found.verdicts]
    columns = [_write_numbers(column, with_intervals) for column in zip(*rows, strict=True)]
    for one, numbers in zip(found.verdicts, zip(*columns, strict=True), strict=True):
        winner = FoldedText(spell_message(one.winner.replace("_", " ")))
        table.add_row(
            FoldedText(spell_message(one.label)),
            Text(one.verdict, style=_STYLES.get(one.verdict, "")),
            *numbers,
            *([winner] if has_winner else []),
        )
    return table


def _write_numbers(column: Sequence[SavedNumber], with_intervals: bool) -> list[str]:
    ranges = _align([_write_range(one.interval) if with_intervals else "" for one in column])
    return [format_number(one.value) + ends for one, ends in zip(column, ranges, strict=True)]


def build_finding_lines(found: SavedTriage, findings: Sequence[SavedFinding]) -> FirstForm:
    """A line per finding; the number in front is that by which `triage show` knows it."""
    return _choose_form(partial(_make_findings, found, findings))


def _make_findings(
    found: SavedTriage, findings: Sequence[SavedFinding], form: TableForm, most: int | None
) -> Table:
    places = number_findings(found)
    ranges = _align([_write_range(one.interval) if form.intervals else "" for one in findings])
    table = make_ruled_table(
        number("#"),
        number("severity"),
        *_name_analyses(form),
        Column("about", max_width=most),
        number("effect  [interval]" if form.intervals else "effect"),
        *([Column("unit", max_width=most)] if form.whole else []),
        *([number("p")] if form.p else []),
        padding=(0, 1, 0, 0),
    )
    for one, ends in zip(findings, ranges, strict=True):
        unit = "" if form.whole or one.unit == found.measure else f" {one.unit.split(' ')[0]}"
        table.add_row(
            places[one.id],
            format_number(one.severity),
            *_write_subject(one.analysis, one.mode, name_finding(one), form),
            (format_number(one.effect) + ends + unit).rstrip(),
            *([FoldedText(one.unit)] if form.whole else []),
            *([format_p(one.corrected)] if form.p else []),
        )
    return table


def _name_analyses(form: TableForm) -> list[Column]:
    if not form.analyses:
        return []
    return [fixed("analysis") if form.whole else Column("analysis", max_width=_ANALYSIS)]


def _write_subject(analysis: str, mode: str, about: str, form: TableForm) -> list[RenderableType]:
    """The cells of the analysis and of what it is about, or the one that has both."""
    named = " ".join(filter(None, (analysis, mode)))
    if not form.analyses:
        return [FoldedText(spell_message(f"{named}: {about}"))]
    return [Text(named), FoldedText(spell_message(about))]


def build_change_lines(found: SavedTriage, changes: Sequence[SavedChange]) -> FirstForm:
    """A line per finding that changed since the baseline."""
    return _choose_form(partial(_make_changes, found, changes))


def _make_changes(
    found: SavedTriage, changes: Sequence[SavedChange], form: TableForm, most: int | None
) -> Table:
    places = number_findings(found)
    findings = {one.id: one for one in found.findings}
    ends = [_write_range(one.interval, signs=True) if form.intervals else "" for one in changes]
    table = make_ruled_table(
        fixed(""),
        number("#"),
        *_name_analyses(form),
        Column("about", max_width=most),
        *([number("before → after")] if form.whole else []),
        number("change  [interval]" if form.intervals else "change"),
        *([number("p")] if form.p else []),
        padding=(0, 1, 0, 0),
    )
    for one, interval in zip(changes, _align(ends), strict=True):
        now = findings.get(one.id)
        analysis, _, rest = one.id.partition("/")
        values = f"{format_number(one.before)} → {format_number(one.after)}"
        about = name_finding(now) if now else rest
        table.add_row(
            Text(one.kind, style=_STYLES.get(one.kind, "")),
            places.get(one.id, ""),
            *_write_subject(analysis, now.mode if now else "", about, form),
            *([values] if form.whole else []),
            format_signed(one.difference) + interval,
            *([format_p(one.corrected)] if form.p else []),
        )
    return table


def number_findings(found: SavedTriage) -> dict[str, str]:
    """By which number `triage show` knows a finding."""
    return {one.id: str(place) for place, one in enumerate(found.findings, 1)}


def _write_range(interval: Interval, *, signs: bool = False) -> str:
    if interval.low != interval.low or interval.high != interval.high:
        return ""
    write = format_signed if signs else format_number
    return f"[{write(interval.low)}, {write(interval.high)}]"


def _align(ranges: Sequence[str]) -> list[str]:
    """Behind their numbers, each as wide as the widest."""
    widest = max(map(len, ranges), default=0)
    return [f" {ends:>{widest}}" if widest else "" for ends in ranges]
