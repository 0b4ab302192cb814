"""The section with single queries: the worst, or those that fell most."""

from __future__ import annotations

from engine.report.html.queries import query_article
from engine.report.html.section import Section, heading, main_metric, title
from engine.report.html.text import short, slug, user
from engine.report.run.clips import Clips
from engine.report.run.findings import Findings
from engine.report.run.tables import sentence
from engine.report.run.worst import worst_queries


def worst_section(found: Findings, clips: Clips, worst: int) -> Section:
    """`worst` queries of each mode; before them, what cannot be shown of their clips."""
    shown = [(mode, worst_queries(found, mode, worst, clips)) for mode in found.modes]
    parts = [_which_are_shown(found, worst)]
    parts += [f'<p class="missing">{short(sentence(line))}</p>' for line in clips.notes]
    for mode, queries in shown:
        part = f"query-{slug(mode.mode)}"
        parts.append(heading(title(mode), f"queries-{slug(mode.mode)}"))
        parts += [
            query_article(found, query, place, f"{part}-{place}")
            for place, query in enumerate(queries, start=1)
        ]
        if not queries:
            parts.append("<p>No query counts.</p>")
    name = "Worst regressions" if found.comparison else "Worst queries"
    return Section("queries", name, "\n".join(parts))


def _which_are_shown(found: Findings, worst: int) -> str:
    label = main_metric(found)
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
