"""The section with plots: metrics by k, and similarities of hits and misses."""

from __future__ import annotations

from engine.report.html.plots import draw_curves, draw_histogram, find_highest_share, name_family
from engine.report.html.tables import Section, html_table, mode_heading, mode_title
from engine.report.html.text import make_slug
from engine.report.run.run_report import ModeReport, RunReport
from engine.report.tables.numbers import format_number
from engine.report.tables.report_table import Column, make_table
from engine.results.curves import (
    FAMILIES,
    MetricByK,
    choose_round_steps,
    compute_metric_by_k,
    count_similarities,
)
from engine.results.saved_run import SavedRun


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
    curves = [
        (name, _curve(run, mode.mode))
        for name, run in _systems(found)
        if mode.mode in run.results.modes
    ]
    curves = [(name, curve) for name, curve in curves if len(curve.ks)]
    if not curves:
        return []
    figures = [
        draw_curves(found, family, curves, f"curve-{make_slug(mode.mode)}-{make_slug(family)}")
        for family in FAMILIES
    ]
    return [
        mode_heading(mode, "curves"),
        f'<div class="panels">{"".join(figures)}</div>',
        _numbers(found, mode, curves),
        _histograms(found, mode),
    ]


def _curve(run: SavedRun, mode: str) -> MetricByK:
    return compute_metric_by_k(
        run.results,
        mode,
        short=run.results.short,
        min_similarity=run.facts.min_similarity,
    )


def _numbers(found: RunReport, mode: ModeReport, curves: list[tuple[str, MetricByK]]) -> str:
    """What the curves show, to be read."""
    rows = [
        (name, str(k), *(format_number(curve.of(family)[at]) for family in FAMILIES))
        for name, curve in curves
        for at, k in enumerate(curve.ks.tolist())
    ]
    labels = [Column(name_family(found, family)[0]) for family in FAMILIES]
    columns = (Column("system", "left"), Column("k"), *labels)
    shown = html_table(make_table(columns, rows, f"{mode_title(mode)}, by k"))
    return f"<details><summary>The numbers</summary>{shown}</details>"


def _systems(found: RunReport) -> list[tuple[str, SavedRun]]:
    """The run first: it has the first colour, with baselines or without."""
    return [
        (found.name, found.run),
        *zip(found.baseline_names, found.baselines, strict=True),
    ]


def _histograms(found: RunReport, mode: ModeReport) -> str:
    """One per system; all on the same scale, so that they can be looked at together."""
    systems = [(name, run) for name, run in _systems(found) if mode.mode in run.results.modes]
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
