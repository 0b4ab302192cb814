"""What the page is made of: sections, headings, and tables that scroll so that it never does."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from engine.base.messages import make_slug
from engine.base.visible import spell_message
from engine.report.html.text import cut_html, to_html
from engine.report.run.run_report import ModeReport, RunReport
from engine.report.tables.report_table import Cell, Column, ReportTable

ExtraColumn = Callable[[int], str]

_LONGEST_UNBROKEN = 14


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with an entry in its contents."""

    id: str
    title: str
    body: str


def build_mode_heading(mode: ModeReport, section: str) -> str:
    """The heading of a mode's part of a section, with an anchor."""
    name, title = f"{section}-{make_slug(mode.mode)}", to_html(format_mode_title(mode))
    return f'<h3 id="{name}"><a class="anchor" href="#{name}">{title}</a></h3>'


def format_mode_title(mode: ModeReport) -> str:
    """What the queries of a mode are called."""
    return f"{mode.mode.capitalize()} queries"


def name_main_metric(found: RunReport) -> str:
    """The main metric by its label and id, as HTML."""
    return to_html(f"{found.language.label(found.main)} ({found.main})")


def build_html_table(
    found: ReportTable,
    *,
    main: Collection[int] = (),
    few: Collection[int] = (),
    extra: tuple[str, ExtraColumn] | None = None,
    extra_at: int = 0,
    caption: bool = True,
) -> str:
    """A table with its caption and notes.

    main      rows that stand out
    few       rows that stand back
    extra     the head of one more column, and what stands in its cell of a row, both as HTML
    extra_at  the column before which it stands
    caption   False where a heading says the same: then it is only for those who do not see it
    """
    heads = [_head(column) for column in found.columns]
    if extra is not None:
        heads.insert(extra_at, f'<th scope="col" class="range">{extra[0]}</th>')
    rows = []
    for number, row in enumerate(found.rows):
        cells = [
            _cell(cell, column, first=place == 0)
            for place, (cell, column) in enumerate(zip(row, found.columns, strict=True))
        ]
        if extra is not None:
            cells.insert(extra_at, f'<td class="range">{extra[1](number)}</td>')
        kind = ' class="main"' if number in main else ' class="few"' if number in few else ""
        rows.append(f"<tr{kind}>{''.join(cells)}</tr>")
    body = "\n".join(rows)
    shown = f"<figcaption>{cut_html(found.caption)}</figcaption>" if caption else ""
    # The caption stands outside the box, so that it is not cut where the table is.
    return (
        f'<figure class="table">{shown}'
        f'<div class="scroll" role="region" tabindex="0" aria-label="{cut_html(found.caption)}">'
        f"<table><thead><tr>{''.join(heads)}</tr></thead>\n"
        f"<tbody>{body}</tbody></table></div>{build_html_notes(found.notes)}</figure>"
    )


def build_html_notes(lines: Collection[str]) -> str:
    """What a reader must know, one point each; nothing for none."""
    if not lines:
        return ""
    items = "".join(f"<li>{cut_html(spell_message(line))}</li>" for line in lines)
    return f'<ul class="notes">{items}</ul>'


def _head(column: Column) -> str:
    kinds = ["l"] if column.align == "left" else []
    if len(column.head) <= _LONGEST_UNBROKEN and " " not in column.head:
        kinds.append("name")  # a hyphen in a model's name is no place to break it
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f'<th scope="col"{kind}>{cut_html(column.head)}</th>'


def _cell(cell: Cell, column: Column, first: bool) -> str:
    shown = f"<b>{cut_html(cell.text)}</b>" if cell.best else cut_html(cell.text)
    if cell.mark:
        shown += f"<sup>{to_html(cell.mark)}</sup>"
    if first:
        return f'<th scope="row">{shown}</th>'
    kinds = "l wrap" if len(cell.text) > 60 else "l"
    return f'<td class="{kinds}">{shown}</td>' if column.align == "left" else f"<td>{shown}</td>"
