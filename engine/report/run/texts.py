"""The tables of a report as one Markdown or LaTeX text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.report.run.facts import facts_in_words
from engine.report.run.findings import Findings
from engine.report.run.tables import (
    KINDS,
    counts_the_same,
    difference_table,
    levels_table,
    slices_table,
    summary_table,
)
from engine.report.tables.latex import escape_latex
from engine.report.tables.markdown import escape_markdown
from engine.report.tables.tabular import Tabular, as_latex, as_markdown


def report_markdown(found: Findings) -> str:
    """What was evaluated, then every table with its caption and notes."""
    parts = [f"# Evaluation of {escape_markdown(found.name)}"]
    facts = facts_in_words(found)
    parts.append("\n".join(f"- {escape_markdown(f'{k}: {v}')}" for k, v in facts))
    parts += [as_markdown(table) for _, table in _tables(found, for_paper=False)]
    return "\n\n".join(parts) + "\n"


def report_latex(found: Findings) -> str:
    """Every table as a `table` environment with a label; formulas stand below the numbers."""
    facts = (f"% {escape_latex(f'{name}: {value}')}" for name, value in facts_in_words(found))
    head = "\n".join(["% preamble: \\usepackage{booktabs}", *facts])
    parts = [
        _small(as_latex(table, f"tab:{_label(name)}"))
        for name, table in _tables(found, for_paper=True)
    ]
    return "\n\n".join([head, *parts]) + "\n"


def _small(table: str) -> str:
    """A table in small print: a dozen columns of numbers are to fit on a page."""
    small = "  \\centering\\footnotesize\\setlength{\\tabcolsep}{4pt}"
    return table.replace("  \\centering", small, 1)


def _tables(found: Findings, *, for_paper: bool) -> Iterator[tuple[str, Tabular]]:
    """Every table with a name. On paper width is dear: formulas and remarks become notes."""
    formulas = not for_paper
    for mode in found.modes:
        if mode.compared is None or not counts_the_same(mode):
            yield f"summary-{mode.mode}", summary_table(found, mode, formulas=formulas)
        if mode.compared is not None:
            yield f"systems-{mode.mode}", levels_table(found, mode, formulas=formulas)
            for number, name in enumerate(found.baseline_names, start=1):
                table = difference_table(found, mode, name, narrow=for_paper)
                yield f"difference-{mode.mode}-{number}", table
        for kind in KINDS:
            table = slices_table(found, mode, kind, narrow=for_paper)
            if table.rows:
                yield f"{kind}-{mode.mode}", table


def _label(name: str) -> str:
    """A name that LaTeX takes as a label, whatever a mode is called.

    >>> _label("summary-a_b}c")
    'summary-a-b-c'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
