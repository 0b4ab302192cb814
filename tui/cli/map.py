"""`tui-eval map`: what a text says in the keywords of a vocabulary, one text or many."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.errors import InputError, Place
from tui.cli import options as o
from tui.cli.console import (
    print_json,
    safe,
    say,
    stdout_console,
    tell_that_the_encoder_starts,
    telling_what_takes_long,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.mapper import Mapper, Mapping
    from engine.queries import TextQuery
    from engine.selection import Vocabulary


def map_text(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="A query.", show_default=False)
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            "--batch",
            help='Many queries: JSON lines {"q": …, "groups": […], "kw": […]}; one JSON object '
            "per line comes out. With kw, accuracy is printed on stderr.",
            show_default=False,
        ),
    ] = None,
    groups: o.GroupsOption = None,
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            "--vocabulary",
            help="JSON {group: [keyword, …]} in place of a dataset's keywords.",
            show_default=False,
        ),
    ] = None,
    dataset: o.DatasetOption = None,
    annotations: o.AnnotationsOption = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="Least similarity of a keyword found by embedding. Default: the dataset's.",
            show_default=False,
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder", help="A sentence-transformers folder or local name.", show_default=False
        ),
    ] = None,
    format: Annotated[
        Literal["table", "json"], typer.Option("--format", help="What to print.")
    ] = "table",
    json: o.JsonOption = False,
) -> None:
    """Map a text to keywords: the words each comes from, its score, and why.

    [bold]Examples[/bold]

    tui-eval map "cyclist entering ego lane" --groups object_type,actor_behavior

    tui-eval map "night city" --vocabulary vocabulary.json --json

    tui-eval map --batch queries.jsonl > keywords.jsonl
    """
    from engine.encoder import EMBEDDED, SentenceEncoder

    if (text is None) == (batch is None):
        raise InputError(
            "map needs a text or --batch FILE, and not both",
            hint='write tui-eval map "cyclist entering ego lane"',
        )
    if threshold is not None and not 0 < threshold <= 1:
        raise InputError(f"--threshold is {threshold:g}", hint="it is above 0 and at most 1")
    with SentenceEncoder(encoder or EMBEDDED, on_start=tell_that_the_encoder_starts) as speaker:
        words, mapper = _mapper(vocabulary, dataset, annotations, threshold, speaker)
        chosen = o.split_list(groups)
        default = None if chosen is None or chosen == (o.ALL,) else words.select(chosen).groups
        if batch is not None:
            _map_batch(batch, mapper, words, default)
            return
        with telling_what_takes_long("mapping"):
            mapping = mapper.map(text or "", default)
    if json or format == "json":
        print_json(_document(mapping))
    else:
        _print(mapping)


def _mapper(
    vocabulary: Path | None,
    dataset: str | None,
    annotations: Path | None,
    threshold: float | None,
    encoder: Any,
) -> tuple[Vocabulary, Mapper]:
    from engine.mapper import DEFAULT_THRESHOLD, Mapper

    if vocabulary is not None:
        words = read_vocabulary(vocabulary)
        return words, Mapper(words.keywords, encoder, threshold=threshold or DEFAULT_THRESHOLD)
    opened = o.open_from_options(dataset, annotations)
    mapper = opened.mapper(encoder)
    if threshold is not None:
        mapper.threshold = threshold
    return opened.truth.words, mapper


def read_vocabulary(path: Path) -> Vocabulary:
    """A vocabulary from JSON `{group: [keyword, …]}`."""
    from engine.annotations_cells import clean_keyword
    from engine.annotations_layout import group_key
    from engine.selection import Keyword, Vocabulary
    from engine.textfile import read_text

    hint = 'write {"object_type": ["pedestrian", "bicyclist"], …}'
    try:
        table = json_module.loads(read_text(path))
    except json_module.JSONDecodeError as error:
        raise InputError(
            f"is not valid JSON ({error.msg})", Place(path, error.lineno), hint=hint
        ) from error
    if not isinstance(table, dict) or not table:
        raise InputError("is not a vocabulary", Place(path), hint=hint)
    keywords: list[Keyword] = []
    for group, names in table.items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError("must be a list of keywords", Place(path, column=group), hint=hint)
        unique = dict.fromkeys(clean_keyword(name) for name in names if name.strip())
        keywords += [Keyword(group_key(group), name) for name in unique]
    return Vocabulary(tuple(group_key(group) for group in table), tuple(keywords))


def _document(mapping: Mapping) -> dict[str, Any]:
    from tui.cli.search import mapping_document

    return {
        "query": mapping.query,
        "keywords": mapping_document(mapping.keywords),
        "near": mapping_document(mapping.near),
    }


def _map_batch(
    batch: Path, mapper: Mapper, words: Vocabulary, default: tuple[str, ...] | None
) -> None:
    from engine.queries import read_queries

    queries = read_queries(batch)
    groups = [_groups_of(query, words, default) for query in queries]
    with telling_what_takes_long(f"mapping {len(queries):,} queries"):
        mappings = mapper.map_batch([query.text for query in queries], groups)
    for mapping in mappings:
        print_json(_document(mapping), indent=None)
    _say_accuracy(queries, mappings)


def _groups_of(
    query: TextQuery, words: Vocabulary, default: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    if query.groups is None:
        return default
    try:
        return words.select(query.groups).groups
    except InputError as error:
        raise InputError(error.message, query.place, hint=error.hint) from error


def _say_accuracy(queries: Sequence[TextQuery], mappings: Sequence[Mapping]) -> None:
    from engine.annotations_cells import clean_keyword
    from engine.mapper import accuracy

    known = [
        (
            frozenset(clean_keyword(name) for name in query.keywords),
            frozenset(item.keyword.name for item in mapping.keywords),
        )
        for query, mapping in zip(queries, mappings, strict=True)
        if query.keywords is not None
    ]
    if known:
        result = accuracy(known)
        say(
            f"exact keyword sets {result.exact}/{result.queries} ({result.exact_share:.1%}) · "
            f"micro-F1 {result.micro_f1:.3f}"
        )


def _print(mapping: Mapping) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = stdout_console()
    if not mapping.keywords:
        console.print(Text("No keyword of the chosen groups is in this text.", style="yellow"))
    rows = [(True, item) for item in mapping.keywords] + [(False, item) for item in mapping.near]
    if not rows:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("keyword", "group", "from"):
        table.add_column(name)
    table.add_column("score", justify="right")
    table.add_column("why")
    for kept, item in rows:
        table.add_row(
            Text(safe(item.keyword.name), style="bold" if kept else "dim"),
            safe(item.keyword.group),
            safe(f'"{item.ngram}"'),
            f"{item.score:.3f}",
            item.why if kept else "near miss",
        )
    console.print(table)
