"""A triage as sections of a page: what is the matter with each group, where the metric falls short,
what
was found, and the pictures behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.base.messages import make_slug, pluralise
from engine.base.visible import spell_message
from engine.report.html.tables import Section, build_html_notes, build_html_table
from engine.report.html.text import cut_html, to_html
from engine.report.triage import drawings
from engine.report.triage.beside_run import MOST_FINDINGS
from engine.report.triage.finding_articles import build_finding_articles
from engine.report.triage.heading import (
    describe_measure,
    list_chance_notes,
    list_other_notes,
)
from engine.report.triage.tables import (
    build_balance_table,
    build_changes_table,
    build_shortfall_table,
    build_verdict_table,
)
from engine.report.triage.wording import (
    choose_changes,
    choose_findings,
    describe_asked,
    describe_changes,
    group_other_sentences,
    write_triage_headline,
)
from engine.triage.saved_pictures import TriagePictures, parse_pictures
from engine.triage.saved_triage import SavedTriage


def build_triage_sections(found: SavedTriage, top: int) -> tuple[Section, ...]:
    """The sections of a triage; of what was not carried out there is none. At most `top` findings
    and changes are shown."""
    pictures = parse_pictures(found.document.optional("pictures"))
    return tuple(_build_sections(found, pictures, top))


def join_sections(sections: Sequence[Section], lead: str) -> Section:
    """All of them as one section of a larger page; `lead` is HTML."""
    parts = [
        f'<h3 id="{one.id}"><a class="anchor" href="#{one.id}">{to_html(one.title)}</a></h3>\n'
        f"{one.body}"
        for one in sections
    ]
    return Section("triage", "Triage", "\n".join([lead, *parts]))


def build_triage_chapter(found: SavedTriage, top: int = MOST_FINDINGS) -> Section:
    """The triage as one section of a run's report."""
    which = f"{found.model} on {found.dataset}: {describe_asked(found)}."
    measure = describe_measure(found.measure)
    lead = f"<p>{cut_html(spell_message(which))} {cut_html(measure)}</p>"
    return join_sections(build_triage_sections(found, top), lead)


def _build_sections(found: SavedTriage, pictures: TriagePictures, top: int) -> Iterator[Section]:
    if found.verdicts:
        yield Section("triage-verdicts", "Verdicts", _verdicts(found))
    if found.shortfalls:
        yield Section(
            "triage-shortfall", f"Where {found.measure} falls short of 1", _shortfall(found)
        )
    yield Section("triage-findings", "Findings", _findings(found, top))
    yield from _draw_pictures(found, pictures)
    if found.baseline:
        title = f"Since {found.baseline}"
        yield Section("triage-changes", title, _changes(found, top))
    for heading, lines in group_other_sentences(found):
        yield Section(make_slug(f"triage {heading}"), heading, _describe_lines(lines))
    notes = list_other_notes(found)
    if notes:
        yield Section("triage-notes", "Notes", build_html_notes(notes))


def _draw_pictures(found: SavedTriage, pictures: TriagePictures) -> Iterator[Section]:
    if pictures.looks is not None:
        body = drawings.draw_looks(pictures.looks)
        if pictures.looks.balances:
            body += build_html_table(build_balance_table(pictures.looks))
        yield Section("triage-looks", "Looks against meaning", body)
    if pictures.substitutions:
        drawn = [
            drawings.draw_substitutions(one, place)
            for place, one in enumerate(pictures.substitutions, start=1)
        ]
        signs = drawings.explain_signs(drawings.SUBSTITUTION_SIGNS)
        yield Section("triage-instead", "What comes instead", "\n".join([signs, *drawn]))
    if pictures.slices:
        bars = "".join(
            drawings.draw_slices(one, found.measure, place)
            for place, one in enumerate(pictures.slices, start=1)
        )
        signs = drawings.explain_signs(drawings.SLICE_SIGNS)
        yield Section("triage-slices", "Slices", f'{signs}<div class="panels two">{bars}</div>')
    if pictures.reliance is not None:
        signs = drawings.explain_signs(drawings.RELIANCE_SIGNS)
        drawn_table = drawings.draw_reliance(pictures.reliance, found.measure)
        title = "What the similarity relies on"
        yield Section("triage-relies", title, f"{signs}{drawn_table}")


def _verdicts(found: SavedTriage) -> str:
    return build_html_table(build_verdict_table(found), caption=False) + _list_sentences(
        [one.sentence for one in found.verdicts]
    )


def _shortfall(found: SavedTriage) -> str:
    bars = "".join(
        drawings.draw_shortfall(one, found.measure, place)
        for place, one in enumerate(found.shortfalls, start=1)
    )
    table = build_html_table(build_shortfall_table(found))
    said = build_html_notes(list_chance_notes(found.shortfalls, found.level))
    return (
        f'<div class="panels two">{bars}</div>{said}'
        f"<details><summary>The numbers</summary>{table}</details>"
    )


def _findings(found: SavedTriage, top: int) -> str:
    proven = choose_findings(found)
    parts = [f"<p>{cut_html(write_triage_headline(found))}.</p>"]
    parts += build_finding_articles(found, proven[:top])
    if len(proven) > top:
        rest = pluralise(len(proven) - top, "further finding")
        parts.append(f"<p>{rest}: see the document of the triage.</p>")
    return "\n".join(parts)


def _changes(found: SavedTriage, top: int) -> str:
    changes = choose_changes(found)
    parts = [f"<p>{cut_html(spell_message(describe_changes(found)))}</p>"]
    if changes:
        parts.append(build_html_table(build_changes_table(found, changes[:top]), caption=False))
    if len(changes) > top:
        parts.append(f"<p>{pluralise(len(changes) - top, 'further change')}.</p>")
    return "\n".join(parts)


def _describe_lines(lines: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f"<dt>{cut_html(spell_message(name))}</dt><dd>{cut_html(spell_message(said), 1200)}</dd>"
        for name, said in lines
    )
    return f'<dl class="facts">{items}</dl>'


def _list_sentences(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{cut_html(spell_message(one), 1200)}</li>" for one in sentences)
    return f'<ul class="sentences">{items}</ul>'
