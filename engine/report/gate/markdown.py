"""A gate as Markdown: for the summary of a CI job, or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from engine.base.messages import pluralise
from engine.base.visible import spell_message
from engine.gate import Check, FindingCheck, Gate, LimitCheck, Regression
from engine.report.gate import wording as words
from engine.report.gate.numbers import spell_p
from engine.report.tables.numbers import format_number, format_signed
from engine.report.tables.report_table import (
    Cell,
    Column,
    as_markdown,
    escape_markdown,
    list_markdown,
    make_table,
)

_COLUMNS = (
    Column("", "left"),
    Column("queries", "left"),
    Column("metric", "left"),
    Column("before"),
    Column("after"),
    Column("change"),
    Column("interval"),
    Column("n"),
    Column("p"),
    Column("corrected p"),
)


def format_gate_markdown(gate: Gate, everything: bool = False) -> str:
    """The verdict, a table of the checks, the worst queries, and how it was decided."""
    return "\n\n".join(_paragraphs(gate, everything)) + "\n"


def _paragraphs(gate: Gate, everything: bool) -> Iterator[str]:
    checks, hidden = words.select_checks(gate, everything)
    yield f"### {escape_markdown(words.write_headline(gate))}"
    yield escape_markdown(spell_message(words.describe_systems(gate)))
    if checks:
        yield as_markdown(make_table(_COLUMNS, [_row(check, gate) for check in checks]))
    said = words.describe_further(hidden)
    said += [words.describe_small_slices(gate)] if gate.few else []
    for check in checks:
        if isinstance(check, Regression) and check.verdict == "underpowered":
            seen = words.describe_power(check, gate.settings)
            said.append(f"{words.name_check(check, gate.language)}: {seen}")
    said += gate.notes
    if said:
        yield list_markdown(said)
    for check in words.choose_worst(checks, everything)[0]:
        name = escape_markdown(spell_message(words.name_check(check, gate.language)))
        worst = list_markdown(map(words.format_query, check.worst))
        yield f"Worst queries of **{name}**:\n\n{worst}"
    failing, further = words.choose_new_findings(checks, everything)
    for check in failing:
        said = [words.describe_check(check, gate), *words.list_evidence(check)]
        yield list_markdown(map(spell_message, said))
    if further:
        rest = pluralise(further, "further finding")
        yield f"{rest} that {_fail(further)}: a line each in the table"
    yield list_markdown(words.list_gate_facts(gate))


def _fail(count: int) -> str:
    return "fails" if count == 1 else "fail"


def _row(check: Check, gate: Gate) -> list[str | Cell]:
    verdict = Cell(words.VERDICTS[check.verdict], best=check.verdict == "fail")
    head: list[str | Cell] = [
        verdict,
        spell_message(words.name_line(check)),
        check.unit if isinstance(check, FindingCheck) else gate.language.label(check.measure),
    ]
    own = check.interval
    if isinstance(check, LimitCheck):
        ends = f"{format_number(own.low)} to {format_number(own.high)}"
        return [*head, "", format_number(check.value), "", ends, f"{check.n:,}", "", ""]
    ends = f"{format_signed(own.low)} to {format_signed(own.high)}"
    return [
        *head,
        format_number(check.before),
        format_number(check.after),
        format_signed(check.gain),
        ends,
        f"{check.n:,}",
        "" if isinstance(check, FindingCheck) else spell_p(check.p),
        spell_p(check.corrected),
    ]
