"""The page: head, contents, and one section after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.curves import FAMILIES, metric_by_k, round_steps, similarity_histogram
from engine.report.clips import Clips
from engine.report.facts import facts_in_words
from engine.report.findings import Findings, ModeFindings
from engine.report.html.plots import (
    curves_figure,
    family_label,
    highest_share,
    histogram_figure,
    interval_column,
    shares_of_one,
)
from engine.report.html.queries import query_article
from engine.report.html.style import stylesheet
from engine.report.html.tables import notes, table
from engine.report.html.text import short, slug, text, user
from engine.report.html.tiles import tiles
from engine.report.numbers import number
from engine.report.saved_run import SavedRun
from engine.report.tables import (
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
from engine.report.tabular import Column, Tabular, tabular
from engine.report.worst import worst_queries

WORST = 12
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)
"""What a browser may load for the page: nothing but what is in it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with an entry in its contents."""

    id: str
    title: str
    body: str


def report_html(found: Findings, clips: Clips, worst: int = WORST) -> str:
    """The report as one HTML text: the same findings and clips, the same text.

    After it `clips.notes` says what could not be shown.
    """
    queries = _queries(found, clips, worst)  # first: it finds out what is missing
    sections = [
        _method(found),
        _summary(found),
        *([_comparison(found)] if found.comparison else []),
        _slices(found),
        *_curves(found),
        *([queries] if worst else []),
    ]
    body = "\n".join(map(_section, sections))
    title = f"{found.name}: evaluation report"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="tui-eval">
<title>{short(title)}</title>
<style>
{stylesheet()}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the numbers</a>
{_top(found)}
{_contents(sections)}
<main id="main">
{body}
</main>
{_footer(found)}
</body>
</html>
"""


def _top(found: Findings) -> str:
    facts = found.run.facts
    against = [f"compared with {_listed(found.baseline_names)}"] if found.baseline_names else []
    on = [f"on {user(facts.dataset)}"] if facts.dataset else []
    clips = [f"{facts.clips:,} clips"] if facts.clips is not None else []
    queries = [f"{len(mode.results):,} {text(mode.mode)} queries" for mode in found.modes]
    lead = " · ".join([*on, *against, *clips, *queries])
    return (
        '<header class="top"><p class="kicker">Evaluation report</p>'
        f'<h1>{user(found.name)}</h1><p class="lead">{lead}</p>{tiles(found)}</header>'
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(user, names))


def _contents(sections: Sequence[Section]) -> str:
    items = "".join(f'<li><a href="#{s.id}">{text(s.title)}</a></li>' for s in sections)
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def _section(one: Section) -> str:
    return (
        f'<section aria-labelledby="{one.id}"><h2 id="{one.id}"><a class="anchor" '
        f'href="#{one.id}">{text(one.title)}</a></h2>\n{one.body}\n</section>'
    )


def heading(title: str, name: str) -> str:
    """A heading of a part of a section, with an anchor."""
    return f'<h3 id="{name}"><a class="anchor" href="#{name}">{text(title)}</a></h3>'


def _main_rows(found: Findings, shown: Tabular) -> list[int]:
    """The rows of the main metric."""
    column = [column.head for column in shown.columns].index(ID)
    return [n for n, row in enumerate(shown.rows) if row[column].text == str(found.main)]


def _summary(found: Findings) -> Section:
    main = f"{text(found.language.label(found.main))} ({text(str(found.main))})"
    parts = [f"<p>The main metric is {main}: slices and single queries are ordered by it.</p>"]
    for mode in found.modes:
        shown = summary_table(found, mode)
        drawn = [(one.row.mean, one.interval) for one in mode.summary]
        parts.append(heading(_title(mode), f"summary-{slug(mode.mode)}"))
        parts.append(
            table(
                shown,
                main=_main_rows(found, shown),
                extra=interval_column(drawn, shares_of_one(mode)),
                extra_at=3,
                caption=False,
            )
        )
    lines = [sentence(note) for note in found.run.results.notes]
    return Section("summary", "Summary", "\n".join([*parts, notes(lines)]))


def _title(mode: ModeFindings) -> str:
    return f"{mode.mode.capitalize()} queries"


def _comparison(found: Findings) -> Section:
    parts = [notes(how_it_was_tested(found))]
    for mode in found.modes:
        parts.append(heading(_title(mode), f"comparison-{slug(mode.mode)}"))
        if mode.compared is None:
            parts.append(f"<p>Not compared: not all systems have {text(mode.mode)} queries.</p>")
            continue
        shown = [
            replace(difference_table(found, mode, name, with_levels=True), notes=())
            for name in found.baseline_names
        ]
        if len(shown) > 1:
            shown.insert(0, replace(levels_table(found, mode), notes=()))
        parts += [table(one, main=_main_rows(found, one)) for one in shown]
        parts.append(notes([sentence(note) for note in mode.compared.notes]))
    return Section("comparison", "Comparison", "\n".join(parts))


