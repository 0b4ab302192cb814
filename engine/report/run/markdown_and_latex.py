"""A report as one Markdown or LaTeX text: what was evaluated and how, in words, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from engine.base.messages import make_slug
from engine.report.run.keyword_tables import build_keywords_table
from engine.report.run.run_report import RunReport
from engine.report.run.tables import (
    SLICE_KINDS,
    build_difference_table,
    build_levels_table,
    build_slices_table,
    build_summary_table,
    has_same_counts,
)
from engine.report.tables.latex import escape_latex
from engine.report.tables.report_table import ReportTable, as_latex, as_markdown, escape_markdown
from engine.results.saved_run import RunFacts

SHORT_HASH = 12

NamedTable: TypeAlias = tuple[str, ReportTable]
"""A table with the name that labels it."""

_REASONS = {
    "no_keyword": "without a keyword of the chosen groups",
    "no_relevant": "without a relevant clip",
}


def format_report_markdown(found: RunReport, more: Sequence[NamedTable] = ()) -> str:
    """What was evaluated, then every table with its caption and notes; `more` come last."""
    parts = [f"# Evaluation of {escape_markdown(found.name)}"]
    facts = describe_facts(found)
    parts.append("\n".join(f"- {escape_markdown(f'{k}: {v}')}" for k, v in facts))
    parts += [as_markdown(table) for _, table in (*_tables(found, for_paper=False), *more)]
    return "\n\n".join(parts) + "\n"


def format_report_latex(found: RunReport, more: Sequence[NamedTable] = ()) -> str:
    """Every table as a `table` environment with a label; formulas stand below the numbers."""
    facts = (f"% {escape_latex(f'{name}: {value}')}" for name, value in describe_facts(found))
    head = "\n".join(["% preamble: \\usepackage{booktabs}", *facts])
    parts = [
        as_latex(table, f"tab:{make_slug(name)}", small=True)
        for name, table in (*_tables(found, for_paper=True), *more)
    ]
    return "\n\n".join([head, *parts]) + "\n"


def _tables(found: RunReport, *, for_paper: bool) -> Iterator[NamedTable]:
    """Every table with a name. On paper width is dear: formulas and remarks become notes."""
    formulas = not for_paper
    for mode in found.modes:
        if mode.compared is None or not has_same_counts(mode):
            yield f"summary-{mode.mode}", build_summary_table(found, mode, formulas=formulas)
        if mode.compared is not None:
            yield f"systems-{mode.mode}", build_levels_table(found, mode, formulas=formulas)
            for number, name in enumerate(found.baseline_names, start=1):
                table = build_difference_table(found, mode, name, narrow=for_paper)
                yield f"difference-{mode.mode}-{number}", table
        for kind in SLICE_KINDS:
            table = build_slices_table(found, mode, kind, narrow=for_paper)
            if table.rows:
                yield f"{kind}-{mode.mode}", table
        alone = build_keywords_table(found, mode)
        if alone is not None:
            yield f"keyword-at-k-{mode.mode}", alone


def describe_facts(found: RunReport) -> list[tuple[str, str]]:
    """Every fact of the run, as a name and a text; what is not known is not in it."""
    facts = found.run.facts
    pairs = [
        ("dataset", describe_dataset(facts)),
        ("model", describe_model(facts) or found.name),
        ("compared with", ", ".join(found.baseline_names)),
        ("keyword groups", ", ".join(facts.groups)),
        ("K", ", ".join(map(str, facts.ks))),
        ("profile", describe_profile(found)),
        *describe_queries(found),
        ("policies", describe_policies(facts)),
        ("tool", f"tui-eval {facts.version}" if facts.version else ""),
        ("inputs (sha256)", describe_inputs(facts)),
    ]
    return [(name, text) for name, text in pairs if text]


def describe_dataset(facts: RunFacts) -> str:
    clips = "" if facts.clips is None else f", {facts.clips:,} clips"
    return f"{facts.dataset}{clips}" if facts.dataset else ""


def describe_model(facts: RunFacts) -> str:
    """
    >>> describe_model(
    ...     RunFacts(model=(("name", "alfa"), ("metric", "cosine"), ("dimension", "384")))
    ... )
    'alfa (cosine, 384 dimensions)'
    """
    model = dict(facts.model)
    dimension = f"{model['dimension']} dimensions" if model.get("dimension") else ""
    more = ", ".join(filter(None, (model.get("metric"), dimension)))
    return f"{model.get('name', '')} ({more})" if more else model.get("name", "")


def describe_profile(found: RunReport) -> str:
    return f"{found.language.name} ({found.language.about})"


def describe_queries(found: RunReport) -> Iterator[tuple[str, str]]:
    """Per mode: how many were asked and count, and why others do not."""
    facts = found.run.facts
    known = {mode: (source, total, scored) for mode, source, total, scored in facts.queries}
    for mode in found.modes:
        source, total, scored = known.get(mode.mode, ("", len(mode.results), None))
        text = f"{total:,}" + (f" ({source})" if source else "")
        if scored is not None:
            text += f", {scored:,} count"
        for reason, count in ((r, n) for m, r, n in facts.skipped if m == mode.mode):
            text += f"; {count:,} {_REASONS.get(reason, reason)} left out"
        yield f"{mode.mode} queries", text


def describe_policies(facts: RunFacts) -> str:
    """
    >>> describe_policies(RunFacts(policies=(("no_relevant", "skip"), ("std_ddof", "1"))))
    'no relevant: skip; std ddof: 1'
    """
    return "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in facts.policies)


def describe_inputs(facts: RunFacts) -> str:
    return ", ".join(f"{role} {digest[:SHORT_HASH]}" for role, digest in facts.inputs)
