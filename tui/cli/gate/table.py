"""A gate for the eye: the verdict first, then a line per check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from engine.base.messages import pluralise
from engine.base.visible import spell_message
from engine.report.gate import wording as words
from engine.report.gate.numbers import spell_p
from engine.report.tables.numbers import format_number, format_signed
from tui.cli.shared.folding import FoldedText
from tui.cli.shared.metric_table import fixed, format_notes, make_ruled_table, number

if TYPE_CHECKING:
    from engine.gate import Check, Gate, Regression

WIDE_GATE = 110
"""Columns from which on a line also has the values before and after, and p."""

_WORDS = {"pass": "pass", "fail": "FAIL", "underpowered": "low power"}
_STYLES = {"pass": "green", "fail": "bold red", "underpowered": "bold yellow"}


class GateTable:
    """The lines of the checks; a narrow terminal gets the numbers that decide."""

    def __init__(self, gate: Gate, checks: list[Check]) -> None:
        self.gate, self.checks = gate, checks

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE_GATE
        table = make_ruled_table(
            fixed("verdict"),
            "check",
            *([number("before → after")] if wide else []),
            number("change  [interval]"),
            number("n"),
            *map(number, ("p", "corr. p") if wide else ("corr. p",)),
            padding=(0, 1, 0, 0),
        )
        for check in self.checks:
            verdict = Text(_WORDS[check.verdict], style=_STYLES[check.verdict])
            table.add_row(
                verdict, FoldedText(spell_message(self._name(check))), *_cells(check, wide)
            )
        yield table

    def _name(self, check: Check) -> str:
        """Without the metric if there is only one: the lines below the table name it."""
        from engine.gate import FindingCheck

        if isinstance(check, FindingCheck):
            return words.name_line(check)
        measures = {check.measure for check in self.checks if not isinstance(check, FindingCheck)}
        one = len(measures) == 1
        label = "" if one else f" {self.gate.language.label(check.measure)}"
        return f"{check.mode}{label} {words.name_part(check)}"


def _cells(check: Check, wide: bool) -> list[str]:
    from engine.gate import FindingCheck, LimitCheck

    own = check.interval
    if isinstance(check, LimitCheck):
        ends = f"[{format_number(own.low)}, {format_number(own.high)}]"
        found = f"{format_number(check.value)} {ends:>16}"
        return [*([""] if wide else []), found, f"{check.n:,}", *[""] * (2 if wide else 1)]
    ends = f"[{format_signed(own.low)}, {format_signed(own.high)}]"
    shown = [f"{format_signed(check.gain)} {ends:>16}", f"{check.n:,}"]
    if wide:
        values = f"{format_number(check.before)} → {format_number(check.after)}"
        p = "" if isinstance(check, FindingCheck) else spell_p(check.p)
        return [values, *shown, p, spell_p(check.corrected)]
    return [*shown, spell_p(check.corrected)]


def build_gate_table(gate: Gate, everything: bool) -> list[RenderableType]:
    """All that a person reads."""
    from engine.gate import Regression

    checks, hidden = words.select_checks(gate, everything)
    verdict, _, rest = words.write_headline(gate).partition(":")
    head = Text(verdict, style=_STYLES[gate.verdict] + " bold")
    head.append(f":{rest}", style="not bold default")
    parts: list[RenderableType] = [head, Text(spell_message(words.describe_systems(gate)))]
    if checks:
        parts.append(GateTable(gate, checks))
    parts += [Text(f"{line} (--all lists them)") for line in words.describe_further(hidden)]
    for check in checks:
        if isinstance(check, Regression) and check.verdict == "underpowered":
            seen = words.describe_power(check, gate.settings)
            parts += format_notes([f"{words.name_check(check, gate.language)}: {seen}"])
    parts += format_notes(
        [note for note in (words.describe_small_slices(gate), *gate.notes) if note]
    )
    lost, further = words.choose_worst(checks, everything)
    for check in lost:
        parts += _worst(check, gate)
    if further:
        rest = pluralise(further, "further check")
        parts += [Text(""), Text(f"--all lists the worst queries of {rest}")]
    failing, further = words.choose_new_findings(checks, everything)
    for one in failing:
        said = [words.describe_check(one, gate), *words.list_evidence(one)]
        parts += [Text(""), *(Text(spell_message(line)) for line in said)]
    if further:
        rest = pluralise(further, "further finding")
        parts += [Text(""), Text(f"--all says {rest} in full")]
    facts = [Text(spell_message(line), style="dim") for line in words.list_gate_facts(gate)]
    return [*parts, Text(""), *facts]


def _worst(check: Regression, gate: Gate) -> list[RenderableType]:
    grid = Table.grid(padding=(0, 2))
    for change in check.worst:
        values, _, query = words.format_query(change).partition("  ")
        grid.add_row("", Text(values), Text(spell_message(query)))
    heading = Text(
        spell_message(f"Worst queries of {words.name_check(check, gate.language)}"), style="bold"
    )
    return [Text(""), heading, grid]
