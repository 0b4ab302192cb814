"""The section with single queries: what was asked, what came back, and why it is a hit or not."""

from __future__ import annotations

from itertools import groupby

from engine.base.messages import make_slug
from engine.base.visible import spell_message
from engine.keywords.judge import Breakdown
from engine.report.html.tables import Section, build_mode_heading, name_main_metric
from engine.report.html.text import cut_html, escape_user, to_html
from engine.report.run.clips import RunClips
from engine.report.run.run_report import RunReport
from engine.report.run.tables import to_sentence
from engine.report.run.worst import QueryDetail, ResultDetail, ResultVerdict, find_worst_queries
from engine.report.tables.numbers import format_number, format_signed

_SIGNS: dict[ResultVerdict, tuple[str, str]] = {
    "hit": ("✅", "hit"),
    "partial match": ("◐", "part"),
    "miss": ("❌", "miss"),
    "not retrieved": ("·", "none"),
}


def build_query_article(found: RunReport, query: QueryDetail, place: int, name: str) -> str:
    """One query as an article with its results as a list."""
    pictured = any(one.picture for one in (*query.results, *query.lost))
    parts = [f'<article class="query" id="{name}" aria-labelledby="{name}-h">']
    parts.append(_header(found, query, place, name))
    if query.picture is not None:
        image = _image(query, "query clip")
        parts.append(f'<div class="queryclip"><p>The query clip</p>{image}</div>')
    if query.results:
        parts.append(_list(found, query.results, query.key.query, pictured))
    else:
        parts.append('<p class="lost">No results were kept.</p>')
    if query.kept > len(query.results):
        parts.append(f'<p class="lost">{query.kept - len(query.results):,} more results were '
                     "kept in the run.</p>")  # fmt: skip
    if query.lost:
        named = escape_user(found.baseline_names[0])
        parts.append(f'<p class="lost">Lost: hits of {named} that are not among these results</p>')
        parts.append(_list(found, query.lost, query.key.query, pictured))
    return "\n".join([*parts, "</article>"])


def _header(found: RunReport, query: QueryDetail, place: int, name: str) -> str:
    again = f" (asked again, {query.key.nth + 1})" if query.key.nth else ""
    asked = escape_user(query.key.query) if query.key.mode == "text" else (
        f"clip <span class=\"mono\">{escape_user(query.key.query)}</span>"
    )  # fmt: skip
    return (
        f'<header><div class="asked"><h4 id="{name}-h">'
        f'<a class="anchor" href="#{name}">{place}. {asked}{again}</a></h4>{_keywords(query)}</div>'
        f'<div class="value">{_value(found, query)}</div></header>'
    )


def _keywords(query: QueryDetail) -> str:
    if not query.keywords:
        return '<p class="chips">no keywords are known</p>'
    pairs = [word.partition(":") for word in query.keywords]
    items = []
    for group, words in groupby(pairs, key=lambda pair: pair[0] if pair[1] else ""):
        names = ", ".join(escape_user(rest if colon else first) for first, colon, rest in words)
        shown = f'<span class="group">{escape_user(_spaced(group))}:</span> ' if group else ""
        items.append(f"<li>{shown}{names}</li>")
    return f'<ul class="chips">{"".join(items)}</ul>'


def _value(found: RunReport, query: QueryDetail) -> str:
    label = name_main_metric(found)
    relevant = f" · {query.relevant:,} relevant" if query.relevant >= 0 else ""
    if query.before is None:
        return f"<strong>{format_number(query.value)}</strong><span>{label}{relevant}</span>"
    change = format_signed(query.value - query.before)
    versus = escape_user(found.baseline_names[0])
    return (
        f"<strong>{format_number(query.before)} → {format_number(query.value)}</strong>"
        f"<span>{label}: {change} from {versus}{relevant}</span>"
    )


def _list(found: RunReport, results: tuple[ResultDetail, ...], query: str, pictured: bool) -> str:
    kind = "results pictured" if pictured else "results"
    items = "\n".join(_item(found, one, pictured) for one in results)
    return f'<ol class="{kind}" aria-label="Results of {to_html(query[:80])}">{items}</ol>'


