"""The page: head, the main numbers as tiles, contents, and one section after another."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.html.curves import curves_section
from engine.report.html.queries import worst_section
from engine.report.html.sections import (
    comparison_section,
    evaluated_section,
    slices_section,
    summary_section,
)
from engine.report.html.style import stylesheet
from engine.report.html.tables import Section
from engine.report.html.text import short, text, user
from engine.report.run.clips import Clips
from engine.report.run.findings import Findings, ModeFindings
from engine.report.run.tables import difference
from engine.report.tables.numbers import interval, number, p_value, percent, signed

WORST = 12
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)
"""What a browser may load for the page: nothing but what is in it."""


def report_html(found: Findings, clips: Clips, worst: int = WORST) -> str:
    """The report as one HTML text: the same findings and clips, the same text.

    After it `clips.notes` says what could not be shown.
    """
    found_sections = [
        evaluated_section(found),
        summary_section(found),
        comparison_section(found) if found.comparison else None,
        slices_section(found),
        curves_section(found),
        worst_section(found, clips, worst) if worst else None,
    ]
    sections = [section for section in found_sections if section is not None]
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


def _footer(found: Findings) -> str:
    version = found.run.facts.version
    made = f" The run was made by tui-eval {text(version)}." if version else ""
    return (
        "<footer><p>This file needs no network and runs no script; everything it shows is in it."
        f"{made}</p></footer>"
    )


def tiles(found: Findings) -> str:
    """One tile per mode; nothing if the run has no number of the main metric."""
    shown = "".join(_tile(found, mode) for mode in found.modes)
    return f'<ul class="tiles">{shown}</ul>' if shown else ""


def _tile(found: Findings, mode: ModeFindings) -> str:
    one = next((one for one in mode.summary if one.measure == found.main), None)
    if one is None:
        return ""
    label = text(f"{one.row.label}, {mode.mode} queries")
    level = percent(found.settings.level)
    return (
        f'<li class="tile"><p class="what">{label}</p>'
        f'<p class="formula">{text(f"{one.row.id} = {one.row.formula}")}</p>'
        f'<p class="big">{number(one.row.mean)}</p>'
        f'<p class="more">{level} CI {interval(one.interval)} · n = {one.row.n:,}</p>'
        f"{_against(found, mode)}</li>"
    )


def _against(found: Findings, mode: ModeFindings) -> str:
    if mode.compared is None:
        return ""
    lines = []
    for name in found.baseline_names:
        one = difference(mode.compared, name, found.main)
        before = number(mode.compared.level(name, found.main).value)
        verdict = one.verdict(found.settings.alpha)
        words = (
            f"{verdict} than {user(name)}"
            if one.significant(found.settings.alpha)
            else f"no difference from {user(name)} found"
        )
        lines.append(
            f'<p class="more"><strong>{signed(one.value)}</strong> {words} '
            f"({before}), p&nbsp;{_equals(p_value(one.holm))}</p>"
        )
    return "".join(lines)


def _equals(p: str) -> str:
    return text(p if p.startswith("<") else f"= {p}").replace(" ", "&nbsp;")
