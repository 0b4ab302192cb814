"""The section with plots: metrics by k, and similarities of hits and misses."""

from __future__ import annotations

from engine.report.html.plots import curves_figure, family_label, highest_share, histogram_figure
from engine.report.html.tables import Section, html_table, mode_heading, mode_title
from engine.report.html.text import slug
from engine.report.run.findings import Findings, ModeFindings
from engine.report.tables.numbers import number
from engine.report.tables.tabular import Column, tabular
from engine.results.curves import (
    FAMILIES,
    MetricByK,
    metric_by_k,
    round_steps,
    similarity_histogram,
)
from engine.results.saved_run import SavedRun


def curves_section(found: Findings) -> Section | None:
    """Both kinds of plots for every mode; None if no results were kept."""
    parts = [part for mode in found.modes for part in _of_mode(found, mode)]
    if not parts:
        return None
    intro = (
        "<p>Computed from the results that the run kept, in their order; over the queries that "
        "count.</p>"
    )
    return Section("curves", "Curves", "\n".join([intro, *parts]))


def _of_mode(found: Findings, mode: ModeFindings) -> list[str]:
    curves = [
        (name, _curve(run, mode.mode))
        for name, run in _systems(found)
        if mode.mode in run.results.modes
    ]
    curves = [(name, curve) for name, curve in curves if len(curve.ks)]
    if not curves:
        return []
    figures = [
        curves_figure(found, family, curves, f"curve-{slug(mode.mode)}-{slug(family)}")
        for family in FAMILIES
    ]
    return [
        mode_heading(mode, "curves"),
        f'<div class="panels">{"".join(figures)}</div>',
        _numbers(found, mode, curves),
        _histograms(found, mode),
    ]


def _curve(run: SavedRun, mode: str) -> MetricByK:
    return metric_by_k(
        run.results,
        mode,
        short=run.results.short,
        min_similarity=run.facts.min_similarity,
    )


def _numbers(found: Findings, mode: ModeFindings, curves: list[tuple[str, MetricByK]]) -> str:
    """What the curves show, to be read."""
    rows = [
        (name, str(k), *(number(curve.of(family)[at]) for family in FAMILIES))
        for name, curve in curves
        for at, k in enumerate(curve.ks.tolist())
    ]
    labels = [Column(family_label(found, family)[0]) for family in FAMILIES]
    columns = (Column("system", "left"), Column("k"), *labels)
    shown = html_table(tabular(columns, rows, f"{mode_title(mode)}, by k"))
    return f"<details><summary>The numbers</summary>{shown}</details>"


def _systems(found: Findings) -> list[tuple[str, SavedRun]]:
    """The run first: it has the first colour, with baselines or without."""
    return [
        (found.name, found.run),
        *zip(found.baseline_names, found.baselines, strict=True),
    ]


def _histograms(found: Findings, mode: ModeFindings) -> str:
    """One per system; all on the same scale, so that they can be looked at together."""
    systems = [(name, run) for name, run in _systems(found) if mode.mode in run.results.modes]
    own = [similarity_histogram(run.results, mode.mode).edges for _, run in systems]
    same = {dict(run.facts.model).get("metric") for _, run in systems}
    edges = round_steps(min(e[0] for e in own), max(e[-1] for e in own), 20)
    bins = edges if len(same) == 1 else 20
    drawn = [similarity_histogram(run.results, mode.mode, bins) for _, run in systems]
    highest = max(map(highest_share, drawn))
    figures = [
        histogram_figure(name, one, highest, f"similarity-{slug(mode.mode)}-{place}")
        for place, ((name, _), one) in enumerate(zip(systems, drawn, strict=True))
    ]
    if not any(figures):
        return ""
    return (
        f'<h4>Similarity of hits and misses</h4><div class="panels wide">{"".join(figures)}</div>'
    )
