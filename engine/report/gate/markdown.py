"""A gate as Markdown: for the summary of a CI job, or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from engine.gate import Check, Gate, LimitCheck, Regression
from engine.report.gate import wording as words
from engine.report.tables.markdown import escape_markdown
from engine.report.tables.numbers import number, signed
from engine.report.tables.tabular import Cell, Column, as_markdown, tabular

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
    Column("Holm"),
)


def gate_markdown(gate: Gate, everything: bool = False) -> str:
    """The verdict, a table of the checks, the worst queries, and how it was decided."""
    return "\n\n".join(_paragraphs(gate, everything)) + "\n"


def _paragraphs(gate: Gate, everything: bool) -> Iterator[str]:
    checks, hidden = words.checks_to_read(gate, everything)
    yield f"### {escape_markdown(words.headline(gate))}"
    yield escape_markdown(words.systems(gate))
    yield as_markdown(tabular(_COLUMNS, [_row(check, gate) for check in checks]))
    said = [words.further_words(hidden)] if hidden else []
    said += [words.few_words(gate)] if gate.few else []
    for check in checks:
        if isinstance(check, Regression) and check.verdict == "underpowered":
            seen = words.could_have_seen(check, gate.settings)
            said.append(f"{words.title(check, gate.language)}: {seen}")
    said += gate.notes
    if said:
        yield "\n".join(f"- {escape_markdown(line)}" for line in said)
    lost, _ = words.with_worst(checks, everything)
    yield from (_worst(check, gate) for check in lost)
    facts = [*words.metric_lines(gate), words.method(gate)]
    yield "\n".join(f"- {escape_markdown(line)}" for line in facts)


def _row(check: Check, gate: Gate) -> list[str | Cell]:
    verdict = Cell(words.VERDICTS[check.verdict], best=check.verdict == "fail")
    head: list[str | Cell] = [
        verdict,
        f"{check.mode}: {words.part(check)}",
        gate.language.label(check.measure),
    ]
    own = check.interval
    if isinstance(check, LimitCheck):
        ends = f"{number(own.low)} to {number(own.high)}"
        return [*head, "", number(check.value), "", ends, f"{check.n:,}", "", ""]
    ends = f"{signed(own.low)} to {signed(own.high)}"
    return [
        *head,
        number(check.before),
        number(check.after),
        signed(check.gain),
        ends,
        f"{check.n:,}",
        words.p_text(check.p),
        words.p_text(check.holm),
    ]


def _worst(check: Regression, gate: Gate) -> str:
    lines = [f"Worst queries of **{escape_markdown(words.title(check, gate.language))}**:", ""]
    lines += [f"- {escape_markdown(words.query_line(change))}" for change in check.worst]
    return "\n".join(lines)
