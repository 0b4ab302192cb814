"""The tables of a triage on a terminal: one line each, whatever fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from engine.base.visible import spell_message
from engine.report.tables.numbers import format_number, format_p, format_signed
from tui.cli.shared.metric_table import fixed, folded, make_ruled_table, number

if TYPE_CHECKING:
    from engine.stats import Interval
    from engine.triage.saved_numbers import SavedNumber
    from engine.triage.saved_triage import SavedChange, SavedFinding, SavedTriage

WIDE = 100
"""Columns from which on intervals of verdicts and p-values are shown, too."""

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


def _range(interval: Interval) -> str:
    if interval.low != interval.low or interval.high != interval.high:
        return ""
    return f"[{format_number(interval.low)}, {format_number(interval.high)}]"


class VerdictTable:
    """A line per keyword group: the verdict, and the three numbers behind it."""

    def __init__(self, found: SavedTriage) -> None:
        self.found = found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        numbers = [number(name) for name in ("readable", "used", "kept")]
        table = make_ruled_table(
            folded("group"),
            fixed("verdict"),
            *numbers,
            folded("wins instead"),
            padding=(0, 1, 0, 0),
        )
        for one in self.found.verdicts:
            table.add_row(
                Text(spell_message(one.label)),
                Text(one.verdict, style=_STYLES.get(one.verdict, "")),
                *(_cell(each, wide) for each in (one.selectivity, one.reliance, one.kept)),
                Text(spell_message(one.winner.replace("_", " "))),
            )
        yield table


def _cell(one: SavedNumber, wide: bool) -> str:
    ends = f" {_range(one.interval):>16}" if wide else ""
    return f"{format_number(one.value)}{ends}"


class FindingsTable:
    """A line per finding; the number in front is that by which `triage show` knows it."""

    def __init__(self, found: SavedTriage, findings: Sequence[SavedFinding]) -> None:
        self.findings = findings
        self.places = {one.id: place for place, one in enumerate(found.findings, 1)}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        table = make_ruled_table(
            number("#"),
            number("severity"),
            folded("analysis"),
            folded("about"),
            number("effect  [interval]"),
            folded("unit"),
            *([number("p")] if wide else []),
            padding=(0, 1, 0, 0),
        )
        for one in self.findings:
            table.add_row(
                str(self.places[one.id]),
                format_number(one.severity),
                Text(" ".join(filter(None, (one.analysis, one.mode)))),
                Text(spell_message(one.label or "the model")),
                f"{format_number(one.effect)} {_range(one.interval):>16}",
                Text(one.unit),
                *([format_p(one.corrected)] if wide else []),
            )
        yield table


class ChangesTable:
    """A line per finding that changed since the baseline."""

    def __init__(self, found: SavedTriage, changes: Sequence[SavedChange]) -> None:
        self.found, self.changes = found, changes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        table = make_ruled_table(
            fixed(""),
            folded("finding"),
            *([number("before → after")] if wide else []),
            number("change  [interval]"),
            *([number("p")] if wide else []),
            padding=(0, 1, 0, 0),
        )
        for one in self.changes:
            values = f"{format_number(one.before)} → {format_number(one.after)}"
            table.add_row(
                Text(one.kind, style=_STYLES.get(one.kind, "")),
                Text(spell_message(one.id)),
                *([values] if wide else []),
                f"{format_signed(one.difference)} {_signed_range(one.interval):>16}",
                *([format_p(one.corrected)] if wide else []),
            )
        yield table


def _signed_range(interval: Interval) -> str:
    if interval.low != interval.low or interval.high != interval.high:
        return ""
    return f"[{format_signed(interval.low)}, {format_signed(interval.high)}]"
