"""`tui-eval map`: what a text says in the keywords of a vocabulary, one text or many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.base.errors import InputError
from engine.base.json_text import as_json
from tui.cli.completion.values import complete_commands
from tui.cli.map.learn import learn_from_queries
from tui.cli.map.options import KeywordOptions
from tui.cli.map.trial import test_mapper
from tui.cli.shared import options as o
from tui.cli.shared.beside_keywords import describe_beside
from tui.cli.shared.console import say, show_loading, show_spinner
from tui.cli.shared.dataset_options import check_encoder_option
from tui.cli.shared.groups import DefaultCommand, argument, make_app, option, takes_groups
from tui.cli.shared.output import FORMAT_SUFFIXES, ListOutput
from tui.look.safe import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from engine.dataset.query_files import TextQuery
    from engine.dataset.vocabulary import Vocabulary
    from engine.text.mapping.mapper import KeywordMapping, MappedKeyword, Mapper


app = make_app(cls=DefaultCommand, invoke_without_command=True)
app.command("test")(test_mapper)
app.command("learn")(learn_from_queries)


class MapOutput(ListOutput):
    suffixes = {**FORMAT_SUFFIXES, ".jsonl": "json"}  # noqa: RUF012 (of a batch)


@app.callback()
@takes_groups
def map_text(
    *,
    text: str | None = argument("TEXT", "The text to map.", None, autocompletion=complete_commands),
    batch: Path | None = option(
        "Map a file of queries instead: plain lines, CSV (query,keywords) or JSON lines "
        '{"q": …, "groups": \\[…], "kw": \\[…]}. Prints one JSON object per query; if the file '
        "says which keywords are meant, stderr says how many keyword sets are exact."
    ),
    groups: str | None = o.groups("the dataset's default groups, or all of a vocabulary."),
    known: KeywordOptions,
    encoder: str | None = o.ENCODER(),
    output: MapOutput,
) -> None:
    """Map a text to keywords, and show which words each comes from, how likely it is, and why.

    Examples:
    tui-eval map "cyclist entering ego lane" --groups object_type,actor_behavior
    tui-eval map "night city" --vocabulary vocabulary.json --json
    tui-eval map --batch queries.jsonl > keywords.jsonl
    tui-eval map test queries.csv
    tui-eval map learn --from queries.csv
    """
    from engine.dataset.query_files import check_text
    from engine.files.envelope import enclose
    from engine.files.input_file import InputFile
    from engine.report.search.document import build_mapping_document
    from engine.text import EMBEDDED
    from engine.text.model_files import hash_model
    from engine.text.opening import open_encoder

    if (text is None) == (batch is None):
        raise InputError(
            "map needs a text or --batch FILE, and not both",
            hint='write tui-eval map "cyclist entering ego lane"',
        )
    if text is not None:
        check_text(text)
    if batch is not None and output.format == "table":
        raise InputError("--batch and --format table were given", hint="a batch has no table")
    output.check()
    check_encoder_option(encoder)
    with open_encoder(encoder or EMBEDDED, while_loading=show_loading) as text_encoder:
        with show_spinner("reading the vocabulary"):
            words, mapper, files = known.mapper(text_encoder)
        chosen = known.choose_groups(groups, words)
        if batch is not None:
            _map_batch(batch, mapper, words, chosen, output)
            return
        with show_spinner("mapping"):
            mapping = mapper.map(text or "", chosen)

    def document() -> dict[str, Any]:
        name = text_encoder.name
        return enclose(
            "map",
            build_mapping_document(mapping, chosen),
            inputs={**files, "encoder": InputFile(name, hash_model(name))},
            policies={"threshold": mapper.threshold},
        )

    beside = describe_beside(mapping)
    output.write(
        {
            "table": lambda: _build_view(mapping, beside, _describe_groups(chosen, words)),
            "json": lambda: as_json(document()),
        },
        notes=beside,
    )


def _describe_groups(chosen: tuple[str, ...], words: Vocabulary) -> str:
    """Which groups were asked; empty if all of them were."""
    if len(chosen) == len(words.groups):
        return ""
    return escape(f"groups: {', '.join(chosen)} ({len(chosen)} of {len(words.groups)})")


def _map_batch(
    batch: Path,
    mapper: Mapper,
    words: Vocabulary,
    chosen: tuple[str, ...],
    output: ListOutput,
) -> None:
    from engine.dataset.labelled_queries import find_groups
    from engine.dataset.query_files import read_queries
    from engine.report.search.document import build_mapping_document

    queries = read_queries(batch)
    groups = [find_groups(query, words, chosen) for query in queries]
    with show_spinner(f"mapping {len(queries):,} queries"):
        mappings = mapper.map_batch([query.text for query in queries], groups)
    documents = map(build_mapping_document, mappings, groups)
    text = "\n".join(as_json(document, indent=None) for document in documents)
    output.write({name: lambda: text for name in output.formats})
    if not output.quiet:
        _say_accuracy(queries, mappings, words, chosen)


def _say_accuracy(
    queries: Sequence[TextQuery],
    mappings: Sequence[KeywordMapping],
    words: Vocabulary,
    chosen: tuple[str, ...],
) -> None:
    from engine.dataset.labelled_queries import label_query
    from engine.text.mapping.accuracy import measure_accuracy

    known = [
        (
            frozenset(map(str, label_query(query, words, chosen).meant)),
            frozenset(str(item.keyword) for item in mapping.keywords),
        )
        for query, mapping in zip(queries, mappings, strict=True)
        if query.keywords is not None
    ]
    if known:
        result = measure_accuracy(known)
        say(
            f"exact keyword sets {result.exact}/{result.queries} ({result.exact_share:.1%}) · "
            f"micro-F1 {result.micro_f1:.3f}"
        )


def _build_view(mapping: KeywordMapping, beside: Sequence[str], asked: str) -> list[RenderableType]:
    """The keywords, what the text says beside them, and in which groups they were looked for."""
    from rich.text import Text

    parts: list[RenderableType] = []
    if not mapping.keywords:
        parts.append(Text("No keyword of the chosen groups is in this text.", style="yellow"))
    if mapping.keywords or mapping.near:
        parts.append(_table(mapping))
    parts += [Text(line, style="yellow") for line in beside]
    return [*parts, Text(asked, style="dim")] if asked else parts


def _table(mapping: KeywordMapping) -> RenderableType:
    from rich.table import Column

    from tui.cli.shared.metric_table import make_ruled_table

    table = make_ruled_table(
        "keyword", "group", "from", Column("probability", justify="right"), "why"
    )
    for item in mapping.keywords:
        table.add_row(*_cells(item), item.why)
    if mapping.keywords and mapping.near:
        table.add_section()
    for item in mapping.near:
        table.add_row(*_cells(item), "near miss, not counted", style="dim")
    return table


def _cells(item: MappedKeyword) -> tuple[str, str, str, str]:
    name, group = item.keyword.name, item.keyword.group
    return escape(name), escape(group), escape(f'"{item.ngram}"'), f"{item.score:.3f}"
