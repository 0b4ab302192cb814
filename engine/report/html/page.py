"""The page of a run: the main numbers as tiles, and one section after another."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.html.frame import frame_page
from engine.report.html.queries import build_worst_section
from engine.report.html.sections import (
    build_comparison_section,
    build_curves_section,
    build_evaluated_section,
    build_slices_section,
    build_summary_section,
)
from engine.report.html.tables import Section
from engine.report.html.text import escape_user, to_html
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


def format_report_html(
    found: RunReport,
    clips: RunClips,
    worst: int = WORST_QUERIES,
    more: Sequence[Section] = (),
) -> str:
    """The report as one HTML text; the same report and clips give the same text.

    After it `clips.notes` says what could not be shown. `more` is what else is known of the run;
    it stands before the single queries.
    """
    found_sections = [
        build_evaluated_section(found),
        build_summary_section(found),
        build_comparison_section(found) if found.comparison else None,
        build_slices_section(found),
        build_curves_section(found),
        *more,
        build_worst_section(found, clips, worst) if worst else None,
    ]
    sections = [section for section in found_sections if section is not None]
    version = found.run.facts.version
    made = f"The run was made by tui-eval {version}." if version else ""
    return frame_page(f"{found.name}: evaluation report", _top(found), sections, made)


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
