"""The sections with tables: what was evaluated, and how well, alone, compared and by keyword."""

from __future__ import annotations

from dataclasses import replace

from engine.report.html.plots import interval_column, shares_of_one
from engine.report.html.tables import (
    Section,
    html_notes,
    html_table,
    main_metric,
    mode_heading,
)
from engine.report.html.text import text, user
from engine.report.run.findings import Findings, ModeFindings
from engine.report.run.tables import (
    ID,
    KINDS,
    Kind,
    difference_table,
    how_it_was_tested,
    levels_table,
    sentence,
    slices_table,
    summary_table,
)
from engine.report.run.texts import facts_in_words
from engine.report.tables.tabular import Tabular
from engine.results.curves import round_steps


def evaluated_section(found: Findings) -> Section:
    """What was evaluated, and how."""
    items = "".join(f"<dt>{text(k)}</dt><dd>{user(v, 800)}</dd>" for k, v in facts_in_words(found))
    parts = [f'<dl class="facts">{items}</dl>']
    settings = found.settings
    parts.append(
        html_notes(
            [
                "Standard deviations are over queries, with ddof = 1.",
                f"Intervals: bootstrap over queries ({settings.method}, {settings.resamples:,} "
                f"resamples, seed {settings.seed}), level {settings.level:g}.",
            ]
        )
    )
    return Section("method", "What was evaluated", "\n".join(parts))


def summary_section(found: Findings) -> Section:
    """Every number of the run."""
    parts = [
        f"<p>The main metric is {main_metric(found)}: slices and single queries are ordered by "
        "it.</p>"
    ]
    for mode in found.modes:
        shown = summary_table(found, mode)
        drawn = [(one.row.mean, one.interval) for one in mode.summary]
        parts.append(mode_heading(mode, "summary"))
        parts.append(
            html_table(
                shown,
                main=_main_rows(found, shown),
                extra=interval_column(drawn, shares_of_one(mode)),
                extra_at=3,
                caption=False,
            )
        )
    lines = [sentence(note) for note in found.run.results.notes]
    return Section("summary", "Summary", "\n".join([*parts, html_notes(lines)]))


def comparison_section(found: Findings) -> Section:
    """The run and its baselines."""
    parts = [html_notes(how_it_was_tested(found))]
    for mode in found.modes:
        parts.append(mode_heading(mode, "comparison"))
        if mode.compared is None:
            parts.append(f"<p>Not compared: not all systems have {text(mode.mode)} queries.</p>")
            continue
        shown = [
            replace(difference_table(found, mode, name, with_levels=True), notes=())
            for name in found.baseline_names
        ]
        if len(shown) > 1:
            shown.insert(0, replace(levels_table(found, mode), notes=()))
        parts += [html_table(one, main=_main_rows(found, one)) for one in shown]
        parts.append(html_notes([sentence(note) for note in mode.compared.notes]))
    return Section("comparison", "Comparison", "\n".join(parts))


def slices_section(found: Findings) -> Section:
    """The main metric by group and by keyword."""
    parts = [
        f"<p>{main_metric(found)} of the queries that have a keyword, or any keyword of a group. "
        "The worst come first"
        + (", by the difference." if found.comparison else ".")
        + f" Slices with fewer than {found.settings.least_queries} queries say little, and are "
        "marked.</p>"
    ]
    for mode in found.modes:
        parts.append(mode_heading(mode, "slices"))
        if not mode.slices:
            parts.append("<p>No keywords are known.</p>")
            continue
        parts += [_slice_table(found, mode, kind) for kind in KINDS]
        if mode.more_slices:
            parts.append(html_notes([f"{mode.more_slices:,} more slices are not shown."]))
    return Section("slices", "By keyword", "\n".join(parts))


def _slice_table(found: Findings, mode: ModeFindings, kind: Kind) -> str:
    rows = [row for row in mode.slices if row.slice.kind == kind]
    if not rows:
        return ""
    every = [x for r in mode.slices for x in (r.level.value, r.level.interval.high) if x == x]
    top = float(round_steps(0.0, max(every, default=1.0), 2)[-1])  # the same for both tables
    drawn = [(row.level.value, row.level.interval) for row in rows]
    few = [place for place, row in enumerate(rows) if row.few]
    shown = slices_table(found, mode, kind)
    return html_table(shown, few=few, extra=interval_column(drawn, top), extra_at=4)


def _main_rows(found: Findings, shown: Tabular) -> list[int]:
    """The rows of the main metric."""
    column = [column.head for column in shown.columns].index(ID)
    return [n for n, row in enumerate(shown.rows) if row[column].text == str(found.main)]