def _slices(found: Findings) -> Section:
    parts = [
        f"<p>{text(found.language.label(found.main))} ({text(str(found.main))}) of the queries "
        "that have a keyword, or any keyword of a group. The worst come first"
        + (", by the difference." if found.comparison else ".")
        + f" Slices with fewer than {found.settings.least_queries} queries say little, and are "
        "marked.</p>"
    ]
    for mode in found.modes:
        parts.append(heading(_title(mode), f"slices-{slug(mode.mode)}"))
        if not mode.slices:
            parts.append("<p>No keywords are known.</p>")
            continue
        parts += [_slice_table(found, mode, kind) for kind in KINDS]
        if mode.more_slices:
            parts.append(notes([f"{mode.more_slices:,} more slices are not shown."]))
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
    return table(shown, few=few, extra=interval_column(drawn, top), extra_at=4)


def _systems(found: Findings) -> list[tuple[str, SavedRun]]:
    """The run first: it has the first colour, with baselines or without."""
    return [
        (found.name, found.run),
        *zip(found.baseline_names, found.baselines, strict=True),
    ]


def _curves(found: Findings) -> list[Section]:
    """Metrics by k and similarities; no section if no results were kept."""
    parts = []
    for mode in found.modes:
        curves = [
            (
                name,
                metric_by_k(
                    run.results,
                    mode.mode,
                    short="adaptive" if run.facts.adaptive else "fixed",
                    min_similarity=run.facts.min_similarity,
                ),
            )
            for name, run in _systems(found)
            if mode.mode in run.results.modes
        ]
        curves = [(name, curve) for name, curve in curves if len(curve.ks)]
        if not curves:
            continue
        figures = [
            curves_figure(found, family, curves, f"curve-{slug(mode.mode)}-{slug(family)}")
            for family in FAMILIES
        ]
        parts.append(heading(_title(mode), f"curves-{slug(mode.mode)}"))
        parts.append(f'<div class="panels">{"".join(figures)}</div>')
        rows = [
            (name, str(k), *(number(curve.of(f)[at]) for f in FAMILIES))
            for name, curve in curves
            for at, k in enumerate(curve.ks.tolist())
        ]
        labels = [Column(family_label(found, family)[0]) for family in FAMILIES]
        numbers = tabular(
            (Column("system", "left"), Column("k"), *labels), rows, f"{_title(mode)}, by k"
        )
        parts.append(f"<details><summary>The numbers</summary>{table(numbers)}</details>")
        parts.append(_histograms(found, mode))
    if not parts:
        return []
    intro = (
        "<p>Computed from the results that the run kept, in their order; over the queries that "
        "count.</p>"
    )
    return [Section("curves", "Curves", "\n".join([intro, *parts]))]


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


def _queries(found: Findings, clips: Clips, worst: int) -> Section:
    shown = [(mode, worst_queries(found, mode, worst, clips)) for mode in found.modes]
    parts = [_which_are_shown(found, worst)]
    parts += [f'<p class="missing">{short(sentence(line))}</p>' for line in clips.notes]
    for mode, queries in shown:
        part = f"query-{slug(mode.mode)}"
        parts.append(heading(_title(mode), f"queries-{slug(mode.mode)}"))
        parts += [
            query_article(found, query, place, f"{part}-{place}")
            for place, query in enumerate(queries, start=1)
        ]
        if not queries:
            parts.append("<p>No query counts.</p>")
    title = "Worst regressions" if found.comparison else "Worst queries"
    return Section("queries", title, "\n".join(parts))


def _which_are_shown(found: Findings, worst: int) -> str:
    label = f"{text(found.language.label(found.main))} ({text(str(found.main))})"
    count = f"{worst:,} queries of each mode"
    if found.comparison:
        first = user(found.baseline_names[0])
        return (
            f"<p>The {count} on which {label} fell most against {first}; where it did not fall, "
            "those with the lowest value.</p>"
        )
    return (
        f"<p>The {count} with the lowest {label}; of equal ones those with more relevant clips "
        "first.</p>"
    )


def _method(found: Findings) -> Section:
    items = "".join(f"<dt>{text(k)}</dt><dd>{user(v, 2000)}</dd>" for k, v in facts_in_words(found))
    parts = [f'<dl class="facts">{items}</dl>']
    settings = found.settings
    parts.append(
        notes(
            [
                "Standard deviations are over queries, with ddof = 1.",
                f"Intervals: bootstrap over queries ({settings.method}, {settings.resamples:,} "
                f"resamples, seed {settings.seed}), level {settings.level:g}.",
            ]
        )
    )
    return Section("method", "What was evaluated", "\n".join(parts))


def _footer(found: Findings) -> str:
    version = found.run.facts.version
    made = f" The run was made by tui-eval {text(version)}." if version else ""
    return (
        "<footer><p>This file needs no network and runs no script; everything it shows is in it."
        f"{made}</p></footer>"
    )