def _item(found: RunReport, one: ResultDetail, pictured: bool) -> str:
    sign, kind = _SIGNS[one.verdict]
    rank = f"#{one.rank}" if one.rank else "–"
    marks = one.breakdown
    count = f" {marks.matched}/{marks.total}" if marks is not None and marks.total else ""
    where = "" if one.rank else f" in {to_html(found.baseline_names[0][:40])}"
    gain = f" (gain {one.gain:g})" if one.gain not in (0.0, 1.0) else ""
    image = ""
    if pictured:
        none = '<p class="nopicture">no frames</p>'
        image = f"<div>{_image(one) if one.picture else none}</div>"
    return (
        f'<li><div class="rank">{rank}{_before(found, one)}</div>{image}'
        f'<div class="found"><p><span class="verdict {kind}"><span class="sign" '
        f'aria-hidden="true">{sign}</span> {one.verdict}{count}{gain}</span>'
        f'<span class="sim">similarity {one.score:.3f}{where}</span></p>'
        f'<p class="id mono">{escape_user(one.id)}</p>{_marks(one.breakdown)}</div></li>'
    )


def _before(found: RunReport, one: ResultDetail) -> str:
    if one.before is None:
        return ""
    name = to_html(found.baseline_names[0][:40])
    was = f"was #{one.before}" if one.before else "new"
    title = f"rank in {name}" if one.before else f"not among the kept results of {name}"
    return f'<small title="{title}">{was}</small>'


def _image(one: ResultDetail | QueryDetail, what: str = "clip") -> str:
    picture = one.picture
    assert picture is not None
    clip = one.id if isinstance(one, ResultDetail) else one.key.query
    frames = "1 frame" if picture.frames == 1 else f"{picture.frames} frames, first to last,"
    return (
        f'<img class="strip" src="{picture.uri}" width="{picture.width}" '
        f'height="{picture.height}" alt="{frames} of {what} {to_html(clip[:120])}">'
    )


def _marks(marks: Breakdown | None) -> str:
    if marks is None or not marks.total:
        return ""
    items = []
    for group in marks.groups:
        words = "; ".join(
            f'<span class="sign" aria-hidden="true">{"✅" if has else "❌"}</span> '
            f"{'has' if has else 'lacks'} {escape_user(keyword.name)}"
            for keyword, has in group.marks
        )
        items.append(
            f'<li><span class="group">{escape_user(_spaced(group.group))}:</span> {words}</li>'
        )
    if marks.others:
        also = ", ".join(escape_user(keyword.name) for keyword in marks.others)
        items.append(f'<li class="also">also: {also}</li>')
    return f'<ul class="marks">{"".join(items)}</ul>'


def _spaced(group: str) -> str:
    return group.replace("_", " ")


def build_worst_section(found: RunReport, clips: RunClips, worst: int) -> Section:
    """`worst` queries of each mode; before them, what cannot be shown of their clips."""
    shown = [(mode, find_worst_queries(found, mode, worst, clips)) for mode in found.modes]
    parts = [_which_are_shown(found, worst)]
    missing = [spell_message(to_sentence(line)) for line in clips.notes]
    parts += [f'<p class="missing">{cut_html(line)}</p>' for line in missing]
    for mode, queries in shown:
        part = f"query-{make_slug(mode.mode)}"
        parts.append(build_mode_heading(mode, "queries"))
        parts += [
            build_query_article(found, query, place, f"{part}-{place}")
            for place, query in enumerate(queries, start=1)
        ]
        if not queries:
            parts.append("<p>No query counts.</p>")
    name = "Worst regressions" if found.comparison else "Worst queries"
    return Section("queries", name, "\n".join(parts))


def _which_are_shown(found: RunReport, worst: int) -> str:
    label = name_main_metric(found)
    count = f"{worst:,} queries of each mode"
    if found.comparison:
        first = escape_user(found.baseline_names[0])
        return (
            f"<p>The {count} on which {label} fell most against {first}; where it did not fall, "
            "those with the lowest value.</p>"
        )
    return (
        f"<p>The {count} with the lowest {label}; of equal ones those with more relevant clips "
        "first.</p>"
    )
