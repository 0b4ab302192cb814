"""A triage as one HTML page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from engine.report.html.frame import frame_page
from engine.report.html.text import escape_user, to_html
from engine.report.tables.numbers import format_number, format_percent
from engine.report.triage.chapter import build_triage_sections
from engine.report.triage.heading import describe_measure
from engine.report.triage.tables import format_range
from engine.report.triage.wording import choose_findings, describe_asked, write_triage_headline
from engine.triage.saved_triage import SavedShortfall, SavedTriage


def format_triage_page(found: SavedTriage, top: int) -> str:
    """The page of a triage, with at most `top` findings and changes; the same triage gives the
    same text."""
    sections = build_triage_sections(found, top)
    title = f"{found.model} on {found.dataset}: triage"
    version = found.document.part("tool").part("version")
    made = "" if version.null else f"The triage was made by tui-eval {version.text()}."
    return frame_page(title, _top(found), sections, made)


def _top(found: SavedTriage) -> str:
    against = [f"compared with {escape_user(found.baseline)}"] if found.baseline else []
    lead = " · ".join([to_html(describe_asked(found)), *against])
    tiles = "".join(_tile(found, one) for one in found.shortfalls) + _count(found)
    return (
        '<header class="top"><p class="kicker">Triage</p>'
        f"<h1>{escape_user(found.model)} on {escape_user(found.dataset)}</h1>"
        f'<p class="lead">{lead}</p><p>{to_html(describe_measure(found.measure))}</p>'
        f'<ul class="tiles">{tiles}</ul></header>'
    )


def _tile(found: SavedTriage, one: SavedShortfall) -> str:
    level = format_percent(found.level)
    return (
        f'<li class="tile"><p class="what">{to_html(f"{found.measure}, {one.mode} queries")}</p>'
        f'<p class="big">{format_number(one.mean.value)}</p>'
        f'<p class="more">{level} CI {format_range(one.mean.interval)} · n = {one.queries:,}</p>'
        f'<p class="more">chance {format_number(one.chance)}, best possible '
        f"{format_number(one.ceiling)}</p></li>"
    )


def _count(found: SavedTriage) -> str:
    proven = len(choose_findings(found))
    return (
        f'<li class="tile"><p class="what">Findings</p><p class="big">{proven:,}</p>'
        f'<p class="more">{to_html(write_triage_headline(found))}</p></li>'
    )
