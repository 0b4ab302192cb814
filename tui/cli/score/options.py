"""Options of `tui-eval score`: where rankings and relevance come from, policies, output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

_RANKINGS = "Rankings: run files, a score matrix, or embeddings"
_RELEVANCE = "Relevance: judgements, a matrix, or the diagonal"
_POLICIES = "Edge policies (written into every result)"

ScoreFormat = Literal["table", "json", "csv", "markdown", "latex"]
FORMATS: tuple[ScoreFormat, ...] = get_args(ScoreFormat)
FileFormat = Literal["auto", "trec", "beir", "json", "jsonl", "parquet", "csv"]

RunOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--run",
        "-r",
        help="Run file: TREC, ranx (JSON, parquet), JSON lines or CSV; also .gz. May be given "
        "several times: the runs then stand side by side.",
        rich_help_panel=_RANKINGS,
        show_default=False,
    ),
]
RunFormatOption = Annotated[
    FileFormat,
    typer.Option(
        "--run-format",
        help="Format of the run files, if it is not seen.",
        rich_help_panel=_RANKINGS,
    ),
]
ScoresOption = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        help="Matrix of scores, queries × items (.npy); all items are ranked.",
        rich_help_panel=_RANKINGS,
        show_default=False,
    ),
]
LowerIsBetterOption = Annotated[
    bool,
    typer.Option(
        "--lower-is-better",
        help="The matrix holds distances.",
        rich_help_panel=_RANKINGS,
    ),
]
QueryEmbeddingsOption = Annotated[
    Path | None,
    typer.Option(
        "--query-embeddings",
        help="Vectors of the queries (.npy, .npz, .parquet).",
        rich_help_panel=_RANKINGS,
        show_default=False,
    ),
]
ItemEmbeddingsOption = Annotated[
    Path | None,
    typer.Option(
        "--item-embeddings",
        help="Vectors of the items; all of them are ranked.",
        rich_help_panel=_RANKINGS,
        show_default=False,
    ),
]
MetricOption = Annotated[
    str,
    typer.Option(
        "--metric", help="Of the embeddings: cosine, ip or l2.", rich_help_panel=_RANKINGS
    ),
]
QueryIdsOption = Annotated[
    Path | None,
    typer.Option(
        "--query-ids",
        help="Ids of the matrix's rows or the query vectors, one per line. Default: 0, 1, 2 …",
        rich_help_panel=_RANKINGS,
        show_default=False,
    ),
]
ItemIdsOption = Annotated[
    Path | None,
    typer.Option(
        "--item-ids",
        help="Ids of the matrix's columns or the item vectors, one per line. Default: 0, 1, 2 …",
        rich_help_panel=_RANKINGS,
        show_default=False,
    ),
]
QrelsOption = Annotated[
    Path | None,
    typer.Option(
        "--qrels",
        "-q",
        help="Judgements: TREC, BEIR (folder or .tsv), ranx, JSON lines or CSV; also .gz.",
        rich_help_panel=_RELEVANCE,
        show_default=False,
    ),
]
QrelsFormatOption = Annotated[
    FileFormat,
    typer.Option(
        "--qrels-format",
        help="Format of the judgements, if it is not seen.",
        rich_help_panel=_RELEVANCE,
    ),
]
SplitOption = Annotated[
    str, typer.Option("--split", help="Of a BEIR folder.", rich_help_panel=_RELEVANCE)
]
RelevanceOption = Annotated[
    Path | None,
    typer.Option(
        "--relevance",
        help="Matrix of grades, queries × items (.npy).",
        rich_help_panel=_RELEVANCE,
        show_default=False,
    ),
]
DiagonalOption = Annotated[
    bool,
    typer.Option(
        "--diagonal",
        help="Item i is the one relevant to query i, as in text-video test sets.",
        rich_help_panel=_RELEVANCE,
    ),
]
CollectionOption = Annotated[
    int | None,
    typer.Option(
        "--collection",
        min=1,
        help="N, the number of items that could be found; TN needs it. Default: the items that "
        "occur.",
        rich_help_panel=_RELEVANCE,
        show_default=False,
    ),
]
ScoreFormatOption = Annotated[
    ScoreFormat | None,
    typer.Option(
        "--format",
        help="Default: table, or what the name of --out says (.json, .csv, .md, .tex).",
        show_default=False,
    ),
]
TiesOption = Annotated[
    Literal["insertion", "docid_desc", "expected"],
    typer.Option(
        "--ties",
        help="Equal scores: as they stand in the file, as in trec_eval, or the mean over all "
        "orders.",
        rich_help_panel=_POLICIES,
    ),
]
NoRelevantOption = Annotated[
    Literal["skip", "zero", "error"],
    typer.Option(
        "--no-relevant",
        help="A judged query without relevant item: left out, counts 0, or an error.",
        rich_help_panel=_POLICIES,
    ),
]
MissingOption = Annotated[
    Literal["zero", "skip", "error"],
    typer.Option(
        "--missing",
        help="A judged query that is not in the run: counts 0, left out, or an error.",
        rich_help_panel=_POLICIES,
    ),
]
DuplicatesOption = Annotated[
    Literal["error", "keep_best"],
    typer.Option("--duplicates", help="An item twice in one query.", rich_help_panel=_POLICIES),
]
