"""The tables of a triage on a terminal: one line each, and as many columns as fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text

from engine.base.visible import spell_message
from engine.report.tables.numbers import format_number, format_p, format_signed
from engine.report.triage.tables import name_finding
from tui.cli.shared.metric_table import fixed, folded, make_ruled_table, number

if TYPE_CHECKING:
    from engine.stats import Interval
    from engine.triage.saved_numbers import SavedNumber
    from engine.triage.saved_triage import SavedChange, SavedFinding, SavedTriage

WIDE = 110
"""Columns from which on p-values and what was before are shown, too."""

NARROW = 72
"""Columns below which intervals are left out: `triage show` has them."""

_ANALYSIS = 13
_UNIT = 14
"""Columns of a table that is not wide: as long as the longest word in them."""

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


class TableForms:
    """A table that is made for the width of the terminal."""

    def __init__(self, make: Callable[[int], Table]) -> None:
        self.make = make

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.make(options.max_width)


def build_verdict_lines(found: SavedTriage) -> TableForms:
    """A line per keyword group: the verdict, and the three numbers behind it; their intervals, too,
    where that leaves room for the names."""
    return TableForms(lambda width: _make_verdicts(found, with_intervals=width >= WIDE))


def _make_verdicts(found: SavedTriage, *, with_intervals: bool) -> Table:
    has_winner = any(one.winner for one in found.verdicts)
    table = make_ruled_table(
        folded("group"),
        fixed("verdict"),
        *(number(name) for name in ("readable", "used", "kept")),
        *([folded("wins instead")] if has_winner else []),
        padding=(0, 1, 0, 0),
    )
    rows = [(one.selectivity, one.reliance, one.kept) for one in found.verdicts]
    columns = [_write_numbers(column, with_intervals) for column in zip(*rows, strict=True)]
    for one, numbers in zip(found.verdicts, zip(*columns, strict=True), strict=True):
        table.add_row(
            Text(spell_message(one.label)),
            Text(one.verdict, style=_STYLES.get(one.verdict, "")),
            *numbers,
            *([Text(spell_message(one.winner.replace("_", " ")))] if has_winner else []),
        )
    return table


def _write_numbers(column: Sequence[SavedNumber], with_intervals: bool) -> list[str]:
    ranges = _align([_write_range(one.interval) if with_intervals else "" for one in column])
    return [format_number(one.value) + ends for one, ends in zip(column, ranges, strict=True)]


def build_finding_lines(found: SavedTriage, findings: Sequence[SavedFinding]) -> TableForms:
    """A line per finding; the number in front is that by which `triage show` knows it."""
    return TableForms(partial(_make_findings, found, findings))


def _make_findings(found: SavedTriage, findings: Sequence[SavedFinding], width: int) -> Table:
    wide, narrow = width >= WIDE, width < NARROW
    places = number_findings(found)
    ranges = _align([_write_range(one.interval) for one in findings])
    table = make_ruled_table(
        number("#"),
        number("severity"),
        fixed("analysis") if wide else folded("analysis", width=_ANALYSIS),
        folded("about"),
        number("effect" if narrow else "effect  [interval]"),
        folded("unit") if wide else Column("unit", max_width=_UNIT),
        *([number("p")] if wide else []),
        padding=(0, 1, 0, 0),
    )
    for one, ends in zip(findings, ranges, strict=True):
        table.add_row(
            places[one.id],
            format_number(one.severity),
            Text(" ".join(filter(None, (one.analysis, one.mode)))),
            Text(spell_message(name_finding(one))),
            format_number(one.effect) + ("" if narrow else ends),
            Text(one.unit),
            *([format_p(one.corrected)] if wide else []),
        )
    return table


def build_change_lines(found: SavedTriage, changes: Sequence[SavedChange]) -> TableForms:
    """A line per finding that changed since the baseline."""
    return TableForms(partial(_make_changes, found, changes))


def _make_changes(found: SavedTriage, changes: Sequence[SavedChange], width: int) -> Table:
    wide, narrow = width >= WIDE, width < NARROW
    places = number_findings(found)
    findings = {one.id: one for one in found.findings}
    ranges = _align([_write_range(one.interval, signs=True) for one in changes])
    table = make_ruled_table(
        fixed(""),
        number("#"),
        fixed("analysis") if wide else folded("analysis", width=_ANALYSIS),
        folded("about"),
        *([number("before → after")] if wide else []),
        number("change" if narrow else "change  [interval]"),
        *([number("p")] if wide else []),
        padding=(0, 1, 0, 0),
    )
    for one, ends in zip(changes, ranges, strict=True):
        now = findings.get(one.id)
        analysis, _, rest = one.id.partition("/")
        values = f"{format_number(one.before)} → {format_number(one.after)}"
        table.add_row(
            Text(one.kind, style=_STYLES.get(one.kind, "")),
            places.get(one.id, ""),
            Text(" ".join(filter(None, (analysis, now.mode if now else "")))),
            Text(spell_message(name_finding(now) if now else rest)),
            *([values] if wide else []),
            format_signed(one.difference) + ("" if narrow else ends),
            *([format_p(one.corrected)] if wide else []),
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
