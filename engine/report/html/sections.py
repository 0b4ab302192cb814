"""The sections with tables and plots: what was evaluated, and how well, alone, compared, by
keyword, by k and by similarity."""

from __future__ import annotations

from dataclasses import replace

from engine.base.messages import make_slug
from engine.compare.slices import SliceKind
from engine.report.html.plots import (
    build_interval_column,
    draw_curves,
    draw_histogram,
    find_common_top,
    find_highest_share,
    name_family,
)
from engine.report.html.tables import (
    Section,
    build_html_notes,
    build_html_table,
    build_mode_heading,
    format_mode_title,
    name_main_metric,
)
from engine.report.html.text import escape_user, to_html
from engine.report.run.keyword_tables import build_keywords_table
from engine.report.run.markdown_and_latex import describe_facts
from engine.report.run.run_report import ModeReport, RunReport
from engine.report.run.tables import (
    ID_COLUMN,
    SLICE_KINDS,
    build_difference_table,
    build_levels_table,
    build_slices_table,
    build_summary_table,
    describe_tests,
    to_sentence,
)
from engine.report.tables.numbers import format_number
from engine.report.tables.report_table import Column, ReportTable, make_table
from engine.results.curves import (
    FAMILIES,
    MetricByK,
    choose_round_steps,
    compute_metric_by_k,
    count_similarities,
)
from engine.results.saved_run import SavedRun


def build_evaluated_section(found: RunReport) -> Section:
    """What was evaluated, and how."""
    items = "".join(
        f"<dt>{to_html(k)}</dt><dd>{escape_user(v, 800)}</dd>" for k, v in describe_facts(found)
    )
    settings = found.settings
    notes = [
        "Standard deviations are over queries, with ddof = 1.",
        f"Intervals of means: bootstrap over queries ({settings.method}, {settings.resamples:,} "
        f"resamples, seed {settings.seed}), level {settings.level:g}.",
    ]
    body = f'<dl class="facts">{items}</dl>\n{build_html_notes(notes)}'
    return Section("method", "What was evaluated", body)


def build_summary_section(found: RunReport) -> Section:
    """Every number of the run."""
    parts = [
        f"<p>The primary metric is {name_main_metric(found)}: slices and single queries are "
        "ordered by it.</p>"
    ]
    for mode in found.modes:
        shown = build_summary_table(found, mode)
        drawn = [(one.row.mean, one.interval) for one in mode.summary]
        extra = build_interval_column(drawn, find_common_top(mode))
        main = _main_rows(found, shown)
        parts.append(build_mode_heading(mode, "summary"))
        parts.append(build_html_table(shown, main=main, extra=extra, extra_at=3, caption=False))
    lines = [to_sentence(note) for note in found.run.results.notes]
    return Section("summary", "Summary", "\n".join([*parts, build_html_notes(lines)]))


def build_comparison_section(found: RunReport) -> Section:
    """The run and its baselines."""
    parts = [build_html_notes(describe_tests(found))]
    for mode in found.modes:
        parts.append(build_mode_heading(mode, "comparison"))
        if mode.compared is None:
            parts.append(f"<p>Not compared: not all systems have {to_html(mode.mode)} queries.</p>")
            continue
        shown = [
            replace(build_difference_table(found, mode, name, with_levels=True), notes=())
            for name in found.baseline_names
        ]
        if len(shown) > 1:
            shown.insert(0, replace(build_levels_table(found, mode), notes=()))
        parts += [build_html_table(one, main=_main_rows(found, one)) for one in shown]
        parts.append(build_html_notes([to_sentence(note) for note in mode.compared.notes]))
    return Section("comparison", "Comparison", "\n".join(parts))


def build_slices_section(found: RunReport) -> Section:
    """The main metric by group and by keyword."""
    first = "The worst come first" + (", by the difference." if found.comparison else ".")
    parts = [
        f"<p>{name_main_metric(found)} of the queries that have a keyword, or any keyword of a "
        f"group. {first} Slices with fewer than {found.settings.least_queries} queries say little, "
        "and are marked.</p>"
    ]
    for mode in found.modes:
        parts.append(build_mode_heading(mode, "slices"))
        if not mode.slices:
            parts.append("<p>No keywords are known.</p>")
            continue
        parts += [_slice_table(found, mode, kind) for kind in SLICE_KINDS]
        if mode.more_slices:
            parts.append(build_html_notes([f"{mode.more_slices:,} more slices are not shown."]))
        alone = build_keywords_table(found, mode)
        parts += [] if alone is None else [build_html_table(alone)]
    return Section("slices", "By keyword", "\n".join(parts))


