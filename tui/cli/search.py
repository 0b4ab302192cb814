"""`tui-eval search`: one query, its ranked results, and which keywords each has or lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import InputError
from tui.cli import options as o
from tui.cli.console import (
    Format,
    print_json,
    safe,
    stdout_console,
    tell_that_the_encoder_starts,
    telling_what_takes_long,
)

if TYPE_CHECKING:
    from rich.text import Text

    from engine.collection import Collection
    from engine.inspection import Inspection
    from engine.judge import Breakdown
    from engine.mapper import MappedKeyword
    from engine.metrics import Profile

SCHEMA = "tui-eval/search@1"

_MARKS = {True: ("✅", "❌"), False: ("[+]", "[-]")}


def search(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to look for.", show_default=False)
    ] = None,
    video: Annotated[
        str | None,
        typer.Option("--video", "-v", help="Search with this clip instead.", show_default=False),
    ] = None,
    dataset: o.DatasetOption = None,
    model: o.ModelOption = None,
    groups: o.GroupsOption = None,
    keywords: o.KeywordsOption = None,
    k: o.KOption = "1,3,5",
    profile: o.ProfileOption = "alfa",
    metrics: o.MetricsOption = None,
    min_similarity: o.MinSimilarityOption = None,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = "table",
    json: o.JsonOption = False,
    ascii: o.AsciiOption = False,
    annotations: o.AnnotationsOption = None,
    embeddings: o.EmbeddingsOption = None,
    ids: o.IdsOption = None,
    metric: o.MetricOption = None,
    encoder: o.EncoderOption = None,
    query_vectors: o.QueryVectorsOption = None,
    duplicates: o.DuplicatesOption = None,
) -> None:
    """Search with a text or a clip and show, per result, the keywords it has and lacks.

    [bold]Examples[/bold]

    tui-eval search "cyclist entering ego lane"

    tui-eval search --video urban_bicyclist_0042 --groups object_type,scene_type --k 1,5,10

    tui-eval search "truck at night" --groups object_type,scene_type --min-similarity 0.3 --json
    """
    from engine.encoder import SentenceEncoder
    from engine.evaluate import Policies
    from engine.inspection import inspect_text, inspect_video
    from engine.metrics import parse_measures
    from engine.metrics import profile as profile_named
    from engine.run import choose_selection

    if (text is None) == (video is None):
        raise InputError(
            "search needs a text or --video ID, and not both",
            hint='write tui-eval search "cyclist entering ego lane"',
        )
    if text is not None and not text.strip():
        raise InputError("the text is empty", hint="say what to look for")
    language, ks = profile_named(profile), o.parse_ks(k)
    names = o.split_metrics(metrics)
    # The first family that the profile reports; `--metrics` asks for more.
    measures = parse_measures(names, language) if names else language.measures(ks)[: len(ks)]
    opened = o.open_from_options(
        dataset, annotations, embeddings, ids, metric, encoder, query_vectors, duplicates
    )
    collection = opened.collection(model)
    selection = choose_selection(
        opened, collection.truth, o.resolve_groups(groups, opened), o.split_list(keywords)
    )
    policies = Policies(min_similarity=min_similarity)
    with (
        SentenceEncoder(on_start=tell_that_the_encoder_starts) as speaker,
        telling_what_takes_long("searching"),
    ):
        if text is not None:
            found = inspect_text(
                text, opened, collection, selection, speaker, measures, k=ks[-1], policies=policies
            )
        else:
            found = inspect_video(
                video or "", collection, selection, measures, k=ks[-1], policies=policies
            )
    shape = "json" if json else format
    if shape == "json":
        print_json(search_document(found, collection, language, min_similarity))
    elif shape == "csv":
        stdout_console().file.write(_csv(found, collection))
    else:
        _print(found, collection, language, ascii, min_similarity)


def search_document(
    found: Inspection, collection: Collection, language: Profile, min_similarity: float | None
) -> dict[str, Any]:
    """One search as plain values, ready for JSON."""
    from engine.report.run import metric_rows

    rows = metric_rows(found.evaluation, language) if found.evaluation else []
    return {
        "schema": SCHEMA,
        "mode": found.mode,
        "query": found.query,
        "model": collection.model.name,
        "keywords": [str(keyword) for keyword in found.keywords],
        "mapping": None if found.mapping is None else mapping_document(found.mapping.keywords),
        "near": None if found.mapping is None else mapping_document(found.mapping.near),
        "relevant": found.relevant,
        "min_similarity": min_similarity,
        "results": [
            _result_document(rank, result, collection)
            for rank, result in enumerate(found.results, start=1)
        ],
        "metrics": [
            {name: value for name, value in row.as_dict().items() if name not in ("std", "mode")}
            for row in rows
        ],
    }


def mapping_document(mapped: tuple[MappedKeyword, ...]) -> list[dict[str, Any]]:
    """Mapped keywords as plain values; the same shape in `search` and `map`."""
    return [
        {
            "keyword": item.keyword.name,
            "group": item.keyword.group,
            "score": item.score,
            "ngram": item.ngram,
            "span": list(item.span),
            "why": item.why,
        }
        for item in mapped
    ]


def _result_document(rank: int, result: Breakdown, collection: Collection) -> dict[str, Any]:
    return {
        "rank": rank,
        "slice_id": collection.truth.ids[result.row],
        "score": round(result.score, 6),
        "retrieved": result.retrieved,
        "hit": result.hit,
        "matched": result.matched,
        "total": result.total,
        "verdict": result.verdict,
        "groups": {
            marks.group: [{"keyword": keyword.name, "has": has} for keyword, has in marks.marks]
            for marks in result.groups
        },
        "others": [str(keyword) for keyword in result.others],
    }


def _csv(found: Inspection, collection: Collection) -> str:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["rank", "slice_id", "score", "retrieved", "hit", "matched", "total"])
    for rank, result in enumerate(found.results, start=1):
        item = _result_document(rank, result, collection)
        names = ("rank", "slice_id", "score", "retrieved", "hit", "matched", "total")
        writer.writerow([item[name] for name in names])
    return out.getvalue()


def _print(
    found: Inspection,
    collection: Collection,
    language: Profile,
    ascii: bool,
    min_similarity: float | None,
) -> None:
    from rich.text import Text

    from engine.report.run import metric_rows

    console = stdout_console()
    console.print(Text.assemble(("Query  ", "dim"), (safe(found.query), "bold")))
    console.print(_keyword_line(found))
    threshold = "" if min_similarity is None else f" · threshold: similarity ≥ {min_similarity:g}"
    console.print(
        Text.assemble(
            ("Found  ", "dim"),
            f"{found.relevant:,} relevant of {len(collection):,} clips · "
            f"model {safe(collection.model.name)}{threshold}",
        )
    )
    for rank, result in enumerate(found.results, start=1):
        console.print()
        for line in _result_lines(rank, result, collection, ascii):
            console.print(line)
    console.print()
    rows = metric_rows(found.evaluation, language) if found.evaluation else []
    if found.evaluation is not None and not found.relevant:
        console.print(Text("No clip has all these keywords: no metric is defined.", "yellow"))
        return
    for row in rows:
        console.print(
            Text.assemble((f"{row.label:<14}", "bold"), f"{row.mean:<8.3g}", (row.formula, "dim"))
        )


def _keyword_line(found: Inspection) -> Text:
    from rich.text import Text

    line = Text.assemble(("Means  ", "dim"))
    if not found.keywords:
        line.append("no keyword of the chosen groups: results are not judged", style="yellow")
        near = found.mapping.near if found.mapping else ()
        if near:
            names = ", ".join(f"{item.keyword.name} ({item.score:.2f})" for item in near)
            line.append(safe(f"; near: {names}"))
        return line
    if found.mapping is None:
        return line.append(safe(", ".join(keyword.name for keyword in found.keywords)))
    evidence = [
        f'{item.keyword.name} ("{item.ngram}", {item.why} {item.score:.2f})'
        for item in found.mapping.keywords
        if item.keyword in found.keywords
    ]
    return line.append(safe(", ".join(evidence)))


def _result_lines(rank: int, result: Breakdown, collection: Collection, ascii: bool) -> list[Text]:
    from rich.text import Text

    yes, no = _MARKS[not ascii]
    style = "" if result.retrieved else "dim"
    clip = safe(collection.truth.ids[result.row])
    head = Text(f"#{rank:<3} {result.score:.3f}  ", style=style)
    head.append(clip, style="bold" if result.retrieved else "dim")
    if not result.retrieved:
        head.append("  below the threshold: not retrieved", style="yellow")
    lines = [head]
    width = max((len(marks.group) for marks in result.groups), default=0)
    for marks in result.groups:
        text = "  ".join(f"{yes if has else no} {keyword.name}" for keyword, has in marks.marks)
        lines.append(Text(f"     {_title(marks.group):<{width}}  {safe(text)}", style=style))
    if result.total:
        full = result.matched == result.total
        colour = "green" if full else "yellow" if result.matched else "red"
        lines.append(Text(f"     → {result.verdict}", style=colour if result.retrieved else "dim"))
    if result.others:
        others = ", ".join(keyword.name for keyword in result.others)
        lines.append(Text(f"     also: {safe(others)}", style="dim"))
    return lines


def _title(group: str) -> str:
    return safe(group.replace("_", " "))
