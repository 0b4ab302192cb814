"""What every page has around its sections: a head that forbids the browser all loading, contents,
and a footer."""

from __future__ import annotations

from collections.abc import Sequence

from engine.report.html.style import build_stylesheet
from engine.report.html.tables import Section
from engine.report.html.text import cut_html, to_html

CONTENT_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)
"""What a browser may load for the page: nothing but what is in it."""


def frame_page(title: str, top: str, sections: Sequence[Section], made: str = "") -> str:
    """A whole page. `top` is HTML; `made` says what made the numbers, as a sentence."""
    body = "\n".join(map(_section, sections))
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
{top}
{_contents(sections)}
<main id="main">
{body}
</main>
{_footer(made)}
</body>
</html>
"""


def _contents(sections: Sequence[Section]) -> str:
    items = "".join(f'<li><a href="#{s.id}">{to_html(s.title)}</a></li>' for s in sections)
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def _section(one: Section) -> str:
    return (
        f'<section aria-labelledby="{one.id}"><h2 id="{one.id}"><a class="anchor" '
        f'href="#{one.id}">{to_html(one.title)}</a></h2>\n{one.body}\n</section>'
    )


def _footer(made: str) -> str:
    said = f" {to_html(made)}" if made else ""
    return (
        "<footer><p>This file needs no network and runs no script; everything it shows is in it."
        f"{said}</p></footer>"
    )