def _slice_table(found: RunReport, mode: ModeReport, kind: SliceKind) -> str:
    rows = [row for row in mode.slices if row.slice.kind == kind]
    if not rows:
        return ""
    every = [x for r in mode.slices for x in (r.level.value, r.level.interval.high) if x == x]
    top = float(choose_round_steps(0.0, max(every, default=1.0), 2)[-1])  # the same for both tables
    drawn = [(row.level.value, row.level.interval) for row in rows]
    few = [place for place, row in enumerate(rows) if row.few]
    shown = build_slices_table(found, mode, kind)
    return build_html_table(shown, few=few, extra=build_interval_column(drawn, top), extra_at=4)


def _main_rows(found: RunReport, shown: ReportTable) -> list[int]:
    """The rows of the main metric."""
    column = [column.head for column in shown.columns].index(ID_COLUMN)
    return [n for n, row in enumerate(shown.rows) if row[column].text == str(found.main)]


def build_curves_section(found: RunReport) -> Section | None:
    """Both kinds of plots for every mode; None if no results were kept."""
    parts = [part for mode in found.modes for part in _of_mode(found, mode)]
    if not parts:
        return None
    intro = (
        "<p>Computed from the results that the run kept, in their order; over the queries that "
        "count.</p>"
    )
    return Section("curves", "Curves", "\n".join([intro, *parts]))


def _of_mode(found: RunReport, mode: ModeReport) -> list[str]:
    curves = []
    for name, run in _systems(found, mode):
        least = run.facts.min_similarity
        curve = compute_metric_by_k(run.results, mode.mode, min_similarity=least)
        if len(curve.ks):
            curves.append((name, curve))
    if not curves:
        return []
    figures = [
        draw_curves(found, family, curves, f"curve-{make_slug(mode.mode)}-{make_slug(family)}")
        for family in FAMILIES
    ]
    return [
        build_mode_heading(mode, "curves"),
        f'<div class="panels">{"".join(figures)}</div>',
        _numbers(found, mode, curves),
        _histograms(found, mode),
    ]


def _numbers(found: RunReport, mode: ModeReport, curves: list[tuple[str, MetricByK]]) -> str:
    """What the curves show, to be read."""
    rows = [
        (name, str(k), *(format_number(curve.of(family)[at]) for family in FAMILIES))
        for name, curve in curves
        for at, k in enumerate(curve.ks.tolist())
    ]
    labels = [Column(name_family(found, family)[0]) for family in FAMILIES]
    columns = (Column("system", "left"), Column("k"), *labels)
    shown = build_html_table(make_table(columns, rows, f"{format_mode_title(mode)}, by k"))
    return f"<details><summary>The numbers</summary>{shown}</details>"


def _systems(found: RunReport, mode: ModeReport) -> list[tuple[str, SavedRun]]:
    """Those that have the mode; the run first: it has the first colour."""
    every = [(found.name, found.run), *zip(found.baseline_names, found.baselines, strict=True)]
    return [(name, run) for name, run in every if mode.mode in run.results.modes]


def _histograms(found: RunReport, mode: ModeReport) -> str:
    """One per system; all on the same scale, so that they can be looked at together."""
    systems = _systems(found, mode)
    own = [count_similarities(run.results, mode.mode).edges for _, run in systems]
    same = {dict(run.facts.model).get("metric") for _, run in systems}
    edges = choose_round_steps(min(e[0] for e in own), max(e[-1] for e in own), 20)
    bins = edges if len(same) == 1 else 20
    drawn = [count_similarities(run.results, mode.mode, bins) for _, run in systems]
    highest = max(map(find_highest_share, drawn))
    figures = [
        draw_histogram(name, one, highest, f"similarity-{make_slug(mode.mode)}-{place}")
        for place, ((name, _), one) in enumerate(zip(systems, drawn, strict=True))
    ]
    if not any(figures):
        return ""
    return (
        f'<h4>Similarity of hits and misses</h4><div class="panels wide">{"".join(figures)}</div>'
    )
