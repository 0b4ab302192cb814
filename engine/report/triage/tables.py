"""The tables of a triage: verdicts, where the metric falls short, findings, and changes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.report.tables.numbers import format_number, format_p, format_signed
from engine.report.tables.report_table import Column, ReportTable, make_table
from engine.stats import Interval
from engine.triage.saved_numbers import SavedNumber
from engine.triage.saved_pictures import LookPicture
from engine.triage.saved_triage import SavedChange, SavedFinding, SavedTriage, SavedVerdict

_SIGNED_BY_WORDS = ("share", "AUC", "index")
"""Units whose effects are no differences: they are written without a sign."""


def format_range(interval: Interval) -> str:
    """The two ends of an interval, short enough for a cell.

    >>> format_range(Interval(-0.2, 0.05, 0.95)), format_range(Interval(math.nan, math.nan, 0.95))
    ('−0.200 to 0.050', '–')
    """
    if math.isnan(interval.low) or math.isnan(interval.high):
        return "–"
    return f"{format_number(interval.low)} to {format_number(interval.high)}"


def _cell(number: SavedNumber) -> str:
    return format_number(number.value)


def build_verdict_table(found: SavedTriage) -> ReportTable:
    """A line per keyword group: the verdict, and the three numbers behind it."""
    columns = (
        Column("group", "left"),
        Column("verdict", "left"),
        *(
            column
            for name in ("readable", "used", "kept")
            for column in (Column(name), Column("interval"))
        ),
    )
    rows = [
        (
            one.label,
            _name_verdict(one),
            *(
                cell
                for number in (one.selectivity, one.reliance, one.kept)
                for cell in (_cell(number), format_range(number.interval))
            ),
        )
        for one in found.verdicts
    ]
    return make_table(columns, rows, "Verdict per keyword group", list_verdict_notes(found))


VERDICT_NOTES = (
    "readable: AUC of linear probes beyond that of shuffled labels (0 to 0.5)",
    "used: points of its own P@k that erasing the group costs, beyond the control",
    "kept: share of what is possible beyond chance that the results have (1 is best)",
)


def list_verdict_notes(found: SavedTriage) -> tuple[str, ...]:
    """What the columns of the verdicts are, with the metric's own cut-off."""
    return tuple(note.replace("P@k", found.measure) for note in VERDICT_NOTES)


def _name_verdict(one: SavedVerdict) -> str:
    return f"{one.verdict} (by {one.winner.replace('_', ' ')})" if one.winner else one.verdict


def build_shortfall_table(found: SavedTriage) -> ReportTable:
    """A column per mode: the mean, chance and best of m, and what the rest is lost to."""
    modes = found.shortfalls
    columns = (Column("", "left"), *(Column(one.mode) for one in modes))
    lines: list[tuple[str, ...]] = [
        (found.measure, *(format_number(one.mean.value) for one in modes)),
        ("chance", *(format_number(one.chance) for one in modes)),
        ("best possible", *(format_number(one.ceiling) for one in modes)),
    ]
    for place, (cause, _) in enumerate(modes[0].parts if modes else ()):
        values = [one.parts[place][1].value for one in modes]
        if any(value >= 0.0005 for value in values):
            lines.append((f"− {cause}", *map(format_number, values)))
    return make_table(
        columns, lines, f"Where {found.measure} falls short of 1, in parts that add up"
    )


def name_finding(one: SavedFinding) -> str:
    """Its subject in words; the model itself has no name."""
    return one.label or "the model"


def format_effect(one: SavedFinding) -> str:
    """The effect with its unit."""
    return f"{format_number(one.effect)} {one.unit}".strip()


def build_findings_table(found: SavedTriage, findings: Sequence[SavedFinding]) -> ReportTable:
    """A line per finding; the number in front is that by which `triage show` knows it."""
    places = {one.id: place for place, one in enumerate(found.findings, 1)}
    columns = (
        Column("#"),
        Column("severity"),
        Column("analysis", "left"),
        Column("mode", "left"),
        Column("about", "left"),
        Column("effect"),
        Column("interval"),
        Column("p"),
    )
    rows = [
        (
            str(places[one.id]),
            format_number(one.severity),
            one.analysis,
            one.mode or "clips",
            name_finding(one),
            format_effect(one),
            format_range(one.interval),
            format_p(one.corrected),
        )
        for one in findings
    ]
    return make_table(columns, rows, "The worst findings")


def build_changes_table(found: SavedTriage, changes: Sequence[SavedChange]) -> ReportTable:
    """A line per finding that changed since the baseline."""
    columns = (
        Column("", "left"),
        Column("finding", "left"),
        Column(found.baseline),
        Column(found.model),
        Column("change"),
        Column("interval"),
        Column("p"),
    )
    rows = [
        (
            one.kind,
            one.id,
            format_number(one.before),
            format_number(one.after),
            format_signed(one.difference),
            format_range(one.interval),
            format_p(one.corrected),
        )
        for one in changes
    ]
    return make_table(columns, rows, f"Since {found.baseline}")


def build_balance_table(found: LookPicture) -> ReportTable:
    """A line per group, and one of all keywords: what similarity follows more."""
    columns = (
        Column("keywords", "left"),
        Column("partial ρ"),
        Column("index"),
        Column("interval"),
    )
    rows = [
        (
            one.group.replace("_", " ") or "all",
            format_number(one.meaning),
            format_signed(one.index.value),
            format_range(one.index.interval),
        )
        for one in found.balances
    ]
    caption = f"Looks (partial ρ {format_number(found.correlation)}) against keywords"
    return make_table(columns, rows, caption)
