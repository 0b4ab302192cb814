"""The page: head, the main numbers as tiles, contents, and one section after another."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.html.queries import build_worst_section
from engine.report.html.sections import (
    build_comparison_section,
    build_curves_section,
    build_evaluated_section,
    build_slices_section,
    build_summary_section,
)
from engine.report.html.style import build_stylesheet
from engine.report.html.tables import Section
from engine.report.html.text import cut_html, escape_user, to_html
from engine.report.run.clips import RunClips
from engine.report.run.run_report import ModeReport, RunReport
from engine.report.run.tables import find_difference
from engine.report.tables.numbers import (
    format_interval,
    format_number,
    format_p,
    format_percent,
    format_signed,
)

WORST_QUERIES = 12
CONTENT_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)
"""What a browser may load for the page: nothing but what is in it."""


def format_report_html(found: RunReport, clips: RunClips, worst: int = WORST_QUERIES) -> str:
    """The report as one HTML text; the same report and clips give the same text.

    After it `clips.notes` says what could not be shown.
    """
    found_sections = [
        build_evaluated_section(found),
        build_summary_section(found),
        build_comparison_section(found) if found.comparison else None,
        build_slices_section(found),
        build_curves_section(found),
        build_worst_section(found, clips, worst) if worst else None,
    ]
    sections = [section for section in found_sections if section is not None]
    body = "\n".join(map(_section, sections))
    title = f"{found.name}: evaluation report"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="tui-eval">
<title>{cut_html(title)}</title>
<style>
{build_stylesheet()}</style>
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


def _top(found: RunReport) -> str:
    facts = found.run.facts
    named = ", ".join(map(escape_user, found.baseline_names))
    against = [f"compared with {named}"] if named else []
    on = [f"on {escape_user(facts.dataset)}"] if facts.dataset else []
    clips = [f"{facts.clips:,} clips"] if facts.clips is not None else []
    queries = [f"{len(mode.results):,} {to_html(mode.mode)} queries" for mode in found.modes]
    lead = " · ".join([*on, *against, *clips, *queries])
    shown = "".join(_tile(found, mode) for mode in found.modes)
    tiles = f'<ul class="tiles">{shown}</ul>' if shown else ""
    return (
        '<header class="top"><p class="kicker">Evaluation report</p>'
        f'<h1>{escape_user(found.name)}</h1><p class="lead">{lead}</p>{tiles}</header>'
    )


def _contents(sections: Sequence[Section]) -> str:
    items = "".join(f'<li><a href="#{s.id}">{to_html(s.title)}</a></li>' for s in sections)
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def _section(one: Section) -> str:
    return (
        f'<section aria-labelledby="{one.id}"><h2 id="{one.id}"><a class="anchor" '
        f'href="#{one.id}">{to_html(one.title)}</a></h2>\n{one.body}\n</section>'
    )


def _footer(found: RunReport) -> str:
    version = found.run.facts.version
    made = f" The run was made by tui-eval {to_html(version)}." if version else ""
    return (
        "<footer><p>This file needs no network and runs no script; everything it shows is in it."
        f"{made}</p></footer>"
    )


def _tile(found: RunReport, mode: ModeReport) -> str:
    one = next((one for one in mode.summary if one.measure == found.main), None)
    if one is None:
        return ""
    label = to_html(f"{one.row.label}, {mode.mode} queries")
    level = format_percent(found.settings.level)
    return (
        f'<li class="tile"><p class="what">{label}</p>'
        f'<p class="formula">{to_html(f"{one.row.id} = {one.row.formula}")}</p>'
        f'<p class="big">{format_number(one.row.mean)}</p>'
        f'<p class="more">{level} CI {format_interval(one.interval)} · n = {one.row.n:,}</p>'
        f"{_against(found, mode)}</li>"
    )


def _against(found: RunReport, mode: ModeReport) -> str:
    if mode.compared is None:
        return ""
    lines = []
    for name in found.baseline_names:
        one = find_difference(mode.compared, name, found.main)
        before = format_number(mode.compared.level(name, found.main).value)
        verdict, p = one.verdict(found.settings.alpha), format_p(one.holm)
        equal = "" if p.startswith("<") else "= "
        lines.append(
            f'<p class="more"><strong>{format_signed(one.value)}</strong> against '
            f"{escape_user(name)} ({before}): {verdict}, "
            f"p&nbsp;{to_html(equal + p).replace(' ', '&nbsp;')}</p>"
        )
    return "".join(lines)
