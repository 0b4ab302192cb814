"""The findings of a triage as articles: sentence, numbers, what to do, and what shows it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from engine.base.messages import pluralise
from engine.report.html.level_bars import draw_effect
from engine.report.html.tables import build_html_notes
from engine.report.html.text import cut_html, escape_user, to_html
from engine.report.tables.numbers import format_number, format_p
from engine.report.triage.tables import format_effect, format_range, name_finding
from engine.report.triage.wording import describe_lack, describe_query
from engine.results.curves import choose_round_steps
from engine.triage.saved_queries import ShownQuery, ShownResult
from engine.triage.saved_triage import SavedFinding, SavedTriage

_MOST_QUERIES = 4
"""Described of one finding: the document has all of them."""


def build_finding_articles(found: SavedTriage, findings: Sequence[SavedFinding]) -> list[str]:
    """One for each, in their order; effects of one unit are drawn on one scale."""
    limits = _find_limits(findings)
    return [
        _article(found, one, place, limits[one.unit]) for place, one in enumerate(findings, start=1)
    ]


def _find_limits(findings: Iterable[SavedFinding]) -> dict[str, tuple[float, float]]:
    """By unit, round ends that all its effects and intervals lie within."""
    every: dict[str, list[float]] = {}
    for one in findings:
        ends = (one.effect, one.interval.low, one.interval.high, 0.0)
        every.setdefault(one.unit, []).extend(end for end in ends if math.isfinite(end))
    limits = {}
    for unit, known in every.items():
        low, high = min(known), max(known)
        steps = choose_round_steps(low, high if high > low else low + 1.0, 4).tolist()
        limits[unit] = steps[0], steps[-1]
    return limits


def _article(found: SavedTriage, one: SavedFinding, place: int, limits: tuple[float, float]) -> str:
    name = f"triage-finding-{place}"
    about = " · ".join(filter(None, (one.analysis, one.mode)))
    severity = (
        f'<p class="severity">severity <strong>{format_number(one.severity)}</strong> points of '
        f"{to_html(found.measure)}</p>"
    )
    todo = f"<p><strong>What to do:</strong> {cut_html(one.remedy, 800)}</p>" if one.remedy else ""
    return (
        f'<article class="finding" id="{name}" aria-labelledby="{name}-h"><header>'
        f'<h4 id="{name}-h"><a class="anchor" href="#{name}">{place}. '
        f"{escape_user(name_finding(one))}</a></h4>"
        f'<p class="severity">{to_html(about)}</p>{severity}</header>'
        f'<div class="said"><p>{cut_html(one.sentence, 1200)}</p>'
        f'<div class="measured">{_picture(name, one, limits)}{_numbers(one)}</div>{todo}'
        f"{build_html_notes(one.notes)}{_evidence(found, one)}</div></article>"
    )


def _picture(name: str, one: SavedFinding, limits: tuple[float, float]) -> str:
    if not math.isfinite(one.effect):
        return ""
    title = f"Effect of finding: {name_finding(one)}, {one.unit}"
    return draw_effect(f"{name}-effect", title, one.effect, one.interval, limits)


def _numbers(one: SavedFinding) -> str:
    facts = (
        ("effect", f"{format_effect(one)} ({format_range(one.interval)})"),
        ("p, corrected", format_p(one.corrected)),
        ("from", pluralise(one.support, one.support_of)),
    )
    items = "".join(f"<dt>{to_html(k)}</dt><dd>{cut_html(v)}</dd>" for k, v in facts)
    return f"<dl>{items}</dl>"


def _evidence(found: SavedTriage, one: SavedFinding) -> str:
    queries = found.find_queries(one)[:_MOST_QUERIES]
    if not queries and not one.clips:
        return ""
    shown = "".join(_query(found, query) for query in queries)
    parts = f'<ul class="evidence">{shown}</ul>' if queries else ""
    if one.clips:
        named = ", ".join(escape_user(clip) for clip in one.clips[:10])
        parts += f'<p class="clips">Clips: <span class="mono">{named}</span></p>'
    head = f"The queries behind it ({len(queries)} of {len(one.queries):,})"
    return (
        f"<details><summary>{head if queries else 'The clips behind it'}</summary>{parts}</details>"
    )


def _query(found: SavedTriage, query: ShownQuery) -> str:
    results = "".join(map(_result, query.results))
    missed = ", ".join(escape_user(clip) for clip in query.missed)
    tail = f'<p class="without">missed: <span class="mono">{missed}</span></p>' if missed else ""
    return (
        f"<li><p><strong>{escape_user(query.query)}</strong></p>"
        f'<p class="of">{cut_html(describe_query(found, query))}</p><ol>{results}</ol>{tail}</li>'
    )


def _result(result: ShownResult) -> str:
    sign, kind = ("✅", "hit") if result.hit else ("❌", "miss")
    lack = describe_lack(result)
    lacks = f' <span class="without">{cut_html(lack)}</span>' if lack else ""
    return (
        f'<li><span class="verdict {kind}"><span class="sign" aria-hidden="true">{sign}</span> '
        f'{kind}</span> <span class="mono">{escape_user(result.clip)}</span>{lacks}</li>'
    )
