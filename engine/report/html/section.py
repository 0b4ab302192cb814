"""Parts of the page: sections, and the headings inside them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.report.html.text import text
from engine.report.run.findings import Findings, ModeFindings


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with an entry in its contents."""

    id: str
    title: str
    body: str


def heading(title: str, name: str) -> str:
    """A heading of a part of a section, with an anchor."""
    return f'<h3 id="{name}"><a class="anchor" href="#{name}">{text(title)}</a></h3>'


def title(mode: ModeFindings) -> str:
    """What the queries of a mode are called."""
    return f"{mode.mode.capitalize()} queries"


def main_metric(found: Findings) -> str:
    """The main metric by its label and id, as HTML."""
    return text(f"{found.language.label(found.main)} ({found.main})")
