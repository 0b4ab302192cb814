"""One search for the eye: the query, its results with their marks, the metrics, what it missed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from engine.base.messages import pluralise
from tui.cli.shared.beside_keywords import describe_beside
from tui.look.safe import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.dataset.collection import Collection
    from engine.keywords.clip_ranks import ClipRanks
    from engine.keywords.inspection import Inspection
    from engine.keywords.judge import Breakdown
    from engine.keywords.typed_relevance import TypedRelevance
    from engine.metrics import Profile
    from engine.results.results import MetricRow

_SHOWN_RANKS = 12
_MARKS = {True: ("✅", "❌"), False: ("[+]", "[-]")}


def build_search_view(
    found: Inspection,
    collection: Collection,
    language: Profile,
    ascii: bool,
    standing: ClipRanks | None = None,
) -> list[RenderableType]:
    """One search for the eye."""
    from engine.report.search.document import collect_search_metrics
    from tui.cli.shared.confusion import draw_confusions

    parts: list[RenderableType] = [_head(found, collection, ascii)]
    for rank, result in enumerate(found.results, start=1):
        other = standing.rank(collection.truth.ids[result.row]) if standing else None
        where = f"#{other} in {standing.model}" if standing and other else ""
        parts += [Text(""), _result(rank, result, collection, ascii, where)]
    parts.append(Text(""))
    rows = collect_search_metrics(found, language)
    if found.evaluation is None:
        why = "No ground truth for this query: similarity only."
        return [*parts, Text(why, "yellow"), _metrics(rows)]
    if not found.relevant:
        asked = "all" if found.policies.relevance == "all" else "any of"
        by_keywords = f"No clip has {asked} these keywords"
        none = by_keywords if found.typed is None else "No clip is relevant"
        return [*parts, Text(f"{none}: no metric is defined.", "yellow")]
    if found.typed is not None:
        parts.append(Text(f"Relevance typed by hand: {_typed_clips(found.typed)}", "yellow"))
    pictures = draw_confusions(rows, ascii=ascii)
    return [*parts, _metrics(rows), *pictures, Text(""), _missed(found)]


def _missed(found: Inspection) -> Text:
    places = found.missed(found.shown).tolist()
    missed = len(places) + found.unranked
    if not missed:
        noun = "source" if found.one_per_source else "clip"
        every = f"All {found.relevant:,} relevant {noun}s are"
        all_of_them = f"The one relevant {noun} is" if found.relevant == 1 else every
        return Text(f"{all_of_them} in the top {found.shown}.")
    ranks = ", ".join(f"{place + 1:,}" for place in places[:_SHOWN_RANKS])
    more = f" … {places[-1] + 1:,}" if len(places) > _SHOWN_RANKS else ""
    deeper = found.describe_unranked("below")
    where = f"at rank {ranks}{more}" if places else ""
    head = f"{missed:,} of {found.relevant:,} relevant below the top {found.shown}"
    return Text(f"{head}, {'; '.join(filter(None, (where, deeper)))}")


def _metrics(rows: Sequence[MetricRow]) -> RenderableType:
    grid = Table.grid(*(Column(no_wrap=True) for _ in range(4)), "", padding=(0, 2))
    for row in rows:
        same = "" if row.id == row.label else row.id
        grid.add_row(row.label, _number(row.mean), _describe_chance(row), same, row.formula)
    return grid


def _describe_chance(row: MetricRow) -> Text:
    """What a random ranking would score, and whether this one is above that; without a level
    nothing."""
    from engine.metrics.chance import describe_chance

    if math.isnan(row.chance):
        return Text("")
    said = describe_chance(_number(row.chance), row.chance_p)
    return Text(said, style="yellow" if row.above_chance is False else "dim")


def _number(value: float) -> str:
    """Three digits, and counts in full.

    >>> _number(2 / 3), _number(1278.0), _number(float("nan"))
    ('0.667', '1,278', '–')
    """
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _typed_clips(typed: TypedRelevance) -> str:
    relevant = sum(grade > 0 for grade in typed.grades)
    graded = ", with grades" if typed.graded else ""
    own = ", without the query clip itself" if typed.left_out is not None else ""
    return f"{pluralise(relevant, 'relevant clip')}{graded}{own}"


def _head(found: Inspection, collection: Collection, ascii: bool) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    grid.add_row("Query", Text(escape(found.query), style="bold"))
    grid.add_row("Means", _meaning(found))
    if found.mapping is not None:
        for line in describe_beside(found.mapping):
            grid.add_row("", Text(line, style="yellow"))
    if found.typed is not None:
        typed = f"{_typed_clips(found.typed)}; keywords are shown, but do not count"
        grid.add_row("Typed", Text(typed, style="yellow"))
    relevant = f"{found.relevant:,} relevant of " if found.evaluation else ""
    least = found.policies.min_similarity
    sources = f" in {pluralise(found.reachable, 'source')}" if found.one_per_source else ""
    rule = "" if found.policies.relevance == "all" else f" · relevance {found.policies.relevance}"
    one_per = " · one per source" if found.one_per_source else ""
    threshold = (
        "" if least is None else f" · threshold: similarity {'>=' if ascii else '≥'} {least:g}"
    )
    grid.add_row(
        "Among",
        escape(
            f"{relevant}{pluralise(len(collection), 'clip')}{sources} · "
            f"model {collection.model.name} · "
            f"{', '.join(found.selection.groups)}{threshold}{rule}{one_per}"
        ),
    )
    return grid


def _meaning(found: Inspection) -> Text:
    if not found.keywords:
        judged = "" if found.typed else ": results are not judged"
        return Text(f"no keyword of the chosen groups{judged}", style="yellow")
    if found.mapping is None:
        return Text(escape(", ".join(keyword.name for keyword in found.keywords)))
    evidence = [
        f'{item.keyword.name} ("{item.ngram}", {item.why} {item.score:.2f})'
        for item in found.mapping.keywords
        if item.keyword in found.keywords
    ]
    mapped = {item.keyword for item in found.mapping.keywords}
    evidence += [f"{word.name} (the clip's)" for word in found.keywords if word not in mapped]
    return Text(escape(", ".join(evidence)))


def _result(
    rank: int, result: Breakdown, collection: Collection, ascii: bool, where: str
) -> RenderableType:
    style = "" if result.retrieved else "dim"
    head = Text(f"#{rank:<3} {result.score:.3f}  ", style=style)
    head.append(escape(collection.truth.ids[result.row]), style="bold" if result.retrieved else "")
    if where:
        head.append(escape(f"  {where}"), style="dim")
    if not result.retrieved:
        head.append("  below the threshold: not retrieved", style="yellow")
    yes, no = _MARKS[not ascii]
    grid = Table.grid(padding=(0, 2))
    for marks in result.groups:
        text = "  ".join(f"{yes if has else no} {keyword.name}" for keyword, has in marks.marks)
        grid.add_row(escape(marks.group.replace("_", " ")), Text(escape(text)), style=style)
    lines: list[RenderableType] = [grid] if result.groups else []
    if result.total or result.grade is not None:
        colour = _colour(result) if result.retrieved else "dim"
        lines.append(Text(f"→ {result.verdict}", style=colour))
    if result.others:
        others = ", ".join(keyword.name for keyword in result.others)
        lines.append(Text(f"also: {escape(others)}", style="dim"))
    return Group(head, Padding(Group(*lines), (0, 0, 0, 5)))


def _colour(result: Breakdown) -> str:
    if result.relevant:
        return "green"
    return "yellow" if result.grade is None and result.matched else "red"
