"""`tui-eval search`: one query, its ranked results, and which keywords each has or lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InputError
from tui.cli import options as o
from tui.cli.console import (
    Format,
    as_json,
    choose_format,
    show,
    tell_that_the_encoder_starts,
    telling_what_takes_long,
    write_out,
)
from tui.cli.dataset_options import DatasetOption, takes_a_dataset
from tui.safe import safe
from tui.words import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from engine.collection import Collection
    from engine.dataset import Dataset
    from engine.evaluate import Evaluation
    from engine.inspection import Inspection
    from engine.judge import Breakdown
    from engine.metrics import Profile
    from engine.workbench import Standing

_SHOWN_RANKS = 12
_MARKS = {True: ("✅", "❌"), False: ("[+]", "[-]")}


@takes_a_dataset
def search(
    opened: Dataset,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to look for.", show_default=False)
    ] = None,
    video: Annotated[
        str | None,
        typer.Option("--video", "-v", help="Search with this clip instead.", show_default=False),
    ] = None,
    dataset: DatasetOption = None,
    model: o.ModelOption = None,
    groups: o.GroupsOption = None,
    keywords: o.KeywordsOption = None,
    k: o.KOption = "1,3,5",
    profile: o.ProfileOption = "alfa",
    metrics: o.SearchMetricsOption = None,
    min_similarity: o.MinSimilarityOption = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Also show each result's rank in this model.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        Format | None, typer.Option("--format", help="Default: table.", show_default=False)
    ] = None,
    json: o.JsonOption = False,
    ascii: o.AsciiOption = False,
) -> None:
    """Search with a text or a clip and show, per result, the keywords it has and lacks.

    [bold]Examples[/bold]

    tui-eval search "cyclist entering ego lane"

    tui-eval search --video urban_bicyclist_0002 --k 1,5,10

    tui-eval search "truck at night" --groups all --min-similarity 0.3 --json

    tui-eval search "person crossing the street" --against alfa-0.2
    """
    from engine.encoder import SentenceEncoder
    from engine.metrics import parse_measures
    from engine.metrics import profile as profile_named
    from engine.queries import check_text
    from engine.question import Question
    from engine.report.search import search_csv, search_document
    from engine.run import choose_selection
    from engine.workbench import Workbench

    if (text is None) == (video is None):
        raise InputError(
            "search needs a text or --video ID, and not both",
            hint='write tui-eval search "cyclist entering ego lane"',
        )
    shape = choose_format(format, json, None)
    if text is not None:
        check_text(text)
    language, ks = profile_named(profile), o.parse_ks(k)
    names = o.split_metrics(metrics)
    # The first family that the profile reports; `--metrics` asks for more.
    measures = parse_measures(names, language) if names else language.measures(ks)[: len(ks)]
    with (
        SentenceEncoder(on_start=tell_that_the_encoder_starts) as encoder,
        Workbench(opened, encoder) as bench,
    ):
        collection = bench.collection(model)
        rival = opened.model(against).name if against else None
        truth = collection.truth
        selection = choose_selection(
            opened, truth, o.resolve_groups(groups, opened), o.split_list(keywords)
        )
        question = Question(
            mode="text" if video is None else "video",
            query=(text or "") if video is None else video,
            model=collection.model.name,
            groups=selection.groups,
            left_out=tuple(
                str(word) for word in truth.vocabulary(selection.groups) if word not in selection
            ),
            min_similarity=min_similarity,
        )
        with telling_what_takes_long("searching"):
            found = bench.ask_whole(question, measures, ks[-1])
            standing = bench.standing(question, rival) if rival else None
    if shape == "json":
        write_out(as_json(search_document(found, collection, language, standing)))
    elif shape == "csv":
        write_out(safe(search_csv(found, collection), keep="\n\t"))
    else:
        show(*search_view(found, collection, language, ascii, standing))


def search_view(
    found: Inspection,
    collection: Collection,
    language: Profile,
    ascii: bool,
    standing: Standing | None = None,
) -> list[RenderableType]:
    """One search for the eye."""
    from rich.text import Text

    parts: list[RenderableType] = [_head(found, collection)]
    for rank, result in enumerate(found.results, start=1):
        other = standing.rank(collection.truth.ids[result.row]) if standing else None
        where = f"#{other} in {standing.model}" if standing and other else ""
        parts += [Text(""), _result(rank, result, collection, ascii, where)]
    parts.append(Text(""))
    if found.evaluation is None:
        return parts[:-1]
    if not found.relevant:
        parts.append(Text("No clip has all these keywords: no metric is defined.", "yellow"))
        return parts
    return [*parts, _metrics(found.evaluation, language), Text(""), _missed(found)]


def _missed(found: Inspection) -> Text:
    from rich.text import Text

    places = found.missed(found.shown).tolist()
    missed = len(places) + found.unranked
    if not missed:
        return Text(f"All {found.relevant:,} relevant clips are in the top {found.shown}.")
    ranks = ", ".join(f"{place + 1:,}" for place in places[:_SHOWN_RANKS])
    more = f" … {places[-1] + 1:,}" if len(places) > _SHOWN_RANKS else ""
    deeper = f"; {found.unranked:,} below {found.depth:,}" if found.unranked else ""
    head = f"{missed:,} of {found.relevant:,} relevant below the top {found.shown}, at rank"
    return Text(f"{head} {ranks}{more}{deeper}")


def _metrics(evaluation: Evaluation, language: Profile) -> RenderableType:
    from rich.table import Table

    from engine.report.run import metric_rows

    grid = Table.grid(padding=(0, 2))
    for row in metric_rows(evaluation, language):
        same = "" if row.id == row.label else row.id
        grid.add_row(row.label, f"{row.mean:.3g}", same, row.formula)
    return grid


def _head(found: Inspection, collection: Collection) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    grid.add_row("Query", Text(safe(found.query), style="bold"))
    grid.add_row("Means", _meaning(found))
    outside = found.mapping.outside if found.mapping else ()
    if outside:
        names = ", ".join(f'{m.keyword.name} ("{m.ngram}", {m.keyword.group})' for m in outside)
        grid.add_row("", Text(safe(f"not in the chosen groups: {names}"), style="yellow"))
    relevant = f"{found.relevant:,} relevant of " if found.evaluation else ""
    least = found.policies.min_similarity
    threshold = "" if least is None else f" · threshold: similarity ≥ {least:g}"
    grid.add_row(
        "Among",
        safe(
            f"{relevant}{counted(len(collection), 'clip')} · model {collection.model.name} · "
            f"{', '.join(found.selection.groups)}{threshold}"
        ),
    )
    return grid


def _meaning(found: Inspection) -> Text:
    from rich.text import Text

    if not found.keywords:
        near = found.mapping.near if found.mapping else ()
        names = ", ".join(f"{item.keyword.name} ({item.score:.2f})" for item in near)
        tail = f"; near misses: {names}" if names else ""
        message = f"no keyword of the chosen groups: results are not judged{tail}"
        return Text(safe(message), style="yellow")
    if found.mapping is None:
        return Text(safe(", ".join(keyword.name for keyword in found.keywords)))
    evidence = [
        f'{item.keyword.name} ("{item.ngram}", {item.why} {item.score:.2f})'
        for item in found.mapping.keywords
        if item.keyword in found.keywords
    ]
    return Text(safe(", ".join(evidence)))


def _result(
    rank: int, result: Breakdown, collection: Collection, ascii: bool, where: str
) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    style = "" if result.retrieved else "dim"
    head = Text(f"#{rank:<3} {result.score:.3f}  ", style=style)
    head.append(safe(collection.truth.ids[result.row]), style="bold" if result.retrieved else "")
    if where:
        head.append(safe(f"  {where}"), style="dim")
    if not result.retrieved:
        head.append("  below the threshold: not retrieved", style="yellow")
    yes, no = _MARKS[not ascii]
    grid = Table.grid(padding=(0, 2))
    for marks in result.groups:
        text = "  ".join(f"{yes if has else no} {keyword.name}" for keyword, has in marks.marks)
        grid.add_row(safe(marks.group.replace("_", " ")), Text(safe(text)), style=style)
    lines: list[RenderableType] = [grid] if result.groups else []
    if result.total:
        colour = (
            ("green" if result.matched == result.total else "yellow") if result.matched else "red"
        )
        lines.append(Text(f"→ {result.verdict}", style=colour if result.retrieved else "dim"))
    if result.others:
        others = ", ".join(keyword.name for keyword in result.others)
        lines.append(Text(f"also: {safe(others)}", style="dim"))
    return Group(head, Padding(Group(*lines), (0, 0, 0, 5)))
